import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowExecutionDescription,
  WorkflowFailedError,
  type WorkflowHandle,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { createHash } from 'node:crypto';
import type { DomainReport } from '../../onboarding/domain-report.ts';
import type { Extension } from '../../onboarding/extension-fault.ts';
import { comparableOnboarding, type OnboardTenantInput } from '../../onboarding/input.ts';
import { newOnboarding } from '../../onboarding/onboarding.ts';
import { onboardingWorkflowId } from '../../onboarding/onboarding-ids.ts';
import type { OnboardingOutcome } from '../../onboarding/onboarding-record.ts';
import { Stage, waitStages } from '../../onboarding/stage.ts';
import { differingFields } from '../../lib/differing-fields.ts';
import { unavailable } from '../../lib/http/problem-replies.ts';
import type { Register, StoredRecord } from '../../store/onboarding/register.ts';
import {
  checkNowUpdate,
  extendVerificationUpdate,
  ONBOARDING_TASK_QUEUE,
  ONBOARDING_WORKFLOW_TYPE,
  providerReportedSignal,
} from '../../workflows/messages.ts';
import { domainKey, stageKey, tenantKey } from '../../workflows/search-attributes.ts';
import type { WakeUp } from './wake-ups.ts';
import { endOfMissing, executionOf } from './ended-onboardings.ts';
import { attemptIdOf, memoInputOf, type OnboardingExecutions, outcomeOf } from './onboarding-executions.ts';
import type { TemporalPresence } from '../temporal-presence.ts';
import { withCallTimeout } from '../temporal-calls.ts';
import { runUpdate, type UpdateOutcome } from './run-update.ts';

export type StartOutcome =
  | { kind: 'started' | 'alreadyThere'; record: StoredRecord }
  | { kind: 'different'; fields: string[]; workflowId: string }
  | { kind: 'undoing'; record: StoredRecord };

/** What the HTTP API asks of onboardings. Throws the Temporal Client's error if the server cannot be reached. */
export interface Onboardings {
  /** Starts an onboarding unless the tenant has a running or successful one. */
  start(input: OnboardTenantInput): Promise<StartOutcome>;
  /** Starts a new onboarding after one that has ended, even successfully. */
  restart(input: OnboardTenantInput): Promise<StartOutcome>;
  /**
   * Asks the onboarding to stop and to undo what it created. No effect once it has ended. One whose execution Temporal does not have is
   * recorded as terminated: nothing can be undone.
   */
  cancel(tenantId: string): Promise<void>;
  /**
   * Checks the DNS of an onboarding that waits for its domain, and returns what is still missing.
   *
   * @param beforeSending not called if the Update is not sent
   */
  checkNow(tenantId: string, beforeSending: () => Promise<void>): Promise<UpdateOutcome<DomainReport>>;
  /**
   * Extends the verification window of an onboarding that waits for its domain; once for each key. Without a key, a repetition
   * with the same hours extends once until the register has the new deadline.
   */
  extend(
    tenantId: string,
    extension: Extension,
    options: { readonly idempotencyKey: string | undefined; readonly beforeSending: () => Promise<void> },
  ): Promise<UpdateOutcome<{ verificationDeadline: string }>>;
  /**
   * Signals the Workflow to check now; in a step it does not, because the wait that follows begins with a check. False when the
   * onboarding has ended or never existed.
   */
  wakeUp(tenantId: string, wakeUp: WakeUp): Promise<boolean>;
}

export interface OnboardingsParts {
  readonly register: Register;
  readonly executions: Pick<OnboardingExecutions, 'describe' | 'record'>;
  readonly presence: () => Promise<TemporalPresence>;
  /** Throws if the Namespace is not the one of the database. @default no check */
  readonly requireOwnNamespace?: (() => Promise<unknown>) | undefined;
  readonly taskQueue?: string;
  /** Needs Workers of the Task Queue on the client's connection, of no deployment version: a draining one would begin onboardings. */
  readonly requestEagerStart?: boolean | undefined;
}

type ReusePolicy = 'ALLOW_DUPLICATE' | 'ALLOW_DUPLICATE_FAILED_ONLY';

/** A new start adopts what these left. */
const restartable: readonly OnboardingOutcome[] = ['failed', 'cancelled', 'terminated'];

