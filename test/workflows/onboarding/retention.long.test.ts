// On the real server, whose executions are deleted as the Namespace's retention deletes them.
import { type WorkflowHandle, WorkflowNotFoundError } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { OnboardingView } from '../../../src/client/onboarding/onboarding-view.ts';
import type { OnboardTenantInput } from '../../../src/onboarding/input.ts';
import { Stage } from '../../../src/onboarding/stage.ts';
import {
  inputOf,
  type OnboardingEnvironment,
  openOnboardings,
  recipientOf,
} from '../../support/onboarding-environment.ts';
import { bounce } from '../../support/scripted-provider.ts';

/** Tenants whose domain is not verified, and whose first email bounces; until a test fixes them. */
const troubled = new Set(['f1', 'f3', 'cancelled', 'deleted', 'terminated']);

let environment: OnboardingEnvironment;
let end: () => Promise<void>;
beforeAll(async () => {
  ({ environment, stop: end } = await openOnboardings({
    verified: (tenantId) => tenantId === 'f3' || !troubled.has(tenantId),
    outcome: (recipient) =>
      recipient === recipientOf('f3') && troubled.has('f3')
        ? { status: 'bounced', bounce }
        : { status: 'delivered', deliveredAt: '2026-01-02T03:04:05Z' },
  }));
});
afterAll(() => end());

const differing = (tenantId: string): OnboardTenantInput => ({
  ...inputOf(tenantId),
  firstEmail: { ...inputOf(tenantId).firstEmail, subject: 'Another welcome' },
});

/** Without what depends on when it is read. */
async function viewOf(tenantId: string): Promise<OnboardingView> {
  // As the sweep does, for executions that were terminated or deleted.
  await environment.recordEnd(tenantId);
  const view = await environment.viewOf(tenantId);
  return { ...view, ageSeconds: 0, updatedAt: '', temporal: { reachable: true, workers: 'unknown', checkedAt: '' } };
}

/** Hooks wait too, where `expect.poll` is refused. */
const until = (condition: () => Promise<void>, timeout = 20_000): Promise<void> =>
  vi.waitFor(condition, { timeout, interval: 200 });
const untilOutcome = (tenantId: string, outcome: OnboardingView['outcome']): Promise<void> =>
  until(async () => {
    expect((await viewOf(tenantId)).outcome).toBe(outcome);
  });
const untilItWaits = (tenantId: string): Promise<void> =>
  until(async () => {
    expect((await viewOf(tenantId)).onboarding.stage).toBe(Stage.awaitingDomain);
  });

/** The server takes half a minute to delete an execution that has ended. */
async function untilDeleted({ workflowId }: WorkflowHandle): Promise<void> {
  const { client } = environment.server.environment;
  await client.workflowService.deleteWorkflowExecution({
    namespace: environment.server.namespace,
    workflowExecution: { workflowId },
  });
  await until(
    () => expect(client.workflow.getHandle(workflowId).describe()).rejects.toBeInstanceOf(WorkflowNotFoundError),
    90_000,
  );
}

