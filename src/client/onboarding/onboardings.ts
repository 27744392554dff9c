import {
  type Client,
  type WorkflowHandle,
  WorkflowNotFoundError,
  type WorkflowUpdateHandle,
  WorkflowUpdateStage,
} from '@temporalio/client';
import { createHash } from 'node:crypto';
import type { DomainReport } from '../../onboarding/domain-report.ts';
import type { Extension } from '../../onboarding/extension-fault.ts';
import type { OnboardTenantInput } from '../../onboarding/input.ts';
import { onboardingWorkflowId } from '../../onboarding/onboarding-ids.ts';
import { waitStages } from '../../onboarding/stage.ts';
import type { StoredRecord } from '../../store/onboarding/register.ts';
import {
  checkNowUpdate,
  extendVerificationUpdate,
  ONBOARDING_TASK_QUEUE,
  providerReportedSignal,
} from '../../workflows/messages.ts';
import type { WakeUp } from './wake-ups.ts';
import { endOfMissing, recordWithoutExecution, throwIfMissing } from './ended-onboardings.ts';
import type { TemporalPresence } from '../temporal-presence.ts';
import { withCallTimeout } from '../temporal-calls.ts';
import { runUpdate, type UpdateOutcome } from './run-update.ts';
import { restartOnboarding, startOnboarding, type StartOutcome, type StartParts } from './start-onboarding.ts';

export type Onboardings = ReturnType<typeof createOnboardings>;

export interface OnboardingsParts extends Pick<
  StartParts,
  'register' | 'executions' | 'provider' | 'requestEagerStart'
> {
  readonly presence: () => Promise<TemporalPresence>;
  /** Throws if the Namespace is not the one of the database. @default no check */
  readonly requireOwnNamespace?: (() => Promise<unknown>) | undefined;
  readonly taskQueue?: string;
}

/** The requests of the HTTP API to onboardings. Throws the Temporal Client's error if the server cannot be reached. */
export function createOnboardings(client: Client, parts: OnboardingsParts) {
  const { register, presence, requireOwnNamespace, taskQueue = ONBOARDING_TASK_QUEUE } = parts;
  const startParts = { ...parts, client, taskQueue };
  const handleOf = (tenantId: string): WorkflowHandle => client.workflow.getHandle(onboardingWorkflowId(tenantId));

  async function executeUpdate<Result>(
    tenantId: string,
    beforeSending: () => Promise<void>,
    start: (handle: WorkflowHandle) => Promise<WorkflowUpdateHandle<Result>>,
  ): Promise<UpdateOutcome<Result>> {
    const outcome = await runUpdate(client, { taskQueue, presence, beforeSending }, handleOf(tenantId), start);
    if (outcome.kind === 'notRunning') await throwIfMissing(client, register, tenantId);
    return outcome;
  }

  return {
    start: (input: OnboardTenantInput): Promise<StartOutcome> => startOnboarding(startParts, input),

    async restart(input: OnboardTenantInput): Promise<StartOutcome> {
      if (await recordWithoutExecution(client, register, input.tenantId)) await requireOwnNamespace?.();
      return restartOnboarding(startParts, input);
    },

    /**
     * Asks the onboarding to stop and to undo what it created. No effect once it has ended. One whose execution Temporal does not have is
     * recorded as terminated: nothing can be undone.
     */
    async cancel(tenantId: string): Promise<void> {
      try {
        await withCallTimeout(client, () => handleOf(tenantId).cancel());
      } catch (error) {
        if (!(error instanceof WorkflowNotFoundError)) throw error;
        const record = await recordWithoutExecution(client, register, tenantId);
        if (record === undefined) return;
        await requireOwnNamespace?.();
        await register.end(endOfMissing(record));
      }
    },

    /**
     * Checks the DNS of an onboarding that waits for its domain, and returns what is still missing. While a check is under way, a
     * repetition joins it.
     *
     * @param beforeSending not called if the Update is not sent
     */
    async checkNow(tenantId: string, beforeSending: () => Promise<void>): Promise<UpdateOutcome<DomainReport>> {
      const updateId = checkId(await register.get(tenantId));
      return executeUpdate(tenantId, beforeSending, (handle) =>
        handle.startUpdate(checkNowUpdate, { updateId, waitForStage: ACCEPTED }),
      );
    },

    /**
     * Extends the verification window of an onboarding that waits for its domain; once for each key. Without a key, a repetition
     * with the same hours extends once until the register has the new deadline.
     */
    async extend(
      tenantId: string,
      extension: Extension,
      {
        idempotencyKey,
        beforeSending,
      }: { readonly idempotencyKey: string | undefined; readonly beforeSending: () => Promise<void> },
    ): Promise<UpdateOutcome<{ verificationDeadline: string }>> {
      const record = await register.get(tenantId);
      const updateId = extensionId(record, extension, idempotencyKey);
      const outcome = await executeUpdate(tenantId, beforeSending, (handle) =>
        handle.startUpdate(extendVerificationUpdate, { args: [extension], updateId, waitForStage: ACCEPTED }),
      );
      if (record !== undefined && outcome.kind === 'done') {
        // The caller's next request sees it, and another extension by the same hours is another one.
        const { attemptId } = record;
        await register.extend(
          { tenantId, attemptId, at: new Date().toISOString() },
          outcome.result.verificationDeadline,
        );
      }
      return outcome;
    },

    /**
     * Signals the Workflow to check now; in a step it does not, because the wait that follows begins with a check. False when the
     * onboarding has ended or never existed.
     */
    async wakeUp(tenantId: string, wakeUp: WakeUp): Promise<boolean> {
      // A Signal that arrives in the last Workflow Task makes the server refuse its result: all its steps are repeated. The register has
      // the stage of a wait before its first check. If it cannot be read, the Signal is sent.
      const record = await register.get(tenantId).catch(() => undefined);
      if (record?.outcome === 'running' && !waitStages.includes(record.onboarding.stage)) return true;
      try {
        await withCallTimeout(client, () => handleOf(tenantId).signal(providerReportedSignal, wakeUp));
        return true;
      } catch (error) {
        if (!(error instanceof WorkflowNotFoundError)) throw error;
        // The provider would stop sending webhooks.
        await throwIfMissing(client, register, tenantId);
        return false;
      }
    },
  };
}

const ACCEPTED = WorkflowUpdateStage.ACCEPTED;

/** As long as the Workflow lets a check try. */
export const CHECK_LASTS_MS = 2 * 60_000;

/**
 * The same until a check is recorded, so that a person who presses again at a silent provider joins the check under way instead of
 * using up the onboarding's allowance. Another after the time of a check, which may have failed.
 */
const checkId = (record: StoredRecord | undefined): string =>
  `check-after-${record?.checkedAt ?? 'none'}-${Math.floor(Date.now() / CHECK_LASTS_MS)}`;

/** Temporal keeps an Update for a Worker even after its caller has given up, and executes each ID once in a run. */
function extensionId(record: StoredRecord | undefined, { hours }: Extension, idempotencyKey?: string): string {
  if (idempotencyKey === undefined)
    return `extend-${hours}h-after-${record?.onboarding.verificationDeadline ?? 'none'}`;
  return `extend-key-${createHash('sha256').update(idempotencyKey).digest('hex')}`;
}
