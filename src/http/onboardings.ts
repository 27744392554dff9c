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
import { onboardingWorkflowId } from '../onboarding/ids.ts';
import { differingFields, type OnboardTenantInput } from '../onboarding/input.ts';
import { newOnboarding, type Onboarding } from '../onboarding/onboarding.ts';
import { type Remaining, whatRemains } from '../onboarding/what-remains.ts';
import {
  ONBOARDING_TASK_QUEUE,
  ONBOARDING_WORKFLOW_TYPE,
  onboardingStateQuery,
  providerReportedSignal,
} from '../workflows/messages.ts';
import type { OnboardTenantResult } from '../workflows/onboard-tenant.ts';
import { domainKey, tenantKey } from '../workflows/search-attributes.ts';
import { temporalUi } from './temporal-ui.ts';
import { queried, timely } from './timely.ts';
import { type PendingActivity, waitingFor } from './waiting-for.ts';

export interface OnboardingView {
  tenantId: string;
  workflowId: string;
  runId: string;
  /** What the Workflow Execution came to; `running` until it ends. */
  outcome: 'running' | 'onboarded' | 'failed' | 'cancelled' | 'terminated';
  /** Null when no Worker answers just now. */
  onboarding: Onboarding | null;
  waitingFor: PendingActivity[];
  historyEvents: number;
  result: OnboardTenantResult | null;
  failure: OnboardingFailure | null;
  /** What a failed, cancelled or terminated onboarding left at the provider; null when no Worker answers just now. */
  remains: Remaining[] | null;
  /** Null when the Temporal UI's address is not configured. */
  uiUrl: string | null;
}

export type StartOutcome =
  | { kind: 'started' | 'alreadyThere'; view: OnboardingView }
  | { kind: 'different'; fields: string[]; workflowId: string };

export interface Onboardings {
  /** Starts what is not there, or what failed before; never a second one beside a running or successful one. */
  start(input: OnboardTenantInput): Promise<StartOutcome>;
  /** Undefined when the tenant has none. */
  get(tenantId: string): Promise<OnboardingView | undefined>;
  /**
   * Asks the onboarding to stop and to take back what it made; it is over once `outcome` says so. One that has ended
   * stays as it is. Undefined when the tenant has none.
   */
  cancel(tenantId: string): Promise<OnboardingView | undefined>;
  /** Hands a webhook on as a hint. False when the onboarding is over, or was never there. */
  poke(tenantId: string, hint: { eventId: string; type: string }): Promise<boolean>;
}

/** The backend's side of `onboardTenant`. Throws what the Temporal Client throws when the server is out of reach. */
export function createOnboardings(
  client: Client,
  options: { uiUrl: string | undefined; taskQueue?: string },
): Onboardings {
  const { taskQueue = ONBOARDING_TASK_QUEUE } = options;
  const ui = temporalUi(options.uiUrl, client.options.namespace);
  const handleOf = (tenantId: string): WorkflowHandle => client.workflow.getHandle(onboardingWorkflowId(tenantId));

  async function view(tenantId: string, handle: WorkflowHandle, known?: Onboarding): Promise<OnboardingView> {
    const description = await timely(client, () => handle.describe());
    const pinned = client.workflow.getHandle(description.workflowId, description.runId);
    const outcome = outcomes[description.status.name] ?? 'running';
    const onboarding = known ?? (await queried(client, () => pinned.query(onboardingStateQuery)));
    const endedBadly = outcome !== 'running' && outcome !== 'onboarded';
    return {
      tenantId,
      workflowId: description.workflowId,
      runId: description.runId,
      outcome,
      onboarding,
      waitingFor: waitingFor(description),
      historyEvents: description.historyLength,
      ...(description.status.name === 'RUNNING' ? { result: null, failure: null } : await endOf(pinned)),
      remains: !endedBadly ? [] : onboarding === null ? null : whatRemains(onboarding),
      uiUrl: ui.workflowUrl(description),
    };
  }

  async function get(tenantId: string): Promise<OnboardingView | undefined> {
    try {
      return await view(tenantId, handleOf(tenantId));
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return undefined;
      throw error;
    }
  }

  return {
    async start(input) {
      const workflowId = onboardingWorkflowId(input.tenantId);
      try {
        await timely(client, () =>
          client.workflow.start(ONBOARDING_WORKFLOW_TYPE, {
            workflowId,
            taskQueue,
            args: [input],
            workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
            workflowIdConflictPolicy: 'FAIL',
            staticSummary: `${input.tenantId}: ${input.domain}`,
            typedSearchAttributes: [
              { key: tenantKey, value: input.tenantId },
              { key: domainKey, value: input.domain },
            ],
            memo: { input: comparable(input) },
          }),
        );
      } catch (error) {
        if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
        const handle = handleOf(input.tenantId);
        const memo = (await timely(client, () => handle.describe())).memo as { input?: OnboardTenantInput } | undefined;
        // Without the memo it was not started by us, and nothing can be said about its input.
        const fields = memo?.input === undefined ? ['(unknown)'] : differingFields(comparable(input), memo.input);
        return fields.length > 0
          ? { kind: 'different', fields, workflowId }
          : { kind: 'alreadyThere', view: await view(input.tenantId, handle) };
      }
      // Nothing is known of it yet but what it begins with.
      return { kind: 'started', view: await view(input.tenantId, handleOf(input.tenantId), newOnboarding(input)) };
    },

    get,

    async cancel(tenantId) {
      try {
        await timely(client, () => handleOf(tenantId).cancel());
      } catch (error) {
        // Not there, or over already: the view tells which.
        if (!(error instanceof WorkflowNotFoundError)) throw error;
      }
      return get(tenantId);
    },

    async poke(tenantId, hint) {
      try {
        await timely(client, () => handleOf(tenantId).signal(providerReportedSignal, hint));
        return true;
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return false;
        throw error;
      }
    },
  };
}

/** What is kept in the memo to compare a later start with: a hash in place of the body, which may be large. */
function comparable(input: OnboardTenantInput): OnboardTenantInput {
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

async function endOf(handle: WorkflowHandle): Promise<Pick<OnboardingView, 'result' | 'failure'>> {
  try {
    return { result: (await handle.result()) as OnboardTenantResult, failure: null };
  } catch (error) {
    return { result: null, failure: onboardingFailure(error) ?? null };
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
