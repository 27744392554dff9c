// While an onboarding is undone, its provider may be silent for a day: every surface says how it ends from the beginning. On the real
// server, because several onboardings end at once; those that take minutes or days on the time-skipping one.
import { EventEmitter, once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { showOnboarding } from '../../../src/cli/onboarding/show-onboarding.ts';
import { viewOfRecord } from '../../../src/http/setup-page/view-of-record.ts';
import { isNotified } from '../../../src/onboarding/onboarding-events.ts';
import { onboardingWorkflowId } from '../../../src/onboarding/onboarding-ids.ts';
import type { OnboardTenantInput } from '../../../src/onboarding/input.ts';
import type { Stage } from '../../../src/onboarding/stage.ts';
import { exitKey, reasonKey, stageKey } from '../../../src/workflows/search-attributes.ts';
import {
  currentDetailsOf,
  failureOf,
  inputOf,
  manyOnboardings,
  type OnboardingEnvironment,
  recipientOf,
  withOnboardings,
} from '../../support/onboarding-environment.ts';
import { answering, bounce, type Call, downForHours, noAnswer, notVerified } from '../../support/scripted-provider.ts';

interface Case {
  readonly tenantId: string;
  /** In which it ends. */
  readonly stage: Stage;
  readonly end: string;
  readonly exit: 'F1' | 'F2' | 'F3' | null;
  readonly input?: Partial<OnboardTenantInput>;
  /** The call of the stage, which the provider stops to answer; the onboarding is then cancelled. */
  readonly stopsAt?: Call;
}

const failures: readonly Case[] = [
  {
    tenantId: 'f1',
    stage: 'awaitingDomain',
    end: 'DomainVerificationTimedOut',
    exit: 'F1',
    input: { verificationWindow: '1 second' },
  },
  { tenantId: 'f3', stage: 'awaitingDelivery', end: 'EmailBounced', exit: 'F3', input: { undo: 'everything' } },
];

/** The provider refuses a call, or is down for it, until the onboarding fails. */
const lateFailures: readonly (Case & { readonly at?: Call; readonly error?: (call: Call) => Error })[] = [
  {
    ...{ tenantId: 'f2', stage: 'creatingSender', end: 'DomainNotVerified', exit: 'F2' },
    ...{ at: 'createSender', error: notVerified },
  },
  {
    ...{ tenantId: 'f2-late', stage: 'sendingFirstEmail', end: 'DomainNotVerified', exit: 'F2' },
    ...{ at: 'sendEmail', error: notVerified },
  },
  {
    ...{ tenantId: 'rejected', stage: 'registeringDomain', end: 'ProviderRejected', exit: null },
    ...{ at: 'createDomain', error: answering({ httpStatus: 422, code: 'validation_failed' }) },
  },
  {
    ...{ tenantId: 'unavailable', stage: 'creatingSender', end: 'ProviderUnavailable', exit: null },
    ...{ at: 'createSender', error: downForHours },
  },
  {
    ...{ tenantId: 'unconfirmed', stage: 'awaitingDelivery', end: 'DeliveryUnconfirmed', exit: null },
    input: { undo: 'everything' },
  },
];

const cancelled = (tenantId: string, stage: Stage, stopsAt: Call): Case => ({
  ...{ tenantId, stage, stopsAt },
  ...{ end: 'Cancelled', exit: null },
});
const cancellations: readonly Case[] = [
  cancelled('at-key', 'issuingKey', 'createApiKey'),
  cancelled('at-webhook', 'registeringWebhook', 'createWebhook'),
  cancelled('at-domain', 'registeringDomain', 'createDomain'),
  cancelled('at-wait', 'awaitingDomain', 'getDomain'),
  cancelled('at-sender', 'creatingSender', 'createSender'),
];
const keptCancellations: readonly Case[] = [
  cancelled('at-email', 'sendingFirstEmail', 'sendEmail'),
  cancelled('at-delivery', 'awaitingDelivery', 'getEmail'),
];

const cases = [...failures, ...cancellations, ...keptCancellations];
const caseOf = (tenantId: string): Case => cases.find((each) => each.tenantId === tenantId) ?? cases[0]!;

const isDeletion = (call: Call): boolean => call.startsWith('delete') || call === 'revokeApiKey';

const endings = ['onboarding.failed', 'onboarding.cancelled', 'onboarding.undo_ended', 'onboarding.terminated'];

/** What the five surfaces say. */
async function surfacesOf({ viewOf, recordOf, register, server }: OnboardingEnvironment, tenantId: string) {
  const handle = server.environment.client.workflow.getHandle(onboardingWorkflowId(tenantId));
  const [view, record, details, { typedSearchAttributes }, events] = await Promise.all([
    viewOf(tenantId),
    recordOf(tenantId),
    currentDetailsOf(handle),
    handle.describe(),
    register.events({ after: 0, tenantId, limit: 100 }),
  ]);
  const page = viewOfRecord(record);
  return {
    api: {
      outcome: view.outcome,
      stage: view.stage,
      exit: view.exit,
      failure: view.failure?.type ?? null,
      end: view.onboarding.badEnd?.type,
    },
    page: { state: page.state, end: page.end?.type },
    status: showOnboarding(view),
    temporal: {
      stage: typedSearchAttributes.get(stageKey),
      reason: typedSearchAttributes.get(reasonKey),
      exit: typedSearchAttributes.get(exitKey) ?? null,
      details,
    },
    notifications: events.filter(({ type }) => isNotified(type) && endings.includes(type)),
    remains: view.remains.map(({ step }) => step),
  };
}

/** While nothing answers the undo. */
async function expectShownWhileUndone(
  environment: OnboardingEnvironment,
  { tenantId, end, exit }: Case,
): Promise<void> {
  const { api, page, status, temporal, notifications, remains } = await surfacesOf(environment, tenantId);
  const failure = end === 'Cancelled' ? null : end;
  const state = failure === null ? 'cancelled' : 'failed';
  expect(api, tenantId).toEqual({ outcome: 'running', stage: 'undoing', exit, failure, end });
  expect(page, tenantId).toEqual({ state, end });
  expect(status, tenantId).toContain(failure === null ? 'Cancelled in stage' : `${end}: `);
  expect(status, tenantId).toContain('running, stage undoing');
  expect(temporal, tenantId).toMatchObject({ stage: 'undoing', exit });
  expect(temporal.details, tenantId).toContain(`**${end}${exit === null ? '' : ` (${exit})`}**`);
  expect(temporal.details, tenantId).toContain('The undo is running');
  expect(notifications.map(({ type, data }) => [type, data['undoing'], data['undo']])).toEqual([
    [`onboarding.${state}`, true, []],
  ]);
  expect(remains, tenantId).toContain('issueApiKey');
}

/** While nothing answers the undo. The time-skipping server cannot refuse an Update. */
async function expectCommandsRefused(
  { onboardings, claims }: OnboardingEnvironment,
  { tenantId, input: changed }: Case,
): Promise<void> {
  const input = inputOf(tenantId, changed ?? {});
  expect((await onboardings.start(input)).kind, tenantId).toBe('undoing');
  expect((await onboardings.restart(input)).kind, tenantId).toBe('undoing');
  const send = () => Promise.resolve();
  const extension = { idempotencyKey: undefined, beforeSending: send };
  const refused = { kind: 'refused', reason: expect.stringContaining('its stage is undoing') as string };
  expect(await onboardings.checkNow(tenantId, send), tenantId).toEqual(refused);
  expect(await onboardings.extend(tenantId, { hours: 1, by: 'ada', reason: 'x' }, extension), tenantId).toEqual(
    refused,
  );
  expect(
    await claims.claim({ tenantId, by: 'ada', apiTokenName: 'backend', idempotencyKey: undefined }),
    tenantId,
  ).toMatchObject({
    kind: 'notClaimable',
  });
}

/** Once the undo is over. */
async function expectShownAfterUndo(
  environment: OnboardingEnvironment,
  { tenantId, end }: Case,
  isNotifiedOfUndo = true,
): Promise<void> {
  const outcome = end === 'Cancelled' ? 'cancelled' : 'failed';
  const { api, page, notifications } = await surfacesOf(environment, tenantId);
  expect(api, tenantId).toMatchObject({ outcome, end });
  expect(page, tenantId).toEqual({ state: outcome, end });
  const types = notifications.map(({ type }) => type);
  expect(types, tenantId).toEqual([`onboarding.${outcome}`, ...(isNotifiedOfUndo ? ['onboarding.undo_ended'] : [])]);
  const { undo } = (await environment.recordOf(tenantId)).onboarding;
  expect(notifications.at(-1)?.data['undo'], tenantId).toEqual(undo);
  expect(undo.length, tenantId).toBeGreaterThan(0);
}

describe('with a provider that falls silent', () => {
  test('all five surfaces say how an onboarding ends from the beginning of its undo, and no command goes on with it', async () => {
    const silent = new Set<string>();
    const before = (call: Call, tenantId: string): void => {
      const { stopsAt } = caseOf(tenantId);
      if (call === stopsAt) silent.add(tenantId);
      if (isDeletion(call) && stopsAt === undefined && !isBack) silent.add(tenantId);
      if (silent.has(tenantId)) throw noAnswer(call);
    };
    let isBack = false;
    const script = {
      before: (call: Call, tenantId: string) => {
        if (!isBack) before(call, tenantId);
      },
      verified: (tenantId: string) => tenantId !== 'f1',
      outcome: (recipient: string) =>
        recipient === recipientOf('f3') ? ({ status: 'bounced', bounce } as const) : ('queued' as const),
    };
    await manyOnboardings(script, async (environment) => {
      const { start, onboardings, register, scripted } = environment;
      const handles = new Map(
        await Promise.all(
          cases.map(async ({ tenantId, input = {} }) => [tenantId, await start(inputOf(tenantId, input))] as const),
        ),
      );
      for (const { tenantId, stopsAt } of [...cancellations, ...keptCancellations]) {
        // The quick attempts are over, so that the cancellation takes effect.
        await expect
          .poll(() => scripted.calls.filter((made) => made.tenantId === tenantId && made.call === stopsAt).length, {
            timeout: 30_000,
          })
          .toBeGreaterThanOrEqual(3);
        await handles.get(tenantId)?.cancel();
      }
      for (const each of [...failures, ...cancellations]) {
        const { tenantId, end } = each;
        await expect
          .poll(async () => (await register.get(tenantId))?.onboarding.badEnd?.type, { timeout: 60_000 })
          .toBe(end);
        // The Search Attributes of a cancellation follow its record.
        await expect
          .poll(async () => (await surfacesOf(environment, tenantId)).temporal.reason, { timeout: 20_000 })
          .toBe(end);
        await expectShownWhileUndone(environment, each);
        await expectCommandsRefused(environment, each);
        await onboardings.cancel(tenantId);
      }
      isBack = true;
      for (const each of cases) {
        const outcome = each.end === 'Cancelled' ? 'cancelled' : 'failed';
        await expect
          .poll(async () => (await register.get(each.tenantId))?.outcome, { timeout: 120_000, interval: 500 })
          .toBe(outcome);
        await expectShownAfterUndo(environment, each, !keptCancellations.includes(each));
      }
      for (const { tenantId } of keptCancellations) {
        expect(scripted.existingOf(tenantId), tenantId).toEqual(scripted.createdFor(tenantId));
        const { remains } = await surfacesOf(environment, tenantId);
        expect(remains, tenantId).toEqual([
          ...['issueApiKey', 'registerWebhook', 'registerDomain', 'createSender', 'sendFirstEmail'],
        ]);
      }
    });
  }, 300_000);

  test.each(lateFailures)(
    '$tenantId: all five surfaces say how the onboarding ends while its undo is unanswered, and after it',
    async (late) => {
      const { tenantId, stage, end, exit, at, error } = late;
      const undo = new EventEmitter();
      const begun = once(undo, 'begun');
      const isBack = once(undo, 'isBack');
      const script = {
        outcome: () => 'queued' as const,
        // An Activity under way holds the server's clock.
        before: async (call: Call) => {
          if (call === at && error !== undefined) throw error(call);
          if (!isDeletion(call)) return;
          undo.emit('begun');
          await isBack;
        },
      };
      await withOnboardings(script, async (environment) => {
        const handle = await environment.start(inputOf(tenantId, late.input ?? {}));
        const failed = failureOf(handle);
        try {
          await begun;
          await expectShownWhileUndone(environment, late);
        } finally {
          undo.emit('isBack');
        }
        expect(await failed).toMatchObject({ type: end, details: { stage, exit } });
        await expectShownAfterUndo(environment, late);
      });
    },
  );
});
