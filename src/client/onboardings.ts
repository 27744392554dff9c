import {
  type Client,
  type WorkflowExecutionDescription,
  WorkflowExecutionAlreadyStartedError,
  WorkflowFailedError,
  type WorkflowHandle,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { createHash } from 'node:crypto';
import { type FailureContext, isFailureType, type OnboardingFailure } from '../onboarding/failures.ts';
import { onboardingWorkflowId } from '../onboarding/onboarding-ids.ts';
import { comparableOnboarding, type OnboardTenantInput } from '../onboarding/input.ts';
import { newOnboarding, type Onboarding } from '../onboarding/onboarding.ts';
import { ONBOARDING_ENDED } from '../onboarding/onboarding-ended.ts';
import type { OnboardingOutcome, OnboardingRecord, OnboardTenantResult } from '../onboarding/onboarding-record.ts';
import { type Remaining, whatRemains } from '../onboarding/what-remains.ts';
import { Stage } from '../onboarding/stage.ts';
import { differingFields } from '../lib/differing-fields.ts';
import type { Register } from '../store/register.ts';
import {
  ONBOARDING_TASK_QUEUE,
  ONBOARDING_WORKFLOW_TYPE,
  onboardingStateQuery,
  providerReportedSignal,
} from '../workflows/messages.ts';
import { domainKey, stageKey, tenantKey } from '../workflows/search-attributes.ts';
import type { Notification } from './notifications.ts';
import { temporalUi } from './temporal-ui.ts';
import { described, queried, timely } from './timely.ts';
import { type PendingActivity, waitingFor } from './waiting-for.ts';

export interface OnboardingView {
  tenantId: string;
  workflowId: string;
  runId: string;
  outcome: OnboardingOutcome;
  /** Null if no Worker answers. */
  onboarding: Onboarding | null;
  waitingFor: PendingActivity[];
  /** Null if Temporal no longer has the execution: the view then comes from the register. */
  historyEvents: number | null;
  result: OnboardTenantResult | null;
  failure: OnboardingFailure | null;
  /** What a failed, cancelled or terminated onboarding left at the provider; null if no Worker answers. */
  remains: Remaining[] | null;
  /** Null if the Temporal UI's address is not configured, or Temporal no longer has the execution. */
  uiUrl: string | null;
}

export type StartOutcome =
  | { kind: 'started' | 'alreadyThere'; view: OnboardingView }
  | { kind: 'different'; fields: string[]; workflowId: string };

export interface Onboardings {
  /** Starts an onboarding unless the tenant has a running or successful one. */
  start(input: OnboardTenantInput): Promise<StartOutcome>;
  /** Starts an onboarding that has ended again, even a successful one. Undefined if the tenant has none. */
  restart(input: OnboardTenantInput): Promise<StartOutcome | undefined>;
  /** Undefined if the tenant has none. */
  get(tenantId: string): Promise<OnboardingView | undefined>;
  /**
   * Asks the onboarding to stop and to undo what it created; it has stopped when `outcome` is `cancelled`. An onboarding that
   * has already ended does not change. Undefined if the tenant has none.
   */
  cancel(tenantId: string): Promise<OnboardingView | undefined>;
  /** Signals the Workflow to check now. False when the onboarding has ended or never existed. */
  notify(tenantId: string, notification: Notification): Promise<boolean>;
}

/** Starts, describes and cancels onboardings. Throws the Temporal Client's error if the server cannot be reached. */
export function createOnboardings(
  client: Client,
  options: { register: Register; uiUrl: string | undefined; taskQueue?: string },
): Onboardings {
  const { register, taskQueue = ONBOARDING_TASK_QUEUE } = options;
  const ui = temporalUi(options.uiUrl, client.options.namespace);
  const handleOf = (tenantId: string): WorkflowHandle => client.workflow.getHandle(onboardingWorkflowId(tenantId));

  const describe = (tenantId: string) => described(client, onboardingWorkflowId(tenantId));

  async function get(tenantId: string, known?: Onboarding): Promise<OnboardingView | undefined> {
    const description = await describe(tenantId);
    // Read second: an onboarding that had ended by the first read is in the record.
    const record = await register.get(tenantId);
    if (description === undefined) return record && recordedView(record);
    const shown = await executionView(tenantId, description, known);
    const isOfRecord = record?.attemptId === attemptIdOf(description);
    if (shown.outcome === 'running') return isOfRecord ? withLastCheck(shown.view, record) : shown.view;
    if (record !== undefined && (shown.endedBefore || (isOfRecord && hasEnded(record)))) {
      const { historyEvents, runId, uiUrl } = shown.view;
      return { ...recordedView(record), historyEvents, runId, uiUrl };
    }
    if (record === undefined || isOfRecord) await recordEnd(description, shown.view, record);
    return shown.view;
  }

  async function executionView(tenantId: string, description: WorkflowExecutionDescription, known?: Onboarding) {
    const pinned = client.workflow.getHandle(description.workflowId, description.runId);
    const outcome = outcomes[description.status.name] ?? 'running';
    const onboarding = known ?? (await queried(client, () => pinned.query(onboardingStateQuery)));
    const { result, failure, endedBefore } = outcome === 'running' ? noEnd : await endOf(pinned);
    const view: OnboardingView = {
      tenantId,
      workflowId: description.workflowId,
      runId: description.runId,
      outcome,
      onboarding,
      waitingFor: waitingFor(description),
      historyEvents: description.historyLength,
      result,
      failure,
      remains: remainsOf(outcome, onboarding),
      uiUrl: ui.workflowUrl(description),
    };
    return { outcome, endedBefore, view };
  }

  /** Terminated runs and runs of older versions did not record their end; record it before Temporal deletes the execution. */
  async function recordEnd(
    description: WorkflowExecutionDescription,
    { tenantId, runId, outcome, onboarding, result, failure }: OnboardingView,
    record: OnboardingRecord | undefined,
  ): Promise<void> {
    const lastState = onboarding ?? record?.onboarding;
    if (lastState === undefined || record?.outcome === outcome) return;
    await register.end({
      tenantId,
      attemptId: attemptIdOf(description),
      startedAt: record?.startedAt ?? description.startTime.toISOString(),
      startedWith: memoInputOf(description),
      runId,
      at: (description.closeTime ?? new Date()).toISOString(),
      outcome,
      onboarding: lastState,
      result,
      failure,
    });
  }

  /**
   * The record that forbids a start which Temporal would allow: a success whose execution was deleted or reset, or an
   * execution that was deleted without a recorded end.
   */
  async function recordForbidding(tenantId: string): Promise<OnboardingRecord | undefined> {
    const record = await register.get(tenantId);
    if (record === undefined || restartable.includes(record.outcome)) return undefined;
    const description = await describe(tenantId);
    if (description?.status.name === 'RUNNING') return undefined;
    return record.outcome === 'onboarded' || description === undefined ? record : undefined;
  }

  async function begin(
    input: OnboardTenantInput,
    workflowIdReusePolicy: 'ALLOW_DUPLICATE' | 'ALLOW_DUPLICATE_FAILED_ONLY',
  ): Promise<StartOutcome> {
    const { tenantId } = input;
    try {
      await timely(client, () =>
        client.workflow.start(ONBOARDING_WORKFLOW_TYPE, {
          workflowId: onboardingWorkflowId(tenantId),
          taskQueue,
          args: [input],
          workflowIdReusePolicy,
          workflowIdConflictPolicy: 'FAIL',
          staticSummary: `${tenantId}: ${input.domain}`,
          typedSearchAttributes: [
            { key: tenantKey, value: tenantId },
            { key: domainKey, value: input.domain },
            { key: stageKey, value: Stage.issuingKey },
          ],
          memo: { input: withHashedBody(input) },
        }),
      );
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      const description = await timely(client, () => handleOf(tenantId).describe());
      return compared(input, memoInputOf(description));
    }
    // The Workflow has not reported any state yet.
    return { kind: 'started', view: await viewOf(tenantId, newOnboarding(input)) };
  }

  async function compared(input: OnboardTenantInput, there: OnboardTenantInput | null): Promise<StartOutcome> {
    // Another program started the Workflow, without the memo that holds its input.
    const fields =
      there === null
        ? ['(unknown)']
        : differingFields(comparableOnboarding(withHashedBody(input)), comparableOnboarding(there));
    return fields.length > 0
      ? { kind: 'different', fields, workflowId: onboardingWorkflowId(input.tenantId) }
      : { kind: 'alreadyThere', view: await viewOf(input.tenantId) };
  }

  /** For a tenant that has an onboarding. */
  async function viewOf(tenantId: string, known?: Onboarding): Promise<OnboardingView> {
    const view = await get(tenantId, known);
    if (view === undefined) throw new Error(`the onboarding of ${tenantId} was deleted concurrently`);
    return view;
  }

  return {
    async start(input) {
      const record = await recordForbidding(input.tenantId);
      return record === undefined ? begin(input, 'ALLOW_DUPLICATE_FAILED_ONLY') : compared(input, record.startedWith);
    },

    async restart(input) {
      return (await get(input.tenantId)) && begin(input, 'ALLOW_DUPLICATE');
    },

    get: (tenantId) => get(tenantId),

    async cancel(tenantId) {
      try {
        await timely(client, () => handleOf(tenantId).cancel());
      } catch (error) {
        // It does not exist or has ended: the view shows which.
        if (!(error instanceof WorkflowNotFoundError)) throw error;
      }
      return get(tenantId);
    },

    async notify(tenantId, notification) {
      try {
        await timely(client, () => handleOf(tenantId).signal(providerReportedSignal, notification));
        return true;
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return false;
        throw error;
      }
    },
  };
}

/** A failed poll leaves nothing in the Workflow: the record has the DNS records of the last check. */
function withLastCheck(view: OnboardingView, { onboarding: { domainId, records } }: OnboardingRecord): OnboardingView {
  const { onboarding } = view;
  if (onboarding?.domainId !== domainId) return view;
  return { ...view, onboarding: { ...onboarding, records } };
}

/** The view without an execution: one that has no recorded end was terminated, or deleted while it ran. */
function recordedView(record: OnboardingRecord): OnboardingView {
  const { tenantId, runId, onboarding, result, failure } = record;
  const outcome = record.outcome === 'running' ? 'terminated' : record.outcome;
  return {
    tenantId,
    workflowId: onboardingWorkflowId(tenantId),
    runId,
    outcome,
    onboarding,
    waitingFor: [],
    historyEvents: null,
    result,
    failure,
    remains: remainsOf(outcome, onboarding),
    uiUrl: null,
  };
}

function remainsOf(outcome: OnboardingOutcome, onboarding: Onboarding | null): Remaining[] | null {
  if (outcome === 'running' || outcome === 'onboarded') return [];
  return onboarding === null ? null : whatRemains(onboarding);
}

/** A new start adopts what these left. */
const restartable: readonly OnboardingOutcome[] = ['failed', 'cancelled', 'terminated'];

const hasEnded = ({ outcome }: OnboardingRecord): boolean => outcome !== 'running' && outcome !== 'terminated';

/** The first Run Id of the chain: a reset keeps it. */
export function attemptIdOf({ raw, runId }: WorkflowExecutionDescription): string {
  const firstRunId = raw.workflowExecutionInfo?.firstRunId ?? '';
  return firstRunId === '' ? runId : firstRunId;
}

const memoInputOf = ({ memo }: WorkflowExecutionDescription): OnboardTenantInput | null =>
  (memo?.['input'] as OnboardTenantInput | undefined) ?? null;

/** The form kept in the memo, to compare later starts with: a hash replaces the body, which may be large. */
function withHashedBody(input: OnboardTenantInput): OnboardTenantInput {
  const body = createHash('sha256').update(input.firstEmail.body).digest('hex');
  return { ...input, firstEmail: { ...input.firstEmail, body } };
}

export const outcomes: Partial<Record<WorkflowExecutionDescription['status']['name'], OnboardingView['outcome']>> = {
  COMPLETED: 'onboarded',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
  TERMINATED: 'terminated',
  TIMED_OUT: 'terminated',
};

interface End extends Pick<OnboardingView, 'result' | 'failure'> {
  /** The run found that its onboarding had already ended in another run. */
  readonly endedBefore: boolean;
}

const noEnd: End = { result: null, failure: null, endedBefore: false };

export async function endOf(handle: WorkflowHandle): Promise<End> {
  try {
    return { ...noEnd, result: (await handle.result()) as OnboardTenantResult };
  } catch (error) {
    const cause = error instanceof WorkflowFailedError ? error.cause : undefined;
    const endedBefore = cause instanceof ApplicationFailure && cause.type === ONBOARDING_ENDED;
    return { ...noEnd, failure: onboardingFailure(error) ?? null, endedBefore };
  }
}

/** The typed failure in an error of `handle.result()`; undefined for a cancelled or terminated onboarding. */
export function onboardingFailure(error: unknown): OnboardingFailure | undefined {
  if (!(error instanceof WorkflowFailedError) || error.cause instanceof CancelledFailure) return undefined;
  const { cause } = error;
  if (!(cause instanceof ApplicationFailure) || !isFailureType(cause.type)) return undefined;
  const details = cause.details?.[0] as FailureContext;
  return { type: cause.type, message: cause.message, details } as OnboardingFailure;
}
