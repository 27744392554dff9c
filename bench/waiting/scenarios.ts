import { setTimeout as pause } from 'node:timers/promises';
import { signWebhook } from '../../src/lib/webhooks/sign-webhook.ts';
import { waitUntil } from '../../src/lib/timing/wait-until.ts';
import { openDatabase, type Database } from '../../src/store/database.ts';
import { atRate } from '../at-rate.ts';
import { type Caller, createCaller } from '../caller.ts';
import { type Infrastructure, startInfrastructure } from '../infrastructure.ts';
import { inputOf } from '../onboarding/input-of.ts';
import { type InstantProvider, startInstantProvider } from '../onboarding/instant-provider.ts';
import { type Orchestrator, startOrchestrator } from '../onboarding/start-orchestrator.ts';
import { type MeasuredProcess, type Usage, usageOf } from '../process-usage.ts';
import type { Bench, Figures, Scenario } from '../scenario.ts';
import type { RunningProcess } from '../start-process.ts';
import { percentile } from '../statistics.ts';

const TABLE = 'Waiting onboardings';

export const waitingScenarios: readonly Scenario[] = [
  {
    ...{ name: 'waiting-1000', table: TABLE, title: '1,000 that wait, then all woken at once' },
    run: async (bench) => {
      const count = bench.quick ? 20 : 1_000;
      return { [`${count} waiting`]: await waiting(bench, count) };
    },
  },
  {
    ...{ name: 'waiting-10000', table: TABLE, title: '10,000 that wait, then all woken at once' },
    run: async (bench) => {
      const count = bench.quick ? 60 : 10_000;
      return { [`${count} waiting`]: await waiting(bench, count) };
    },
  },
  ...[5, 10, 20, 50].map((perSecond) => ({
    ...{ name: `wake-ups-${String(perSecond)}`, table: 'Wake-ups' },
    title: `${String(perSecond)} webhooks a second to those that wait`,
    run: async (bench: Bench) => ({ [`${String(perSecond)} webhooks/s`]: await wakeUps(bench, perSecond) }),
  })),
  {
    ...{
      name: 'killed-worker',
      table: 'A killed worker',
      title: 'from the wake-up to the end, when the worker was killed',
    },
    run: async (bench) => ({ 'SIGKILL, then the webhook at another worker': await killedWorker(bench) }),
  },
];

const CLIENTS = 50;
/** The answer to a webhook of an onboarding that has ended. */
const GONE = 410;

interface World {
  readonly infrastructure: Infrastructure;
  readonly provider: InstantProvider;
  readonly orchestrator: Orchestrator;
  readonly caller: Caller;
  readonly database: Database;
  /** From now on the domain is verified, or all are. */
  readonly verify: (domain?: string) => void;
  /** Domains that the provider has been asked about. */
  readonly asked: ReadonlySet<string>;
  /** Called when the provider is asked about a domain, by its name. */
  readonly onAsked: Map<string, () => void>;
  /** Posts a webhook of a verified domain. @param eventId @default the tenant's first */
  readonly wake: (tenantId: string, eventId?: string) => Promise<void>;
}

async function startWorld(bench: Bench): Promise<World> {
  const { closers } = bench;
  const [verified, asked, secrets] = [new Set<string>(), new Set<string>(), new Map<string, string>()];
  const onAsked = new Map<string, () => void>();
  let areAllVerified = false;
  const provider = await startInstantProvider({
    isVerified: (domain) => {
      asked.add(domain);
      onAsked.get(domain)?.();
      return areAllVerified || verified.has(domain);
    },
    onWebhook: ({ url, secret }) => secrets.set(new URL(url).pathname, secret),
  });
  closers.add(() => provider.close());
  const infrastructure = await startInfrastructure(bench);
  const orchestrator = await startOrchestrator(bench, infrastructure, { providerUrl: provider.url });
  const caller = createCaller({ url: orchestrator.url, token: orchestrator.apiToken });
  closers.add(() => caller.close());
  const database = await openDatabase(infrastructure.databases.orchestrator);
  closers.add(() => database.destroy());
  return {
    ...{ infrastructure, provider, orchestrator, caller, database, asked, onAsked },
    verify: (domain) => {
      if (domain === undefined) areAllVerified = true;
      else verified.add(domain);
    },
    wake: async (tenantId, eventId = `evt_${tenantId}`) => {
      const path = `/webhooks/${tenantId}`;
      const body = JSON.stringify({ type: 'domain.verified', data: {} });
      const secret = secrets.get(path) ?? '';
      const headers = signWebhook({ id: eventId, sentAt: new Date(), body }, secret);
      const status = await caller.postText(path, body, headers);
      // A re-check may be faster than the webhook.
      if (status >= 300 && status !== GONE) throw new Error(`The webhook of ${tenantId} was answered with ${status}`);
    },
  };
}

