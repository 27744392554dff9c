import { setTimeout as sleep } from 'node:timers/promises';
import { counted } from '../../lib/counted.ts';
import { readSome, sharedSettings, type Environment } from '../../lib/settings.ts';
import { findSilentTaskQueues } from '../../lib/temporal/find-silent-task-queues.ts';
import { findStuckWorkflowTask, reportedAsStuck, type StuckWorkflowTask } from '../../lib/temporal/stuck-workflows.ts';
import {
  describeWorkerDeployment,
  findUnregisteredTaskQueues,
  makeCurrent,
  pollsAs,
  type WorkerVersion,
} from '../../lib/temporal/worker-deployments.ts';
import { workerRelease } from '../../lib/temporal/worker-release.ts';
import { CommandError } from '../command-error.ts';
import { ExitCode } from '../exit-codes.ts';
import {
  describeReplays,
  faultsOf,
  namedFew,
  type PlaceReplayed,
  type ReleaseOptions,
  replayPlaces,
} from './replay.ts';
import { executionsQuery, type ReleaseContext, type ReleasePlace, withPlaces } from './released-program.ts';

export interface MoveOptions extends ReleaseOptions {
  /** Moves although open executions would stop on this version. */
  readonly force?: boolean;
}

export interface MoveContext extends ReleaseContext {
  /** How long new Workers may take to poll. @default 2 minutes */
  readonly pollersWithinMs?: number;
  /** How long executions are watched afterwards. @default 2 minutes */
  readonly watchMs?: number;
}

const POLLERS_WITHIN_MS = 2 * 60_000;
const WATCH_MS = 2 * 60_000;
const ASK_EVERY_MS = 2_000;
/** An older server does not report which executions are stuck, so each is described. */
const WATCHED_MAX = 1_000;

interface Moved {
  readonly namespace: string;
  /** The build before; null: Workers without a version. */
  readonly from: string | null;
}

/**
 * Makes the version of the settings the current one in every Namespace of the program, if all its Workers poll and its Workflow code
 * replays every open execution; then watches. Resolves with the exit code: 1 if nothing was changed, or if it has stopped an execution.
 */
export async function moveToVersion(
  direction: 'promote' | 'rollback',
  options: MoveOptions,
  context: MoveContext,
): Promise<number> {
  const version = requiredVersion(context.environment);
  const { program, force = false, json = false } = options;
  return withPlaces(program, context.environment, async (places) => {
    if (direction === 'rollback') await requireOther(version, places);
    await untilAllPoll(version, places, context);
    const replays = await replayPlaces(program, places, context);
    const wouldStop = faultsOf(replays).length;
    context.writeMessage(`${describeReplays(replays)}\n`);
    if (wouldStop > 0 && !force) {
      throw new CommandError(
        `${counted(wouldStop, 'open execution')} would stop on ${version.buildId}; nothing was changed. To move nevertheless, add --force: they continue once a version that replays them is current again`,
        { code: 'would_stop', fields: { replays } },
      );
    }
    const before = await stuckIn(places);
    const moved: Moved[] = [];
    for (const place of places) moved.push(await moveIn(place, version, context));
    const found = await watch(places, before, context);
    context.write(
      json ? `${JSON.stringify({ ...version, moved, replays, ...found })}\n` : describe(version, replays, found),
    );
    return found.stuck.length === 0 ? ExitCode.done : ExitCode.failed;
  });
}

/** A rollback by mistake with the release that is to be taken back would report success. */
async function requireOther(
  { deploymentName, buildId }: WorkerVersion,
  places: readonly ReleasePlace[],
): Promise<void> {
  const deployments = await Promise.all(places.map(({ client }) => describeWorkerDeployment(client, deploymentName)));
  if (deployments.some((deployment) => deployment?.current !== buildId)) return;
  const others = new Set(deployments.flatMap((deployment) => deployment?.versions ?? []).map((each) => each.buildId));
  others.delete(buildId);
  throw new CommandError(
    `${buildId} is current already. Run this command with the release and the settings of the version to go back to; ${deploymentName} has ${others.size === 0 ? 'no other' : [...others].join(', ')}`,
    { code: 'already_current' },
  );
}

function requiredVersion(environment: Environment): WorkerVersion {
  const names = ['TEMPORAL_DEPLOYMENT_NAME', 'TEMPORAL_WORKER_BUILD_ID', 'SENDOFF_HOLD_PATCHES'] as const;
  const { version } = workerRelease(readSome(sharedSettings, names, environment));
  if (version !== undefined) return version;
  throw new CommandError(
    'TEMPORAL_DEPLOYMENT_NAME and TEMPORAL_WORKER_BUILD_ID are not set. Run this command with the release and the settings of the Workers that are to become current',
  );
}

