// The orchestrator's Workflows at the real email service: which API keys of a tenant are dead after each way to lose them.
import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createHttpEmailProvider,
  type HttpEmailProvider,
} from '../../src/email-provider/adapters/sendoff/sendoff-provider.ts';
import { apiKeyRef, ownKeyRef } from '../../src/onboarding/onboarding-ids.ts';
import { getIssued } from '../../src/store/issued-secret.ts';
import { providerReportedSignal } from '../../src/workflows/messages.ts';
import { OPERATOR_TOKEN, startTestApi, type TestApi } from '../email-service/support/test-api.ts';
import { inputOf, type OnboardingEnvironment, openOnboardings } from '../support/onboarding-environment.ts';

interface Key {
  readonly id: string;
  readonly token: string;
}

let api: TestApi;
let environment: OnboardingEnvironment;
let provider: HttpEmailProvider;
let endOnboardings: () => Promise<void>;
beforeAll(async () => {
  api = await startTestApi();
  await api.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = api.app.server.address() as AddressInfo;
  provider = createHttpEmailProvider({ baseUrl: `http://127.0.0.1:${port}`, operatorToken: OPERATOR_TOKEN });
  ({ environment, stop: endOnboardings } = await openOnboardings({}, { provider }));
});
afterAll(async () => {
  await endOnboardings();
  await provider.close();
  await api.end();
});

const make = async (by: string, body?: object): Promise<Key> => {
  const answer = await api.inject({
    ...{ method: 'POST', url: '/api-keys', headers: { authorization: `Bearer ${by}` } },
    ...(body && { payload: body }),
  });
  expect(answer.statusCode).toBe(201);
  return answer.json<Key>();
};

/** Each with whether the email service still takes it. */
const alive = async (keys: Readonly<Record<string, Key>>): Promise<Record<string, boolean>> =>
  Object.fromEntries(
    await Promise.all(
      Object.entries(keys).map(
        async ([name, { token }]) => [name, (await api.get('/emails/eml_none', token)).statusCode !== 401] as const,
      ),
    ),
  );
const each = (keys: object, state: boolean): Record<string, boolean> =>
  Object.fromEntries(Object.keys(keys).map((name) => [name, state]));

/** What the tenant's running or ended onboarding has, and keys that descend from sendoff's own, as a thief would make them. */
async function familyOf(tenantId: string): Promise<Record<string, Key>> {
  const held = async (ref: string): Promise<Key> => {
    const issued = await getIssued(environment.secretStore, ref);
    if (issued === undefined) throw new Error(`no token of ${ref}`);
    return { id: issued.id, token: issued.secret };
  };
  const [own, tenant] = [await held(ownKeyRef(tenantId)), await held(apiKeyRef(tenantId))];
  // Of the specification, which knows no body; and with everything that the email service adds.
  const child = await make(own.token);
  const scoped = await make(own.token, { scopes: ['read'], name: 'scoped' });
  const grandchild = await make(child.token);
  const greatGrandchild = await make(grandchild.token, { scopes: ['send', 'manage'] });
  return { own, tenant, child, scoped, grandchild, greatGrandchild };
}

/** Of the same account, by its operator, and of another tenant. */
async function others(tenantId: string): Promise<Record<string, Key>> {
  const operators = await make(OPERATOR_TOKEN, { account: tenantId });
  const childOfOperators = await make(operators.token);
  return { operators, childOfOperators, elsewhere: await make(OPERATOR_TOKEN, { account: `${tenantId}-other` }) };
}

const record = async (tenantId: string) => {
  const found = await environment.register.get(tenantId);
  if (found === undefined) throw new Error(`no onboarding of ${tenantId}`);
  return found;
};

const untilStage = (tenantId: string, stage: string): Promise<void> =>
  expect.poll(async () => (await record(tenantId)).onboarding.stage).toBe(stage);

async function wake(tenantId: string): Promise<void> {
  const handle = environment.server.environment.client.workflow.getHandle(`onboarding/${tenantId}`);
  await handle.signal(providerReportedSignal, { eventId: randomUUID(), type: 'email.delivered' });
}

async function startWaiting(tenantId: string): Promise<void> {
  await environment.start(inputOf(tenantId));
  await untilStage(tenantId, 'awaitingDomain');
}

/** Until it is onboarded, or has failed as F3. */
async function end(tenantId: string, status: 'delivered' | 'bounced'): Promise<void> {
  const { domainId } = (await record(tenantId)).onboarding;
  const at = api.clock.time.toISOString();
  const verified = { status: 'verified', verified_at: at } as const;
  await api.store
    .updateTable('domains')
    .set(verified)
    .where('id', '=', domainId ?? '')
    .execute();
  await wake(tenantId);
  await untilStage(tenantId, 'awaitingDelivery');
  const { emailId } = (await record(tenantId)).onboarding;
  const outcome = status === 'delivered' ? { status, delivered_at: at } : { status };
  await api.store
    .updateTable('emails')
    .set(outcome)
    .where('id', '=', emailId ?? '')
    .execute();
  await wake(tenantId);
  await expect.poll(async () => (await record(tenantId)).outcome).toBe(status === 'delivered' ? 'onboarded' : 'failed');
}

const untilNewKeys = (tenantId: string, before: Record<string, Key>): Promise<void> =>
  expect
    .poll(async () => {
      const [own, tenant] = [ownKeyRef(tenantId), apiKeyRef(tenantId)].map((ref) =>
        getIssued(environment.secretStore, ref),
      );
      const ids = [(await own)?.id, (await tenant)?.id];
      return ids.every((id) => id !== undefined && id !== before['own']?.id && id !== before['tenant']?.id);
    })
    .toBe(true);

const lost: Record<string, (tenantId: string) => Promise<void>> = {
  'an undo': async (tenantId) => {
    await startWaiting(tenantId);
  },
  'a restart after success': async (tenantId) => {
    await startWaiting(tenantId);
    await end(tenantId, 'delivered');
  },
  'a PUT after a failure that keeps everything': async (tenantId) => {
    await startWaiting(tenantId);
    await end(tenantId, 'bounced');
  },
};

test.each(Object.entries(lost))(
  '%s ends the keys of the onboarding with all that descend from them, and no other',
  async (name, reach) => {
    const tenantId = name.replaceAll(' ', '-').toLowerCase();
    await reach(tenantId);
    const family = await familyOf(tenantId);
    const rest = await others(tenantId);
    expect(await alive({ ...family, ...rest })).toEqual(each({ ...family, ...rest }, true));
    if (name === 'an undo') await environment.onboardings.cancel(tenantId);
    else if (name.startsWith('a restart')) await environment.onboardings.restart(inputOf(tenantId));
    else expect((await environment.onboardings.start(inputOf(tenantId))).kind).toBe('started');
    if (name === 'an undo') await expect.poll(async () => (await record(tenantId)).outcome).toBe('cancelled');
    else await untilNewKeys(tenantId, family);
    expect(await alive(family)).toEqual(each(family, false));
    expect(await alive(rest)).toEqual(each(rest, true));
  },
);
