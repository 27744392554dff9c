import { cancellationSignal } from '@temporalio/activity';
import type { WorkflowHandle } from '@temporalio/client';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { ProviderUnreachable } from '../../../src/email-provider/provider-error.ts';
import { whatRemains } from '../../../src/onboarding/what-remains.ts';
import { onboardingWorkflowId } from '../../../src/onboarding/onboarding-ids.ts';
import { checkNowUpdate, onboardingStateQuery, providerReportedSignal } from '../../../src/workflows/messages.ts';
import { stageKey } from '../../../src/workflows/search-attributes.ts';
import { gate, heldCalls } from '../../support/held-calls.ts';
import {
  cancel,
  currentDetailsOf,
  expectCancelled,
  failureOf,
  inputOf,
  manyOnboardings,
  realServer,
  recipientOf,
  validInput,
  withOnboardings,
} from '../../support/onboarding-environment.ts';
import { bounce, type Call, failing, noAnswer, notVerified } from '../../support/scripted-provider.ts';

// On the real server: when an Activity is asked to cancel during an attempt that then fails, it ends with that
// failure and not as cancelled. The time-skipping server keeps retrying it.

type HistoryEvent = NonNullable<Awaited<ReturnType<WorkflowHandle['fetchHistory']>>['events']>[number];

/** The history has an event with these attributes. */
const untilEvent = (handle: WorkflowHandle, attributes: keyof HistoryEvent): Promise<void> =>
  expect
    .poll(async () => (await handle.fetchHistory()).events?.some((event) => event[attributes]), { timeout: 20_000 })
    .toBe(true);

describe('during an attempt', () => {
  test('a wake-up during a check that finds nothing causes another check, and the onboarding continues', async () => {
    const check = heldCalls((call) => call === 'getDomain');
    await withOnboardings(
      { verified: () => false, before: check.hold },
      async ({ start, scripted }) => {
        const handle = await start();
        await check.untilHeld();
        await handle.signal(providerReportedSignal, { eventId: 'evt_1', type: 'domain.verified' });
        await expect.poll(async () => (await handle.query(onboardingStateQuery)).wakeUps).toBe(1);
        check.letGo();
        await expect.poll(() => scripted.count('getDomain'), { timeout: 10_000 }).toBeGreaterThan(1);
        scripted.script.verified = () => true;
        await handle.signal(providerReportedSignal, { eventId: 'evt_2', type: 'domain.verified' });
        await handle.result();
      },
      { startServer: realServer },
    );
  });

  test('a deadline during a check that finds nothing ends as F1', async () => {
    // The first check is over when the wait begins.
    let checks = 0;
    const check = heldCalls((call) => call === 'getDomain' && ++checks > 1);
    await withOnboardings(
      { verified: () => false, before: check.hold },
      async ({ start }) => {
        const handle = await start(validInput({ verificationWindow: '1 second' }));
        await check.untilHeld();
        await untilEvent(handle, 'timerFiredEventAttributes');
        check.letGo();
        expect(await failureOf(handle)).toMatchObject({
          type: 'DomainVerificationTimedOut',
          message: expect.stringContaining('within 1 second') as string,
        });
      },
      { startServer: realServer },
    );
  });

  test('a cancel during an attempt that then fails undoes everything', async () => {
    // The two quick attempts fail at once, so that the step is a regular Activity when it is cancelled.
    const quick = failing('createSender', noAnswer, 2);
    const step = heldCalls((call) => call === 'createSender');
    const patient = failing('createSender', noAnswer, 1);
    const before = async (call: Call, tenantId: string): Promise<void> => {
      quick(call);
      await step.hold(call, tenantId);
      patient(call);
    };
    await withOnboardings(
      { before },
      async ({ start, scripted }) => {
        const handle = await start();
        await step.untilHeld();
        await handle.cancel();
        await untilEvent(handle, 'activityTaskCancelRequestedEventAttributes');
        step.letGo();
        await expectCancelled(handle);
        expect([...scripted.existing]).toEqual([]);
      },
      { startServer: realServer },
    );
  });

  test('a cancel during a quick attempt lets the attempt end, and undoes what it created', async () => {
    const { open: letGo, opened: released } = gate();
    const after = async (call: Call): Promise<void> => {
      if (call !== 'createDomain') return;
      // As the HTTP client does: a request that is aborted has no answer.
      const signal = cancellationSignal();
      const aborted = once(signal, 'abort').then(() => {
        throw new ProviderUnreachable('POST /domains', 'aborted');
      });
      await Promise.race([released, aborted]);
    };
    await withOnboardings(
      { after },
      async ({ server, scripted }) => {
        const handle = await server.environment.client.workflow.start('onboardTenant', {
          workflowId: onboardingWorkflowId('acme'),
          taskQueue: 'onboarding-test',
          args: [validInput()],
          // Local Activities that take longer than this get another Workflow Task, which brings the cancellation.
          workflowTaskTimeout: '2 seconds',
        });
        await expect.poll(() => scripted.count('createDomain'), { timeout: 20_000 }).toBe(1);
        await handle.cancel();
        await untilTaskAfterCancel(handle);
        letGo();
        await expectCancelled(handle);
        expect([...scripted.existing]).toEqual([]);
        const { domainId, undo } = await handle.query(onboardingStateQuery);
        expect(domainId).toBe('dom_3');
        expect(undo[0]).toMatchObject({ step: 'registerDomain', resourceId: 'dom_3', result: 'undone' });
        expect(scripted.count('getDomain')).toBe(0);
      },
      { startServer: realServer },
    );
  });
});

