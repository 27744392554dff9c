// What the register and Temporal say differently of the onboardings, as after a restore of an older database or the loss of a Namespace,
// and how to repair each. Every repair is a change by the rule of the register, or a start: programs may run, and a repair may be repeated.
import type { Client, WorkflowExecutionDescription, WorkflowExecutionInfo } from '@temporalio/client';
import { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow/codec-helpers.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { serverTimeMs } from '../../lib/temporal/server-time.ts';
import type { OnboardTenantInput } from '../../onboarding/input.ts';
import { hasLost, type Onboarding } from '../../onboarding/onboarding.ts';
import {
  apiKeyRef,
  firstEmailRef,
  onboardingWorkflowId,
  ownKeyRef,
  tenantOfWorkflow,
} from '../../onboarding/onboarding-ids.ts';
import type { OnboardingOutcome } from '../../onboarding/onboarding-record.ts';
import type { RecordEnd, RecordStart } from '../../onboarding/record-change.ts';
import { Stage } from '../../onboarding/stage.ts';
import { restartCommand } from '../../onboarding/start-again.ts';
import { deleteIssued, getIssued } from '../../store/issued-secret.ts';
import type { StoredRecord } from '../../store/onboarding/register.ts';
import type { SecretStore } from '../../store/secret-store.ts';
import { ONBOARDING_TASK_QUEUE, ONBOARDING_WORKFLOW_TYPE } from '../../workflows/messages.ts';
import { endOfMissing, lacksState, stateOf } from '../onboarding/ended-onboardings.ts';
import {
  createOnboardingExecutions,
  attemptIdOf,
  executionEnd,
  memoInputOf,
  outcomeOf,
} from '../onboarding/onboarding-executions.ts';
import { startLostOnboarding, withHashedBody } from '../onboarding/start-onboarding.ts';
import { describeExecution, withCallTimeout } from '../temporal-calls.ts';
import { findClaimable, wasClaimable } from './claimable-keys.ts';
import type { Difference, DifferenceParts } from './difference.ts';
import { JUST_STARTED_MS, withoutRunningExecution } from './unmatched-onboardings.ts';

const RECORDED_WITHIN_MS = 1_000;
/** Each takes six seconds without a Worker; after these, no further one is asked. */
const UNANSWERED_MAX = 3;

/** Every difference, that of a tenant once. */
export async function* findDifferences(
  client: Client,
  { register, ...others }: Omit<DifferenceParts, 'start'>,
): AsyncGenerator<Difference> {
  const executions = createOnboardingExecutions(client, register);
  const start = { client, register, executions, taskQueue: ONBOARDING_TASK_QUEUE };
  const parts = { ...others, register, start };
  const found = new Set<string>();
  /** Those whose key could be claimed before the restore, although their record says that they run. */
  const ended = new Set<string>();
  for await (const difference of findByRecord(parts, ended)) {
    found.add(difference.tenantId);
    yield difference;
  }
  for await (const difference of findByExecution(parts, found, ended)) yield difference;
  if (parts.restoredAt !== undefined) yield* findClaimable(parts, parts.restoredAt, ended);
}

async function* findByRecord(parts: DifferenceParts, ended: Set<string>): AsyncGenerator<Difference> {
  const { client } = parts.start;
  for await (const { record, execution } of withoutRunningExecution(client, parts)) {
    const { tenantId } = record;
    const latest = await describeExecution(client, onboardingWorkflowId(tenantId));
    // A later onboarding of the tenant replaces the record.
    if (latest !== undefined && attemptIdOf(latest) !== record.attemptId && isLater(latest, record)) continue;
    if (execution === 'missing') {
      yield await withoutExecution(parts, record);
    } else if (execution.outcome !== 'terminated' && lacksState(execution, record)) {
      // Recorded like this, a key that its undo has revoked would be one to decide about.
      yield notCompared(tenantId, execution.outcome);
    } else {
      if (wasClaimable(parts, execution.outcome, execution.at)) ended.add(tenantId);
      yield oldRecord(parts, record, execution);
    }
  }
}

async function withoutExecution(parts: DifferenceParts, record: StoredRecord): Promise<Difference> {
  const { register, secrets, start } = parts;
  const { tenantId, startedWith, onboarding } = record;
  const { stage, badEnd } = onboarding;
  const about = {
    ...({ kind: 'missing_execution', tenantId } as const),
    found: `the record runs (${stage}), and Temporal has no execution of it`,
  };
  if (badEnd !== null || stage === Stage.undoing) {
    return {
      ...about,
      remedy: 'record it as terminated, because its undo had begun; sendoff status lists what remains',
      repair: () => register.end(endOfMissing(record)),
    };
  }
  const input = startedWith && (await keptInput(secrets, startedWith));
  if (input === null) {
    const remedy = `the text of its first email is not in the database: ${restartCommand(tenantId)}`;
    return { ...about, remedy, repair: undefined };
  }
  return {
    ...about,
    remedy: 'start it again with its input',
    repair: () => started(startLostOnboarding(start, input)),
  };
}

/** Null if the text of the first email is not that of this input. */
async function keptInput(secrets: SecretStore, startedWith: OnboardTenantInput): Promise<OnboardTenantInput | null> {
  const body = await secrets.get(firstEmailRef(startedWith.tenantId));
  if (body === undefined) return null;
  const input = { ...startedWith, firstEmail: { ...startedWith.firstEmail, body } };
  return withHashedBody(input).firstEmail.body === startedWith.firstEmail.body ? input : null;
}

async function started(starting: ReturnType<typeof startLostOnboarding>): Promise<string | undefined> {
  const outcome = await starting;
  return outcome.kind === 'different' ? 'another onboarding of the tenant has begun meanwhile' : undefined;
}

function oldRecord(
  { register }: Pick<DifferenceParts, 'register'>,
  { tenantId, outcome, onboarding }: StoredRecord,
  end: RecordEnd,
): Difference {
  const { stage } = onboarding;
  return {
    ...{ kind: 'old_record', tenantId },
    found: `the record says ${outcome} (${stage}), and the execution has ended: ${end.outcome}`,
    remedy: 'record its end',
    repair: () => register.end(end),
  };
}

async function* findByExecution(
  parts: DifferenceParts,
  found: ReadonlySet<string>,
  ended: Set<string>,
): AsyncGenerator<Difference> {
  const seen = new Set<string>();
  const queries = { unanswered: 0 };
  // A tenant's running execution comes first, then its latest one.
  for await (const execution of parts.start.client.workflow.list({
    query: `WorkflowType="${ONBOARDING_WORKFLOW_TYPE}"`,
  })) {
    const tenantId = tenantOfWorkflow(execution.workflowId);
    if (tenantId === undefined || seen.has(tenantId)) continue;
    seen.add(tenantId);
    if (found.has(tenantId)) continue;
    const difference = await compareExecution(parts, { tenantId, execution, queries });
    if (difference === undefined) continue;
    const { closeTime } = execution;
    if (closeTime !== undefined && wasClaimable(parts, outcomeOf(execution), closeTime.toISOString()))
      ended.add(tenantId);
    yield difference;
  }
}

async function compareExecution(
  parts: DifferenceParts,
  {
    tenantId,
    execution: { runId, status, startTime },
    queries,
  }: { tenantId: string; execution: WorkflowExecutionInfo; queries: { unanswered: number } },
): Promise<Difference | undefined> {
  const { register, start } = parts;
  const { client } = start;
  const isRunning = status.name === 'RUNNING';
  let record = await register.get(tenantId);
  if (record?.runId === runId && !isRunning) {
    const isWhole = record.outcome === 'terminated' || record.onboarding.stage === Stage.done;
    // One that runs by its record has just ended: the sweep records that, if its run has not.
    if (record.outcome === 'running' || isWhole) return undefined;
  }
  const description = await describeExecution(client, onboardingWorkflowId(tenantId));
  // The retention has deleted it, or another one has begun.
  if (description?.runId !== runId) return undefined;
  const isOwn = () => record?.attemptId === attemptIdOf(description);
  if (!isOwn() && (await serverTimeMs(client, client.options.namespace)) - startTime.getTime() < JUST_STARTED_MS) {
    await sleep(RECORDED_WITHIN_MS);
    record = await register.get(tenantId);
  }
  if (record !== undefined && !isOwn() && !isLater(description, record)) return undefined;
  const state = queries.unanswered < UNANSWERED_MAX ? await stateOf(client, description) : null;
  queries.unanswered = state === null ? queries.unanswered + 1 : 0;
  if (state === null) return notCompared(tenantId, outcomeOf(description));
  // The register has what the Workflow knows before the Workflow does: read in this order, it lacks nothing unless it has lost it.
  record = await register.get(tenantId);
  const execution = { tenantId, description, state, record: isOwn() ? record : undefined };
  return isRunning ? compareRunning(parts, execution) : compareEnded(parts, execution);
}

interface Compared {
  readonly tenantId: string;
  readonly description: WorkflowExecutionDescription;
  readonly state: Onboarding;
  /** Undefined if the register has none of this onboarding. */
  readonly record: StoredRecord | undefined;
}

async function compareRunning(parts: DifferenceParts, compared: Compared): Promise<Difference | undefined> {
  const { register } = parts;
  const { tenantId, description, state, record } = compared;
  if (record !== undefined && record.outcome !== 'running') return undefined;
  if (await lacksKey(parts, state)) return withoutKey(parts, compared);
  const lacksRecord = record === undefined;
  if (!lacksRecord && !hasLost(record.onboarding, state)) return undefined;
  return {
    ...{ kind: lacksRecord ? 'missing_record' : 'old_record', tenantId },
    found: lacksRecord
      ? `the execution runs (${state.stage}), and the register has no record of it`
      : `the record says ${record.onboarding.stage}, and the execution has come to ${state.stage}`,
    remedy: 'put what the execution knows into the register',
    repair: async () =>
      register.adopt(startOf(compared), (await inputOf(parts.start.client, description))?.firstEmail.body),
  };
}

/** Only the embedded email service, and another with its API, is asked with a key of the tenant. */
async function lacksKey({ secrets }: DifferenceParts, { tenantId, provider, keyId, ownKeyId }: Onboarding) {
  if (provider !== undefined || keyId === null) return false;
  const held = await getIssued(secrets, ownKeyId === undefined ? apiKeyRef(tenantId) : ownKeyRef(tenantId));
  return held?.id !== (ownKeyId ?? keyId);
}

function withoutKey(
  { secrets, start, revokeKey }: DifferenceParts,
  { tenantId, description, state }: Compared,
): Difference {
  return {
    ...{ kind: 'missing_key', tenantId },
    found: `the execution runs (${state.stage}), and the database does not have its API key`,
    remedy: 'start it again with its input, and revoke the key that is lost',
    async repair() {
      const input = await inputOf(start.client, description);
      if (input === undefined) return `its history has no input: ${restartCommand(tenantId)}`;
      const keys = [state.keyId, state.ownKeyId].filter((keyId) => keyId != null);
      // Of an earlier onboarding, whose keys this one has revoked: the new one would try for minutes.
      for (const ref of [apiKeyRef(tenantId), ownKeyRef(tenantId)]) {
        const held = await getIssued(secrets, ref);
        if (held !== undefined && !keys.includes(held.id)) await deleteIssued(secrets, ref, held.id);
      }
      const left = await started(startLostOnboarding(start, input, { replaces: true }));
      if (left !== undefined) return left;
      const unrevoked = await failing(keys, revokeKey);
      return unrevoked.length === 0 ? undefined : `revoke at the provider: ${unrevoked.join(', ')}`;
    },
  };
}

async function compareEnded({ register, start }: DifferenceParts, compared: Compared): Promise<Difference | undefined> {
  const { tenantId, description, state, record } = compared;
  const end = await withCallTimeout(start.client, () => executionEnd(start.client, description));
  const by: RecordEnd = {
    ...startOf(compared),
    stagesEntered: 0,
    ...end,
    at: (description.closeTime ?? new Date()).toISOString(),
  };
  if (record === undefined) {
    return {
      ...{ kind: 'missing_record', tenantId },
      found: `the execution has ended (${end.outcome}), and the register has no record of it`,
      remedy: 'put it into the register',
      async repair() {
        await register.adopt(startOf(compared));
        await register.end(by);
      },
    };
  }
  const isOld = record.outcome === end.outcome && record.onboarding.stage !== state.stage;
  return isOld ? oldRecord({ register }, record, { ...by, startedAt: record.startedAt }) : undefined;
}

const startOf = ({ tenantId, description, state, record }: Compared): RecordStart => ({
  ...{ tenantId, attemptId: attemptIdOf(description), runId: description.runId, at: new Date().toISOString() },
  ...{ startedAt: record?.startedAt ?? description.startTime.toISOString(), startedWith: memoInputOf(description) },
  ...{ onboarding: state, stagesEntered: state.stages.length },
});

const isLater = ({ startTime }: WorkflowExecutionDescription, { startedAt }: StoredRecord): boolean =>
  startTime.toISOString() >= startedAt;

/** The whole input, from the first event of the history: the memo has a hash of the text. */
async function inputOf(
  client: Client,
  { workflowId, runId }: WorkflowExecutionDescription,
): Promise<OnboardTenantInput | undefined> {
  const { namespace, loadedDataConverter } = client.options;
  const { history } = await withCallTimeout(client, () =>
    client.workflowService.getWorkflowExecutionHistory({
      ...{ namespace, execution: { workflowId, runId }, maximumPageSize: 1 },
    }),
  );
  const payloads = history?.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads;
  const [input] = await decodeArrayFromPayloads(loadedDataConverter, payloads);
  return input as OnboardTenantInput | undefined;
}

function notCompared(tenantId: string, outcome: OnboardingOutcome): Difference {
  return {
    ...{ kind: 'not_compared', tenantId },
    found: `no Worker says how far the execution has come (${outcome})`,
    remedy: 'start the Workers, and run this again: sendoff worker',
    repair: undefined,
  };
}

/** Those for which the call fails. */
async function failing(keys: readonly string[], call: (key: string) => Promise<unknown>): Promise<string[]> {
  const results = await Promise.allSettled(keys.map(call));
  return keys.filter((_, index) => results[index]?.status === 'rejected');
}