describe('a tenant whose execution Temporal has deleted', () => {
  const before = new Map<string, OnboardingView>();
  beforeAll(async () => {
    const { start, register, database } = environment;
    const handles = new Map<string, WorkflowHandle>();
    for (const tenantId of ['onboarded', 'unrecorded', 'f3', 'cancelled', 'deleted', 'terminated']) {
      handles.set(tenantId, await start(inputOf(tenantId)));
    }
    handles.set('f1', await start(inputOf('f1', { verificationWindow: '1 second' })));
    await Promise.all(['cancelled', 'deleted', 'terminated'].map(untilItWaits));
    await handles.get('cancelled')?.cancel();
    await handles.get('terminated')?.terminate();
    await untilOutcome('onboarded', 'onboarded');
    await untilOutcome('unrecorded', 'onboarded');
    for (const tenantId of ['f1', 'f3']) await untilOutcome(tenantId, 'failed');
    await untilOutcome('cancelled', 'cancelled');
    // As a version before the register has left it.
    await database.deleteFrom('onboardings').where('tenant_id', '=', 'unrecorded').execute();
    for (const tenantId of handles.keys()) before.set(tenantId, await viewOf(tenantId));
    expect(await register.get('unrecorded')).toMatchObject({ outcome: 'onboarded' });
    await Promise.all([...handles.values()].map(untilDeleted));
  }, 120_000);

  const kept = (tenantId: string): OnboardingView => {
    const view = before.get(tenantId);
    if (view === undefined) throw new Error(`${tenantId} was not seen`);
    return view;
  };

  test.each(['onboarded', 'unrecorded'])(
    'stays onboarded (%s): the same input joins it, another is refused, without a request to the provider',
    async (tenantId) => {
      const { scripted, onboardings, secretStore } = environment;
      const callsOf = () => scripted.calls.filter((call) => call.tenantId === tenantId).length;
      const [calls, secrets] = [callsOf(), new Map(secretStore.values)];
      const view = kept(tenantId);
      expect(view).toMatchObject({
        outcome: 'onboarded',
        remains: [],
        result: { emailId: expect.any(String) as string },
      });

      expect(await viewOf(tenantId)).toEqual(view);
      expect(await onboardings.start(inputOf(tenantId))).toMatchObject({ kind: 'alreadyThere' });
      expect(await viewOf(tenantId)).toEqual(view);
      expect(await onboardings.start(differing(tenantId))).toMatchObject({
        kind: 'different',
        fields: ['firstEmail.subject'],
      });
      const elsewhere = { domain: 'other.test', fromAddress: 'hello@other.test' };
      expect(await onboardings.start(inputOf(tenantId, elsewhere))).toMatchObject({
        kind: 'different',
        fields: ['domain', 'fromAddress'],
      });
      await onboardings.cancel(tenantId);
      expect(await viewOf(tenantId)).toEqual(view);

      expect(callsOf()).toBe(calls);
      expect(secretStore.values).toEqual(secrets);
      expect(JSON.stringify(await environment.register.get(tenantId))).not.toContain(inputOf(tenantId).firstEmail.body);
    },
  );

  test.each([
    ['f1', 'DomainVerificationTimedOut'],
    ['f3', 'EmailBounced'],
  ])('after %s shows its failure, and is started again with what was kept', async (tenantId, type) => {
    const view = kept(tenantId);
    expect(view).toMatchObject({ outcome: 'failed', failure: { type } });
    expect(await viewOf(tenantId)).toEqual(view);

    troubled.delete(tenantId);
    expect(await environment.onboardings.start(inputOf(tenantId))).toMatchObject({ kind: 'started' });
    await untilOutcome(tenantId, 'onboarded');
    expect((await viewOf(tenantId)).result).toMatchObject({ domainId: view.onboarding.domainId });
  });

  test('after a cancel shows what was undone, and can be started with another input', async () => {
    const view = kept('cancelled');
    expect(view).toMatchObject({ outcome: 'cancelled', failure: null, remains: [] });
    expect(view.onboarding.undo.map(({ step, result }) => `${step} ${result}`)).toEqual([
      'registerDomain undone',
      'registerWebhook undone',
      'issueApiKey undone',
    ]);
    expect(await viewOf('cancelled')).toEqual(view);
    expect(await environment.onboardings.start(differing('cancelled'))).toMatchObject({ kind: 'started' });
  });

  test('while it ran shows what it had made, and is started again on request', async () => {
    const { onboardings, scripted } = environment;
    const { keyId, webhookId, domainId } = kept('deleted').onboarding;
    expect(await onboardings.start(inputOf('deleted'))).toMatchObject({ kind: 'alreadyThere' });
    expect(await onboardings.start(differing('deleted'))).toMatchObject({ kind: 'different' });
    expect(await viewOf('deleted')).toMatchObject({
      outcome: 'terminated',
      remains: [
        { step: 'issueApiKey', resourceId: keyId },
        { step: 'registerWebhook', resourceId: webhookId },
        { step: 'registerDomain', resourceId: domainId },
      ],
    });
    expect(scripted.existingOf('deleted')).toEqual([keyId, webhookId, domainId]);

    troubled.delete('deleted');
    expect(await onboardings.restart(inputOf('deleted'))).toMatchObject({ kind: 'started' });
    await untilOutcome('deleted', 'onboarded');
    const { result } = await viewOf('deleted');
    expect(result).toMatchObject({ domainId });
    expect(scripted.existingOf('deleted')).not.toContain(keyId);
    expect(scripted.existingOf('deleted')).not.toContain(webhookId);
  });

  test('after a termination that was seen is started again, as while Temporal had it', async () => {
    expect(await viewOf('terminated')).toEqual(kept('terminated'));
    expect(await environment.onboardings.start(differing('terminated'))).toMatchObject({ kind: 'started' });
  });
});

describe('a deliberate new onboarding', () => {
  test('of an onboarded tenant replaces key and webhook, and sends no second copy of the same email', async () => {
    const { start, scripted, onboardings } = environment;
    const input = inputOf('anew');
    await (await start(input)).result();
    const [keyId, webhookId, ...lasting] = scripted.existingOf('anew');
    expect(await onboardings.restart(input)).toMatchObject({ kind: 'started' });
    await untilOutcome('anew', 'onboarded');
    const existing = scripted.existingOf('anew');
    expect(existing).toHaveLength(4);
    expect(existing).toEqual(expect.arrayContaining(lasting));
    expect(existing).not.toContain(keyId);
    expect(existing).not.toContain(webhookId);
    expect(scripted.emails.filter(({ recipient }) => recipient === recipientOf('anew'))).toHaveLength(1);
  });

  test('of a running one starts nothing: the same input joins it, another is refused', async () => {
    troubled.add('running');
    await environment.start(inputOf('running'));
    expect(await environment.onboardings.restart(inputOf('running'))).toMatchObject({ kind: 'alreadyThere' });
    expect(await environment.onboardings.restart(differing('running'))).toMatchObject({ kind: 'different' });
  });
});