/** The Workflow Task that delivers the cancellation has begun. */
async function untilTaskAfterCancel(handle: WorkflowHandle): Promise<void> {
  const hasBegun = async (): Promise<boolean> => {
    const { events = [] } = await handle.fetchHistory();
    const cancelAt = events?.findIndex((event) => event.workflowExecutionCancelRequestedEventAttributes) ?? -1;
    return cancelAt >= 0 && events?.slice(cancelAt).some((event) => event.workflowTaskStartedEventAttributes) === true;
  };
  await expect.poll(hasBegun, { timeout: 20_000, interval: 50 }).toBe(true);
}

const untilCancelRequested = (handle: WorkflowHandle): Promise<void> =>
  untilEvent(handle, 'workflowExecutionCancelRequestedEventAttributes');

describe('a cancel in every stage', () => {
  test('during the call of a stage undoes everything until the email is accepted, keeps it from then on, and reports each step once', async () => {
    // Each tenant is named for the call that is held while it is cancelled.
    const names: Partial<Record<string, Call>> = {
      'at-key': 'createApiKey',
      'at-webhook': 'createWebhook',
      'at-domain': 'createDomain',
      'at-wait': 'getDomain',
      'at-sender': 'createSender',
      'at-email': 'sendEmail',
      'at-delivery': 'getEmail',
    };
    const tenants = Object.keys(names);
    const held = heldCalls((call, tenantId) => names[tenantId] === call);
    // An email that has its outcome at once leaves nothing to cancel.
    await manyOnboardings({ before: held.hold, outcome: () => 'queued' }, async ({ start, scripted, recordOf }) => {
      const handles = new Map<string, WorkflowHandle>();
      // At once: a quick attempt that is held for four seconds would be given up.
      await Promise.all(tenants.map(async (tenantId) => handles.set(tenantId, await start(inputOf(tenantId)))));
      await held.untilHeld(tenants.length);
      await Promise.all([...handles.values()].map((handle) => handle.cancel()));
      await Promise.all([...handles.values()].map((handle) => untilCancelRequested(handle)));
      held.letGo();
      for (const [tenantId, handle] of handles) {
        await expectCancelled(handle, tenantId);
        const isAccepted = tenantId === 'at-email' || tenantId === 'at-delivery';
        const emails = scripted.emails.filter(({ recipient }) => recipient === recipientOf(tenantId));
        expect(emails, tenantId).toHaveLength(isAccepted ? 1 : 0);
        const made = scripted.createdFor(tenantId);
        expect(scripted.existingOf(tenantId), tenantId).toEqual(isAccepted ? made : []);
        const { undo, stage, badEnd } = await handle.query(onboardingStateQuery);
        expect({ stage, end: badEnd?.type }, tenantId).toEqual({ stage: 'done', end: 'Cancelled' });
        expect(
          undo.every(({ result }) => result === (isAccepted ? 'kept' : 'undone')),
          tenantId,
        ).toBe(true);
        expect(whatRemains((await recordOf(tenantId)).onboarding), tenantId).toHaveLength(isAccepted ? 5 : 0);
        expect(new Set(undo.map(({ step }) => step)).size, tenantId).toBe(undo.length);
        // Whatever was created stands in the report.
        const reported = undo.flatMap(({ resourceId }) => resourceId ?? []);
        const sent = undo.find(({ step }) => step === 'sendFirstEmail');
        // On a busy machine, the quick attempts are over before the answer.
        if (isAccepted) expect([null, emails[0]?.id], tenantId).toContain(sent?.resourceId);
        const ofResources = reported.filter((id) => id !== sent?.resourceId);
        expect(ofResources.toSorted(), tenantId).toEqual(made.toSorted());
      }
    });
  });

  test.each(['byExit', 'everything'] as const)(
    'of an email whose answer was lost keeps what it needs with undo: %s, and lists it without an id',
    async (undo) => {
      const after = failing('sendEmail', noAnswer);
      await manyOnboardings({ after }, async ({ start, scripted, recordOf }) => {
        const handle = await start(inputOf('acme', { undo }));
        // Both quick attempts have failed, and the patient one waits for its next attempt.
        await expect.poll(() => scripted.count('sendEmail'), { timeout: 20_000 }).toBeGreaterThanOrEqual(3);
        await cancel(handle);
        expect(scripted.emails).toHaveLength(1);
        expect(scripted.existingOf('acme')).toEqual(scripted.createdFor('acme'));
        const { onboarding } = await recordOf();
        expect(onboarding.undo[0]).toMatchObject({ step: 'sendFirstEmail', resourceId: null, result: 'kept' });
        expect(whatRemains(onboarding)).toContainEqual({ step: 'sendFirstEmail', resourceId: null });
      });
    },
  );

  test('that hides from a repeated Workflow Task the end that it has recorded changes nothing', async () => {
    await manyOnboardings({ verified: () => false }, async ({ start, register, recordOf, scripted }) => {
      const handle = await start(inputOf('acme'));
      const waits = async (): Promise<boolean> => (await register.get('acme'))?.onboarding.stage === 'awaitingDomain';
      await expect.poll(waits).toBe(true);
      const record = await recordOf();
      const { onboarding } = record;
      const result = {
        ...{ keyId: 'key_1', tokenRef: 'acme', domainId: 'dom_3', senderId: 'snd_4', emailId: 'eml_5' },
        ...{ deliveredAt: null, verifiedAfterMs: 1, polls: 2 },
      };
      const end = { outcome: 'onboarded', result, failure: null, at: new Date().toISOString() } as const;
      await register.end({ ...record, ...end, onboarding: { ...onboarding, stage: 'done' } });
      await handle.cancel();
      expect(await handle.result()).toEqual(result);
      expect(scripted.existingOf('acme')).toHaveLength(3);
      expect(await handle.query(onboardingStateQuery)).toMatchObject({ stage: 'done', badEnd: null, undo: [] });
      expect(await register.get('acme')).toMatchObject({ outcome: 'onboarded', result });
    });
  });

  test('while an email is sent that has its outcome at once comes too late', async () => {
    const waiting = new Set(['woken', 'asked']);
    const answeredChecks: string[] = [];
    // By the first check and by the first poll; the next one is a minute away. A poll that found the verified domain itself would
    // leave the Update to wait for the steps that are held.
    const isPolled = (tenantId: string): boolean => answeredChecks.filter((of) => of === tenantId).length >= 2;
    const held = heldCalls((call) => call === 'sendEmail');
    await manyOnboardings(
      {
        before: held.hold,
        after: (call, tenantId) => {
          if (call === 'getDomain') answeredChecks.push(tenantId);
        },
        verified: (tenantId) => !waiting.has(tenantId),
        outcome: (recipient) =>
          recipient === recipientOf('bounced')
            ? { status: 'bounced', bounce }
            : { status: 'delivered', deliveredAt: null },
      },
      async ({ start, scripted, register }) => {
        const woken = await start(inputOf('woken'));
        const asked = await start(inputOf('asked'));
        for (const handle of [woken, asked])
          await expect
            .poll(async () => (await handle.describe()).typedSearchAttributes.get(stageKey))
            .toBe('awaitingDomain');
        await expect.poll(() => [...waiting].every(isPolled)).toBe(true);
        waiting.clear();
        await woken.signal(providerReportedSignal, { eventId: 'evt_1', type: 'domain.verified' });
        const report = asked.executeUpdate(checkNowUpdate);
        const [delivered, bounced, signalled] = await Promise.all([
          start(inputOf('delivered')),
          start(inputOf('bounced')),
          start(inputOf('signalled')),
        ]);
        await held.untilHeld(5);
        // The answer of an Update does not wait for the steps that follow.
        expect(await report).toMatchObject({ verified: true });
        // Temporal refuses to complete a Workflow that it has asked to cancel meanwhile, and repeats the whole Workflow Task.
        await Promise.all([
          delivered.cancel(),
          bounced.cancel(),
          woken.cancel(),
          asked.cancel(),
          signalled.signal(providerReportedSignal, { eventId: 'evt_1', type: 'email.delivered' }),
        ]);
        held.letGo();
        expect(await delivered.result()).toMatchObject({ senderId: expect.stringMatching('snd_') });
        expect(scripted.existingOf('delivered')).toHaveLength(4);
        expect((await register.get('delivered'))?.outcome).toBe('onboarded');
        const failure = await failureOf(bounced);
        expect(failure.type).toBe('EmailBounced');
        expect((await register.get('bounced'))?.failure).toEqual(failure);
        for (const handle of [signalled, woken, asked])
          expect(await handle.result()).toMatchObject({ senderId: expect.stringMatching('snd_') });
        for (const handle of [delivered, bounced, signalled, woken, asked]) {
          expect((await handle.describe()).typedSearchAttributes.get(stageKey)).toBe('done');
          const shown = await handle.query(onboardingStateQuery);
          expect(shown).toEqual((await register.get(shown.tenantId))?.onboarding);
          expect(shown).toMatchObject({ stage: 'done', emailId: expect.stringMatching('eml_') });
          expect(await currentDetailsOf(handle)).not.toContain('⬜');
        }
      },
    );
  });

  test('takes effect in a pause of the wait, after F2 and in the final check', async () => {
    const tenants = ['waiting', 'refused', 'final-check'];
    await manyOnboardings(
      {
        verified: (tenantId) => tenantId === 'refused',
        dns: () => 'inconclusive',
        before: (call, tenantId) => {
          if (call === 'createSender' && tenantId === 'refused') throw notVerified(call);
        },
      },
      async ({ start, scripted }) => {
        const handles = new Map<string, WorkflowHandle>();
        for (const tenantId of tenants) {
          const window = tenantId === 'final-check' ? { verificationWindow: '1 second' } : {};
          handles.set(tenantId, await start(inputOf(tenantId, window)));
        }
        const pausing = (): boolean =>
          // The first check and the first poll.
          scripted.count('getDomain', 'waiting') === 2 &&
          scripted.count('createSender', 'refused') === 3 &&
          scripted.count('requestVerification', 'final-check') >= 1;
        await expect.poll(pausing, { timeout: 20_000 }).toBe(true);
        for (const [tenantId, handle] of handles) {
          await handle.cancel();
          await expectCancelled(handle, tenantId);
          expect(scripted.existingOf(tenantId), tenantId).toEqual([]);
          const { undo } = await handle.query(onboardingStateQuery);
          expect(
            undo.every(({ result }) => result === 'undone'),
            tenantId,
          ).toBe(true);
        }
      },
    );
  });

  test('during an undo does not interrupt it, neither a second cancel nor the first one after a failure', async () => {
    const held = heldCalls((call) => call === 'deleteWebhook');
    await manyOnboardings({ verified: () => false, before: held.hold }, async ({ start, scripted }) => {
      const twice = await start(inputOf('twice'));
      await expect.poll(() => scripted.count('getDomain', 'twice'), { timeout: 20_000 }).toBe(2);
      await twice.cancel();
      const late = await start(inputOf('late', { verificationWindow: '1 second' }));
      await held.untilHeld(2);
      // The report grows during the undo.
      expect((await late.query(onboardingStateQuery)).undo).toMatchObject([{ step: 'registerDomain', result: 'kept' }]);
      await twice.cancel();
      await late.cancel();
      await untilCancelRequested(late);
      held.letGo();
      await expectCancelled(twice);
      expect(scripted.existingOf('twice')).toEqual([]);
      const failure = await failureOf(late);
      expect(failure.type).toBe('DomainVerificationTimedOut');
      expect(failure.details.undo.map(({ result }) => result)).toEqual(['kept', 'undone', 'undone']);
    });
  });
});