async function untilAllPoll(
  version: WorkerVersion,
  places: readonly ReleasePlace[],
  { writeMessage, pollersWithinMs = POLLERS_WITHIN_MS }: MoveContext,
): Promise<void> {
  const until = performance.now() + pollersWithinMs;
  for (;;) {
    const silent = await listed(places, (client, queues) =>
      findSilentTaskQueues(client, client.options.namespace, queues, pollsAs(version)),
    );
    const awaited =
      silent ?? (await listed(places, (client, queues) => findUnregisteredTaskQueues(client, version, queues)));
    if (awaited === undefined) return;
    if (performance.now() >= until) {
      const name = `${version.deploymentName} ${version.buildId}`;
      throw new CommandError(
        silent === undefined
          ? `Temporal has not registered ${awaited} for ${name}, although its Workers poll; nothing was changed. Run this command again`
          : `no Worker of ${name} polls ${awaited}; nothing was changed. Start its Workers, and read their log if they end`,
        { code: 'not_polled' },
      );
    }
    writeMessage(`Waiting for Workers of ${version.buildId} on ${awaited}\n`);
    await sleep(ASK_EVERY_MS);
  }
}

/** The Task Queues that `find` returns, with their Namespaces; undefined if there are none. */
async function listed(
  places: readonly ReleasePlace[],
  find: (client: ReleasePlace['client'], queues: ReleasePlace['queues']) => Promise<ReleasePlace['queues'][number][]>,
): Promise<string | undefined> {
  const found: string[] = [];
  for (const { client, queues } of places)
    for (const { taskQueue } of await find(client, queues)) found.push(`${taskQueue} in ${client.options.namespace}`);
  return found.length === 0 ? undefined : found.join(', ');
}

async function moveIn({ client }: ReleasePlace, version: WorkerVersion, { writeMessage }: MoveContext): Promise<Moved> {
  const { namespace } = client.options;
  const deployment = await describeWorkerDeployment(client, version.deploymentName);
  if (deployment === undefined)
    throw new CommandError(`${namespace} has no Worker Deployment ${version.deploymentName}`, { code: 'not_polled' });
  const { current: from } = deployment;
  if (from !== version.buildId) await makeCurrent(client, version, deployment);
  writeMessage(
    `${namespace}: ${version.buildId} is current${from === version.buildId ? '' : `, before: ${nameOf(from)}`}\n`,
  );
  return { namespace, from };
}

const nameOf = (buildId: string | null): string => buildId ?? 'Workers without a version';

interface Found {
  /** Since the move. */
  readonly stuck: readonly StuckWorkflowTask[];
  /** Before it: Temporal repeats their Workflow Tasks ever more rarely, at last every ten minutes. */
  readonly stuckBefore: readonly StuckWorkflowTask[];
}

/** Stops at the first that this version has stopped: the sooner it is taken back, the better. */
async function watch(
  places: readonly ReleasePlace[],
  before: readonly StuckWorkflowTask[],
  { writeMessage, watchMs = WATCH_MS }: MoveContext,
): Promise<Found> {
  writeMessage(`Watching for ${Math.round(watchMs / 1_000)} s whether executions continue\n`);
  for (const until = performance.now() + watchMs; ;) {
    const all = await stuckIn(places);
    const stuckBefore = all.filter(({ runId }) => before.some((each) => each.runId === runId));
    const stuck = all.filter((task) => !stuckBefore.includes(task));
    if (stuck.length > 0 || performance.now() >= until) return { stuck, stuckBefore };
    await sleep(ASK_EVERY_MS);
  }
}

const stuckIn = async (places: readonly ReleasePlace[]): Promise<StuckWorkflowTask[]> =>
  (await Promise.all(places.map(stuckInPlace))).flat();

async function stuckInPlace(place: ReleasePlace): Promise<StuckWorkflowTask[]> {
  const { client } = place;
  const query = executionsQuery(place);
  const candidates = (await reportedAsStuck(client, { query, limit: WATCHED_MAX })) ?? (await openIn(place, query));
  const stuck: StuckWorkflowTask[] = [];
  for (const workflowId of candidates) {
    const task = await findStuckWorkflowTask(client, workflowId);
    if (task !== undefined) stuck.push(task);
  }
  return stuck;
}

async function openIn({ client }: ReleasePlace, query: string): Promise<string[]> {
  const { executions } = await client.workflowService.listWorkflowExecutions({
    namespace: client.options.namespace,
    pageSize: WATCHED_MAX,
    query: `${query} AND ExecutionStatus = "Running"`,
  });
  return executions.flatMap(({ execution }) => execution?.workflowId ?? []);
}

function describe(
  { deploymentName, buildId }: WorkerVersion,
  replays: readonly PlaceReplayed[],
  { stuck, stuckBefore }: Found,
): string {
  const open = replays.reduce((sum, { replayed }) => sum + replayed, 0);
  const result =
    stuck.length === 0
      ? [
          `${deploymentName} ${buildId} is current; ${counted(open, 'open execution')}, none is stuck${stuckBefore.length === 0 ? '' : ' since'}`,
        ]
      : [
          `${deploymentName} ${buildId} is current, and ${counted(stuck.length, 'execution')} cannot continue:`,
          ...namedFew(stuck, ({ workflowId, since, message }) => `${workflowId} since ${since}: ${message}`),
          'To go back, run with the release and the settings before: sendoff deployment rollback',
        ];
  const before =
    stuckBefore.length === 0
      ? []
      : [
          `${counted(stuckBefore.length, 'execution')} stuck before; Temporal repeats each within ten minutes. Those that are onboardings: sendoff list --stuck`,
        ];
  return `${[...result, ...before].join('\n')}\n`;
}
