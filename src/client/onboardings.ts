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
import { differingFields } from '../lib/differing-fields.ts';
import type { Register } from '../store/register.ts';
import {
  ONBOARDING_TASK_QUEUE,
  ONBOARDING_WORKFLOW_TYPE,
  onboardingStateQuery,
  providerReportedSignal,
} from '../workflows/messages.ts';
import { domainKey, tenantKey } from '../workflows/search-attributes.ts';
import type { Notification } from './notifications.ts';
import { temporalUi } from './temporal-ui.ts';
import { queried, timely } from './timely.ts';
import { type PendingActivity, waitingFor } from './waiting-for.ts';

export interface OnboardingView {
  tenantId: string;
  workflowId: string;
  runId: string;
  outcome: OnboardingOutcome;
  /** Null when it runs and no Worker answers just now. */
  onboarding: Onboarding | null;
  waitingFor: PendingActivity[];
  /** Null when Temporal no longer has the execution: then everything here is what the orchestrator has recorded. */
  historyEvents: number | null;
  result: OnboardTenantResult | null;
  failure: OnboardingFailure | null;
  /** What a failed, cancelled or terminated onboarding left at the provider; null when no Worker answers just now. */
  remains: Remaining[] | null;
  /** Null when the Temporal UI's address is not configured, or Temporal no longer has the execution. */
  uiUrl: string | null;
}

export type StartOutcome =
  | { kind: 'started' | 'alreadyThere'; view: OnboardingView }
  | { kind: 'different'; fields: string[]; workflowId: string };

export interface Onboardings {
  /** Starts what is not there, or what failed before; never a second one beside a running or successful one. */
  start(input: OnboardTenantInput): Promise<StartOutcome>;
  /** Starts a finished onboarding anew, also a successful one. Undefined when the tenant has none. */
  restart(input: OnboardTenantInput): Promise<StartOutcome | undefined>;
  /** Undefined when the tenant has none. */
  get(tenantId: string): Promise<OnboardingView | undefined>;
  /**
   * Asks the onboarding to stop and to take back what it made; it is over once `outcome` says so. One that has ended
   * stays as it is. Undefined when the tenant has none.
   */
  cancel(tenantId: string): Promise<OnboardingView | undefined>;
  /** Signals the Workflow to check now. False when the onboarding has ended or never existed. */
  notify(tenantId: string, notification: Notification): Promise<boolean>;
}