async function waiting(bench: Bench, count: number): Promise<Figures> {
  const { quick, signal } = bench;
  const world = await startWorld(bench);
  const { infrastructure, provider, orchestrator, caller, database, asked } = world;
  const processes = [...infrastructure.processes, ...orchestrator.processes];
  const tenants = Array.from({ length: count }, (_, index) => `tenant-${index}`);

  const [begun, beforeStart] = [performance.now(), usageOf(processes)];
  await eachAtOnce(tenants, (tenantId) => caller.put(`/onboardings/${tenantId}`, inputOf(tenantId)));
  await until(() => asked.size === count, bench);
  const startedPerSecond = (count * 1_000) / (performance.now() - begun);
  const startCpuMs = cpuMsOf(processes, beforeStart, usageOf(processes));

  // The first checks are over, and the next ones come at their pace.
  await pause(quick ? 2_000 : 30_000, undefined, { signal });
  const [since, before, checksBefore] = [performance.now(), usageOf(processes), checksOf(provider)];
  await pause(quick ? 5_000 : 60_000, undefined, { signal });
  const [after, idleMs] = [usageOf(processes), performance.now() - since];
  const checks = checksOf(provider) - checksBefore;

  world.verify();
  const [woken, beforeWake] = [performance.now(), usageOf(processes)];
  await eachAtOnce(tenants, world.wake);
  await until(async () => (await endedOf(database)) >= count, bench);
  const finishedPerSecond = (count * 1_000) / (performance.now() - woken);
  const wakeCpuMs = cpuMsOf(processes, beforeWake, usageOf(processes));
  return {
    'started to waiting/s': startedPerSecond,
    'CPU ms a start': startCpuMs / count,
    ...idleFigures(processes, before, after, idleMs),
    'checks/s': (checks * 1_000) / idleMs,
    // With --quick none may fall due.
    ...(checks > 0 && { 'CPU ms a check': cpuMsOf(processes, before, after) / checks }),
    'woken to finished/s': finishedPerSecond,
    'CPU ms an end': wakeCpuMs / count,
  };
}

/** Percent of one core, and memory. */
const idleFigures = (
  processes: readonly MeasuredProcess[],
  before: ReadonlyMap<string, Usage>,
  after: ReadonlyMap<string, Usage>,
  idleMs: number,
): Figures =>
  Object.fromEntries(
    processes.flatMap(({ name }) => {
      const now = after.get(name) ?? { cpuMs: NaN, rssBytes: NaN };
      return [
        [`${name} CPU %`, ((now.cpuMs - (before.get(name)?.cpuMs ?? 0)) / idleMs) * 100],
        [`${name} MB`, now.rssBytes / 2 ** 20],
      ];
    }),
  );

const cpuMsOf = (
  processes: readonly MeasuredProcess[],
  before: ReadonlyMap<string, Usage>,
  after: ReadonlyMap<string, Usage>,
): number =>
  processes.reduce((sum, { name }) => sum + (after.get(name)?.cpuMs ?? NaN) - (before.get(name)?.cpuMs ?? NaN), 0);

const checksOf = ({ requests }: InstantProvider): number => requests.get('GET /domains') ?? 0;

export async function endedOf(database: Database): Promise<number> {
  const { ended } = await database
    .selectFrom('onboardings')
    .select(({ fn }) => fn.countAll<number | string>().as('ended'))
    .where('outcome', '=', 'onboarded')
    .executeTakeFirstOrThrow();
  return Number(ended);
}