export function createOnboardings(
  client: Client,
  {
    register,
    executions,
    presence,
    requireOwnNamespace = () => Promise.resolve(),
    taskQueue = ONBOARDING_TASK_QUEUE,
    requestEagerStart = false,
  }: OnboardingsParts,
): Onboardings {
  const handleOf = (tenantId: string): WorkflowHandle => client.workflow.getHandle(onboardingWorkflowId(tenantId));

  async function begin(input: OnboardTenantInput, workflowIdReusePolicy: ReusePolicy): Promise<StartOutcome> {
    const { tenantId } = input;
    const startedWith = withHashedBody(input);
    try {
      const { firstExecutionRunId: attemptId } = await withCallTimeout(client, () =>
        client.workflow.start(ONBOARDING_WORKFLOW_TYPE, {
          workflowId: onboardingWorkflowId(tenantId),
          taskQueue,
          requestEagerStart,
          args: [input],
          workflowIdReusePolicy,
          workflowIdConflictPolicy: 'FAIL',
          staticSummary: `${tenantId}: ${input.domain}`,
          typedSearchAttributes: [
            { key: tenantKey, value: tenantId },
            { key: domainKey, value: input.domain },
            { key: stageKey, value: Stage.issuingKey },
          ],
          memo: { input: startedWith },
        }),
      );
      const at = new Date().toISOString();
      const run = { tenantId, attemptId, runId: attemptId, at };
      const onboarding = { ...newOnboarding(input), stages: [{ stage: Stage.issuingKey, at }] };
      const record = await register.announce({ ...run, startedAt: at, startedWith, onboarding });
      return { kind: 'started', record: record.attemptId === attemptId ? record : await recordOf(tenantId, attemptId) };
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
    const there = await withCallTimeout(client, () => handleOf(tenantId).describe());
    // It has closed since it refused the start.
    if (mayFollow(outcomeOf(there), workflowIdReusePolicy)) return begin(input, workflowIdReusePolicy);
    if (!(await isEnding(tenantId, there, workflowIdReusePolicy))) return joined(input, there);
    await withCallTimeout(client, () => client.workflow.getHandle(there.workflowId, there.runId).result()).catch(
      throwUnlessEnded,
    );
    return begin(input, workflowIdReusePolicy);
  }

  /** Whether the register has the end of an execution that is about to close, and that this start may follow. */
  async function isEnding(
    tenantId: string,
    there: WorkflowExecutionDescription,
    policy: ReusePolicy,
  ): Promise<boolean> {
    if (there.status.name !== 'RUNNING') return false;
    const record = await register.get(tenantId);
    if (record?.attemptId !== attemptIdOf(there)) return false;
    return record.outcome !== 'terminated' && mayFollow(record.outcome, policy);
  }

  /** The record of the onboarding with this attempt ID: the register's, or, while the register has none, one made from its execution. */
  async function recordOf(tenantId: string, attemptId: string): Promise<StoredRecord> {
    const kept = await register.get(tenantId);
    const record = kept?.attemptId === attemptId ? kept : await executions.record(tenantId);
    if (record === undefined) throw new Error(`the onboarding of ${tenantId} was deleted concurrently`);
    return record;
  }

  async function joined(input: OnboardTenantInput, there: WorkflowExecutionDescription): Promise<StartOutcome> {
    const record = await register.get(input.tenantId);
    if (record?.attemptId === attemptIdOf(there) && isUndoing(record)) return { kind: 'undoing', record };
    return compared(input, memoInputOf(there), () => recordOf(input.tenantId, attemptIdOf(there)));
  }

  /** Temporal keeps an Update for a Worker even after its caller has given up, and executes each ID once in a run. */
  const extensionId = (record: StoredRecord | undefined, { hours }: Extension, idempotencyKey?: string): string =>
    idempotencyKey === undefined
      ? `extend-${hours}h-after-${record?.onboarding.verificationDeadline ?? 'none'}`
      : `extend-key-${sha256(idempotencyKey)}`;

  /** The record, if the register shows it as running and Temporal has no execution of it, which is no end. */
  async function missing(tenantId: string): Promise<StoredRecord | undefined> {
    const record = await register.get(tenantId);
    if (record?.outcome !== 'running' || (await executionOf(client, record)) !== 'missing') return undefined;
    return record;
  }

  async function throwIfMissing(tenantId: string): Promise<void> {
    if ((await missing(tenantId)) === undefined) return;
    throw unavailable(
      `The register shows the onboarding of ${tenantId} as running, but Temporal has no execution of it: sendoff doctor says what to do.`,
    );
  }

  async function executeUpdate<Result>(
    tenantId: string,
    beforeSending: () => Promise<void>,
    update: (handle: WorkflowHandle) => Promise<Result>,
  ): Promise<UpdateOutcome<Result>> {
    const outcome = await runUpdate(client, { taskQueue, presence, beforeSending }, handleOf(tenantId), update);
    if (outcome.kind === 'notRunning') await throwIfMissing(tenantId);
    return outcome;
  }

  return {
    async start(input) {
      const record = await register.get(input.tenantId);
      if (record === undefined || restartable.includes(record.outcome))
        return begin(input, 'ALLOW_DUPLICATE_FAILED_ONLY');
      const description = await executions.describe(input.tenantId);
      if (description?.status.name === 'RUNNING') return joined(input, description);
      // Temporal would allow a second start: of a success whose execution it deleted, or of one deleted while it ran.
      if (record.outcome === 'onboarded' || description === undefined)
        return compared(input, record.startedWith, () => record);
      return begin(input, 'ALLOW_DUPLICATE_FAILED_ONLY');
    },

    async restart(input) {
      if ((await missing(input.tenantId)) !== undefined) await requireOwnNamespace();
      return begin(input, 'ALLOW_DUPLICATE');
    },

    async cancel(tenantId) {
      try {
        await withCallTimeout(client, () => handleOf(tenantId).cancel());
      } catch (error) {
        if (!(error instanceof WorkflowNotFoundError)) throw error;
        const record = await missing(tenantId);
        if (record === undefined) return;
        await requireOwnNamespace();
        await register.end(endOfMissing(record));
      }
    },

    checkNow: (tenantId, beforeSending) =>
      executeUpdate(tenantId, beforeSending, (handle) => handle.executeUpdate(checkNowUpdate)),

    async extend(tenantId, extension, { idempotencyKey, beforeSending }) {
      const record = await register.get(tenantId);
      const updateId = extensionId(record, extension, idempotencyKey);
      const outcome = await executeUpdate(tenantId, beforeSending, (handle) =>
        handle.executeUpdate(extendVerificationUpdate, { args: [extension], updateId }),
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

    async wakeUp(tenantId, wakeUp) {
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
        await throwIfMissing(tenantId);
        return false;
      }
    },
  };
}

/** Whether a start with this policy may follow an onboarding with this outcome. */
const mayFollow = (outcome: OnboardingOutcome, policy: ReusePolicy): boolean =>
  restartable.includes(outcome) || (outcome === 'onboarded' && policy === 'ALLOW_DUPLICATE');

/** It will not succeed, and its end has yet to be recorded. */
const isUndoing = ({ outcome, onboarding }: StoredRecord): boolean =>
  outcome === 'running' && onboarding.stage === Stage.undoing;

function throwUnlessEnded(error: unknown): void {
  if (!(error instanceof WorkflowFailedError)) throw error;
}

async function compared(
  input: OnboardTenantInput,
  there: OnboardTenantInput | null,
  recordThere: () => StoredRecord | Promise<StoredRecord>,
): Promise<StartOutcome> {
  // Another program started the Workflow, without the memo that holds its input.
  const fields =
    there === null
      ? ['(unknown)']
      : differingFields(comparableOnboarding(withHashedBody(input)), comparableOnboarding(there));
  return fields.length > 0
    ? { kind: 'different', fields, workflowId: onboardingWorkflowId(input.tenantId) }
    : { kind: 'alreadyThere', record: await recordThere() };
}

/** The form kept in the memo, to compare later starts with: a hash replaces the body, which may be large. */
function withHashedBody(input: OnboardTenantInput): OnboardTenantInput {
  return { ...input, firstEmail: { ...input.firstEmail, body: sha256(input.firstEmail.body) } };
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