/** The backend's side of `onboardTenant`. Throws what the Temporal Client throws when the server is out of reach. */
export function createOnboardings(
  client: Client,
  options: { register: Register; uiUrl: string | undefined; taskQueue?: string },
): Onboardings {
  const { register, taskQueue = ONBOARDING_TASK_QUEUE } = options;
  const ui = temporalUi(options.uiUrl, client.options.namespace);
  const handleOf = (tenantId: string): WorkflowHandle => client.workflow.getHandle(onboardingWorkflowId(tenantId));

  /** Undefined when Temporal has none: there was none, or the Namespace's retention has deleted it. */
  async function describe(tenantId: string): Promise<WorkflowExecutionDescription | undefined> {
    try {
      return await timely(client, () => handleOf(tenantId).describe());
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return undefined;
      throw error;
    }
  }

  async function get(tenantId: string, known?: Onboarding): Promise<OnboardingView | undefined> {
    const description = await describe(tenantId);
    // Read after it, so that what had ended by then is in the record.
    const record = await register.get(tenantId);
    if (description === undefined) return record && recordedView(record);
    const shown = await executionView(tenantId, description, known);
    const isOfRecord = record?.attemptId === attemptIdOf(description);
    if (shown.outcome === 'running') return isOfRecord ? withLastLook(shown.view, record) : shown.view;
    if (record !== undefined && (shown.endedBefore || (isOfRecord && hasEnded(record)))) {
      const { historyEvents, runId, uiUrl } = shown.view;
      return { ...recordedView(record), historyEvents, runId, uiUrl };
    }
    if (record === undefined || isOfRecord) await recordWhatWasSeen(description, shown.view, record);
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

  /** A termination records nothing, and neither did earlier versions: kept now, before Temporal deletes the execution. */
  async function recordWhatWasSeen(
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
      outcome,
      onboarding: lastState,
      result,
      failure,
    });
  }

  /**
   * What stands against a start although Temporal would allow it: a success whose execution is deleted or was reset, or an
   * execution that vanished without an end on record.
   */
  async function standsAgainst(tenantId: string): Promise<OnboardingRecord | undefined> {
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
          ],
          memo: { input: withHashedBody(input) },
        }),
      );
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      const description = await timely(client, () => handleOf(tenantId).describe());
      return compared(input, memoInputOf(description));
    }
    // Nothing is known of it yet but what it begins with.
    return { kind: 'started', view: await viewOf(tenantId, newOnboarding(input)) };
  }

  async function compared(input: OnboardTenantInput, there: OnboardTenantInput | null): Promise<StartOutcome> {
    // Without it something else started the Workflow, and nothing can be said about its input.
    const fields =
      there === null
        ? ['(unknown)']
        : differingFields(comparableOnboarding(withHashedBody(input)), comparableOnboarding(there));
    return fields.length > 0
      ? { kind: 'different', fields, workflowId: onboardingWorkflowId(input.tenantId) }
      : { kind: 'alreadyThere', view: await viewOf(input.tenantId) };
  }

  /** Of a tenant that has an onboarding. */
  async function viewOf(tenantId: string, known?: Onboarding): Promise<OnboardingView> {
    const view = await get(tenantId, known);
    if (view === undefined) throw new Error(`the onboarding of ${tenantId} was deleted meanwhile`);
    return view;
  }

  return {
    async start(input) {
      const record = await standsAgainst(input.tenantId);
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
        // Not there, or over already: the view tells which.
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

/** An attempt of a poll that fails leaves nothing in the Workflow: what the last one saw is in the record. */
function withLastLook(view: OnboardingView, { onboarding: { domainId, records } }: OnboardingRecord): OnboardingView {
  const { onboarding } = view;
  if (onboarding?.domainId !== domainId) return view;
  return { ...view, onboarding: { ...onboarding, records } };
}

/** What the record alone tells. An execution that is gone without an end on record was terminated, or deleted while it ran. */
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

/** A new start takes over what these have left. */
const restartable: readonly OnboardingOutcome[] = ['failed', 'cancelled', 'terminated'];

const hasEnded = ({ outcome }: OnboardingRecord): boolean => outcome !== 'running' && outcome !== 'terminated';

/** The first Run Id of the chain, which a reset keeps. */
function attemptIdOf({ raw, runId }: WorkflowExecutionDescription): string {
  const firstRunId = raw.workflowExecutionInfo?.firstRunId ?? '';
  return firstRunId === '' ? runId : firstRunId;
}

const memoInputOf = ({ memo }: WorkflowExecutionDescription): OnboardTenantInput | null =>
  (memo?.['input'] as OnboardTenantInput | undefined) ?? null;

/** What is kept in the memo to compare a later start with: a hash in place of the body, which may be large. */
function withHashedBody(input: OnboardTenantInput): OnboardTenantInput {
  const body = createHash('sha256').update(input.firstEmail.body).digest('hex');
  return { ...input, firstEmail: { ...input.firstEmail, body } };
}

const outcomes: Partial<Record<WorkflowExecutionDescription['status']['name'], OnboardingView['outcome']>> = {
  COMPLETED: 'onboarded',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
  TERMINATED: 'terminated',
  TIMED_OUT: 'terminated',
};

interface End extends Pick<OnboardingView, 'result' | 'failure'> {
  /** The run found that its onboarding had ended in another run. */
  readonly endedBefore: boolean;
}

const noEnd: End = { result: null, failure: null, endedBefore: false };

async function endOf(handle: WorkflowHandle): Promise<End> {
  try {
    return { ...noEnd, result: (await handle.result()) as OnboardTenantResult };
  } catch (error) {
    const cause = error instanceof WorkflowFailedError ? error.cause : undefined;
    const endedBefore = cause instanceof ApplicationFailure && cause.type === ONBOARDING_ENDED;
    return { ...noEnd, failure: onboardingFailure(error) ?? null, endedBefore };
  }
}

/** The typed failure inside what `handle.result()` throws; undefined for a cancelled or terminated onboarding. */
export function onboardingFailure(error: unknown): OnboardingFailure | undefined {
  if (!(error instanceof WorkflowFailedError) || error.cause instanceof CancelledFailure) return undefined;
  const { cause } = error;
  if (!(cause instanceof ApplicationFailure) || !isFailureType(cause.type)) return undefined;
  const details = cause.details?.[0] as FailureContext;
  return { type: cause.type, message: cause.message, details } as OnboardingFailure;
}