/** Longer than two wake-ups must be apart to be acted on at once, and so often that few polls fall due meanwhile. */
const SECONDS_BETWEEN_WAKE_UPS = 7;

/** From when a webhook is to be posted until the Workflow that it wakes asks the provider. No domain is verified, so each goes on waiting. */
async function wakeUps(bench: Bench, perSecond: number): Promise<Figures> {
  const { quick, signal } = bench;
  const { infrastructure, orchestrator, caller, asked, wake, onAsked } = await startWorld(bench);
  const processes = [...infrastructure.processes, ...orchestrator.processes];
  const [warmUpMs, measuredMs] = quick ? [500, 1_500] : [5_000, 30_000];
  const wakeUpCount = ((warmUpMs + measuredMs) * perSecond) / 1_000;
  const count = SECONDS_BETWEEN_WAKE_UPS * perSecond;
  const tenants = Array.from({ length: count }, (_, index) => `tenant-${index}`);
  await eachAtOnce(tenants, (tenantId) => caller.put(`/onboardings/${tenantId}`, inputOf(tenantId)));
  await until(() => asked.size === count, bench);
  // The first poll of each comes right after the check that begins the wait.
  await pause(quick ? 2_000 : 30_000, undefined, { signal });
  const before = usageOf(processes);
  const tookMs = await atRate({
    ...{ perSecond, warmUpMs, measuredMs, signal },
    async runOne(number) {
      const tenantId = tenants[number % count] ?? '';
      const woken = new Promise<void>((resolve) => onAsked.set(inputOf(tenantId).domain, resolve));
      await wake(tenantId, `evt_${number}`);
      await woken;
    },
  });
  const after = usageOf(processes);
  return {
    ...{ 'p50 ms': percentile(tookMs, 50), 'p99 ms': percentile(tookMs, 99), 'max ms': Math.max(...tookMs) },
    ...Object.fromEntries(
      processes.map((process) => [`${process.name} CPU ms`, cpuMsOf([process], before, after) / wakeUpCount]),
    ),
  };
}

const KILLS = { full: 5, quick: 1 };

/** The Worker that holds the tenant's Workflow is killed while another one runs, and the webhook comes at once. */
async function killedWorker(bench: Bench): Promise<Figures> {
  const world = await startWorld(bench);
  const { orchestrator, caller, database, asked } = world;
  const isWorker = ({ name }: RunningProcess): boolean => name.startsWith('worker');
  let holder = orchestrator.processes.find(isWorker);
  const tookMs: number[] = [];
  for (let kill = 1; kill <= (bench.quick ? KILLS.quick : KILLS.full); kill++) {
    const tenantId = `killed-${kill}`;
    const { domain } = inputOf(tenantId);
    await caller.put(`/onboardings/${tenantId}`, inputOf(tenantId));
    await until(() => asked.has(domain), bench);
    const next = await orchestrator.startWorker(`worker-${kill + 1}`);
    await holder?.kill();
    holder = next;
    world.verify(domain);
    const woken = performance.now();
    await world.wake(tenantId);
    await until(async () => (await endedOf(database)) >= kill, bench);
    tookMs.push(performance.now() - woken);
  }
  return { 'wake-up to finished p50 ms': percentile(tookMs, 50), 'max ms': Math.max(...tookMs) };
}

export async function eachAtOnce<T>(items: readonly T[], call: (item: T) => Promise<unknown>): Promise<void> {
  const left = [...items].reverse();
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      for (let item = left.pop(); item !== undefined; item = left.pop()) await call(item);
    }),
  );
}

const REACHED_WITHIN_MS = 1_800_000;

export async function until(
  condition: () => boolean | Promise<boolean>,
  { signal }: Bench,
  timeoutMs = REACHED_WITHIN_MS,
): Promise<void> {
  const isOver = await waitUntil(() => signal.aborted || condition(), { timeoutMs, intervalMs: 50 });
  signal.throwIfAborted();
  if (!isOver) throw new Error(`Not all onboardings came so far within ${Math.round(timeoutMs / 60_000)} minutes`);
}
