// The domain checks against the email service itself, over HTTP; only the DNS is scripted.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { checkDomainActivities } from '../../../src/activities/onboarding/check-domain.ts';
import type { UnansweredCheck } from '../../../src/activities/onboarding/record-failed-attempts.ts';
import type { DomainReport } from '../../../src/onboarding/domain-report.ts';
import type { DomainCheck } from '../../../src/lib/dns/domain-check.ts';
import type { EmailProvider } from '../../../src/email-provider/email-provider.ts';
import {
  createHttpEmailProvider,
  type HttpEmailProvider,
} from '../../../src/email-provider/adapters/sendoff/sendoff-provider.ts';
import { apiKeyRef } from '../../../src/onboarding/onboarding-ids.ts';
import { putIssued } from '../../../src/store/issued-secret.ts';
import { OPERATOR_TOKEN, startTestApi, type TestApi } from '../../email-service/support/test-api.ts';
import { inActivity } from '../../support/in-activity.ts';
import { memorySecretStore } from '../../support/scripted-provider.ts';
import { openTestRegister, type TestRegister } from '../../support/test-register.ts';
import { noOperatorAccounts } from '../../support/no-operator-accounts.ts';

const DEADLINE = Date.parse('2026-03-04T12:00:00Z');
const SETTLE_UNTIL = DEADLINE + 24 * 3_600_000;

let api: TestApi;
let client: HttpEmailProvider;
let domainId: string;
let idempotencyKeys: string[];
let registered: TestRegister;
/** What the name servers say, and what happens while they are asked. */
let dns: { verified: boolean; conclusive: boolean };
let whileNameServersAreAsked: () => Promise<unknown>;
let activities: ReturnType<typeof checkDomainActivities>;

beforeEach(async () => {
  registered = await openTestRegister();
  api = await startTestApi();
  const baseUrl = await api.app.listen({ host: '127.0.0.1', port: 0 });
  client = createHttpEmailProvider({ baseUrl, operatorToken: OPERATOR_TOKEN });
  const token = await api.openAccount('acme');
  const secrets = memorySecretStore();
  await putIssued(secrets, apiKeyRef('acme'), { id: 'key_1', secret: token });
  domainId = (await api.post('/domains', { name: 'acme.test' }, { token })).json<{ id: string }>().id;
  idempotencyKeys = [];
  dns = { verified: false, conclusive: true };
  whileNameServersAreAsked = async () => undefined;
  activities = checkDomainActivities({
    operatorAccounts: noOperatorAccounts,
    provider: noting(client, idempotencyKeys),
    secrets,
    register: registered.register,
    async checkRecords(domain, expected): Promise<DomainCheck> {
      await whileNameServersAreAsked();
      const status = !dns.conclusive ? 'inconclusive' : dns.verified ? 'found' : 'missing';
      const checked = { host: '', zone: domain, nameServers: [], status, found: [], findings: [] } as const;
      const records = expected.map(({ purpose, type, name }) => ({ purpose, type, name, ...checked }));
      return { domain, zone: domain, records, ...dns };
    },
  });
});

afterEach(async () => {
  await client.close();
  await api.end();
  await registered.end();
});

/** The provider as it is, with the keys of POST /verify noted. */
const noting = (provider: EmailProvider, keys: string[]): EmailProvider => ({
  ...provider,
  withKey(token) {
    const account = provider.withKey(token);
    return {
      ...account,
      requestVerification(id, options) {
        keys.push(options.idempotencyKey);
        return account.requestVerification(id, options);
      },
    };
  },
});

const providerVerifies = () =>
  api.store.updateTable('domains').set({ status: 'verified' }).where('id', '=', domainId).execute();

/** @param value of each record. @default as it was registered */
async function providerFindsNothing(value?: string): Promise<void> {
  const { records } = await api.store
    .selectFrom('domains')
    .select('records')
    .where('id', '=', domainId)
    .executeTakeFirstOrThrow();
  const checked = records
    .replaceAll('"unchecked"', '"missing"')
    .replaceAll(/"value":"[^"]*"/gu, (asRegistered) => (value === undefined ? asRegistered : `"value":"${value}"`));
  await api.store.updateTable('domains').set({ records: checked }).where('id', '=', domainId).execute();
}

const step = { tenantId: 'acme', attemptId: 'run-1' };

/** The look of an attempt that fell due at this time. */
function lookAt(scheduledMs: number): Promise<DomainReport> {
  const patience = { waitingSince: DEADLINE, settleUntil: SETTLE_UNTIL };
  return inActivity(() => activities.checkDomain({ ...step, domainId, depth: 'zone', patience }), {
    ...{ activityId: '1', attempt: 1, currentAttemptScheduledTimestampMs: scheduledMs },
  });
}

describe('the final check', () => {
  test('reports a pending domain with a wrong zone at once', async () => {
    expect(await lookAt(DEADLINE)).toMatchObject({ verified: false, published: false, conclusive: true });
  });

  test.each([
    ['seen to be wrong', { verified: false, conclusive: true }, DEADLINE],
    ['silent for a day', { verified: false, conclusive: false }, SETTLE_UNTIL],
    ['published for a day', { verified: true, conclusive: true }, SETTLE_UNTIL],
  ])('reports a domain verified meanwhile, even if its zone was %s', async (_name, zone, at) => {
    dns = zone;
    whileNameServersAreAsked = providerVerifies;
    expect(await lookAt(at)).toMatchObject({ verified: true, published: true, conclusive: true });
  });

  test('retries instead of reporting F1 if the provider stops answering meanwhile', async () => {
    whileNameServersAreAsked = () => api.app.close();
    await expect(lookAt(SETTLE_UNTIL)).rejects.toMatchObject({ name: 'ProviderUnreachable' });
  });
});

describe('a poll', () => {
  const poll = (): Promise<UnansweredCheck> =>
    inActivity(
      () => activities.checkDomain({ ...step, domainId, depth: 'records', patience: { waitingSince: DEADLINE } }),
      { attempt: 1, currentAttemptScheduledTimestampMs: DEADLINE },
    ).then(
      () => expect.fail('the poll has an answer'),
      (error: unknown) => error as UnansweredCheck,
    );

  test("has seen nothing before the provider's first check, and comes again in seconds", async () => {
    const unchecked = await poll();
    expect(unchecked).toMatchObject({ name: 'UnansweredCheck', records: undefined });
    expect(unchecked.failure.nextRetryDelay).toBeLessThan(10_000);

    await providerFindsNothing();
    const missing = await poll();
    expect(missing.records?.map(({ status }) => status)).toContain('missing');
    expect(missing.failure.nextRetryDelay).toBeGreaterThan(40_000);
  });
});

describe('the check after a wake-up', () => {
  const check = (knownCause?: string): Promise<DomainReport | null> =>
    inActivity(
      () =>
        activities.checkDomain({
          ...{ ...step, domainId, depth: 'records', cancelRequested: false },
          patience: { waitingSince: DEADLINE, ...(knownCause !== undefined && { knownCause }) },
        }),
      { isLocal: true, currentAttemptScheduledTimestampMs: DEADLINE },
    );

  test("leaves to a poll what is new, before the provider's first check, or too long for a history", async () => {
    expect(await check('')).toBeNull();
    await providerFindsNothing();
    expect(await check('spf_missing')).toBeNull();
    expect((await check(''))?.records.map(({ status }) => status)).toContain('missing');
    expect(await check()).toMatchObject({ verified: false });
    await providerFindsNothing('x'.repeat(10_000));
    expect(await check('')).toBeNull();
    await providerVerifies();
    expect(await check('')).toMatchObject({ verified: true });
  });

  test('asks no name server for a provider that says nothing of the records', async () => {
    const withKey = client.withKey.bind(client);
    vi.spyOn(client, 'withKey').mockImplementation((token) => {
      const account = withKey(token);
      return {
        ...account,
        async getDomain(...asked) {
          const domain = await account.getDomain(...asked);
          return { ...domain, records: domain.records.map(({ status: _status, ...record }) => record) };
        },
      };
    });
    whileNameServersAreAsked = () => Promise.reject(new Error('a name server is asked'));
    await providerFindsNothing();
    expect(await check('')).toBeNull();
  });
});

describe('POST /domains/{id}/verify', () => {
  test('has a different key for each check, also after a reset to the same Activity Id and attempt', async () => {
    const day = Array.from({ length: 24 }, (_, hour) => DEADLINE + hour * 3_600_000);
    for (const at of day) await lookAt(at);
    expect(new Set(idempotencyKeys).size).toBe(day.length);
    expect(api.asked.filter((asked) => asked === `requestDomainCheck ${domainId}`)).toHaveLength(day.length);
  });
});
