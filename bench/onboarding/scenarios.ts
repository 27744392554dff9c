import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Client } from '@temporalio/client';
import { freePort } from '../../src/dev/temporal/free-port.ts';
import { connectClient } from '../../src/lib/temporal/connect-client.ts';
import { NAMESPACE } from '../../test/deployment/infrastructure.ts';
import { type Infrastructure, startInfrastructure } from '../infrastructure.ts';
import { createCaller } from '../caller.ts';
import type { MeasuredProcess } from '../process-usage.ts';
import type { Bench, Figures, Scenario } from '../scenario.ts';
import { startProcess } from '../start-process.ts';
import { percentile } from '../statistics.ts';
import { cpuFigures, underLoad } from '../under-load.ts';
import { inputOf } from './input-of.ts';
import { type InstantProvider, startInstantProvider } from './instant-provider.ts';
import { startOrchestrator } from './start-orchestrator.ts';

/** What answers `PUT /onboardings/{tenantId}`. */
interface Subject {
  readonly url: string;
  readonly token: string;
  readonly processes: readonly MeasuredProcess[];
}

/** `infrastructure`: undefined without an engine. */
type StartSubject = (
  bench: Bench,
  infrastructure: Infrastructure | undefined,
  provider: InstantProvider,
) => Promise<Subject>;

const sendoff: StartSubject = async (bench, infrastructure, provider) => {
  if (infrastructure === undefined) throw new Error('sendoff needs a Temporal server');
  const orchestrator = await startOrchestrator(bench, infrastructure, { providerUrl: provider.url });
  return { ...orchestrator, token: orchestrator.apiToken };
};

const rival =
  (name: string): StartSubject =>
  async (bench, infrastructure, provider) => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const settings = {
      ...{ RIVAL: name, PORT: String(port), PROVIDER_URL: provider.url },
      ...(infrastructure && { TEMPORAL_ADDRESS: infrastructure.temporalAddress, TEMPORAL_NAMESPACE: NAMESPACE }),
    };
    const main = fileURLToPath(new URL('../rivals/main.ts', import.meta.url));
    const worker = await startProcess({ name: 'worker', args: ['--import', 'tsx', main], settings, url }, bench);
    return { url, token: '', processes: [worker] };
  };

const SUBJECTS: readonly { readonly name: string; readonly title: string; readonly start: StartSubject }[] = [
  { name: 'onboarding', title: 'sendoff: `server` and `worker`', start: sendoff },
  { name: 'empty', title: 'an empty Workflow', start: rival('empty') },
  { name: 'regular', title: 'six regular Activities', start: rival('sixRegular') },
  { name: 'local', title: 'six Local Activities', start: rival('sixLocal') },
  { name: 'no-engine', title: 'six calls without an engine', start: rival('noEngine') },
];

/** Both tables: each subject with many clients, and alone. */
export const onboardingScenarios: readonly Scenario[] = SUBJECTS.flatMap(({ name, title, start }) => [
  {
    ...{ name, title, table: 'Onboardings: 50 clients' },
    run: async (bench: Bench) => ({
      [title]: await onboardings(bench, start, { clients: 50, hasEngine: name !== 'no-engine' }),
    }),
  },
  {
    ...{ name: `${name}-alone`, title, table: 'Onboardings: one client' },
    run: async (bench: Bench) => ({
      [title]: await onboardings(bench, start, { clients: 1, hasEngine: name !== 'no-engine' }),
    }),
  },
]);

/** From PUT to the end of the Workflow, which the caller awaits at Temporal. */
async function onboardings(
  bench: Bench,
  startSubject: StartSubject,
  { clients, hasEngine }: { readonly clients: number; readonly hasEngine: boolean },
): Promise<Figures> {
  const { closers, quick, signal } = bench;
  const provider = await startInstantProvider();
  closers.add(() => provider.close());
  const engine = hasEngine ? await startEngine(bench) : undefined;
  const subject = await startSubject(bench, engine?.infrastructure, provider);
  const caller = createCaller(subject);
  closers.add(() => caller.close());

  const run = randomBytes(4).toString('hex');
  const load = await underLoad({
    ...{ clients, signal, warmUpMs: quick ? 500 : 8_000, measuredMs: quick ? 2_000 : 20_000 },
    processes: [...(engine?.infrastructure.processes ?? []), ...subject.processes],
    runOne: async (number) => {
      const tenantId = `${run}-${number}`;
      await caller.put(`/onboardings/${tenantId}`, inputOf(tenantId));
      await engine?.executionOf(tenantId).result();
    },
  });
  const first = await engine?.executionOf(`${run}-1`).describe();
  return {
    'ended/s': load.perSecond,
    'p50 ms': percentile(load.tookMs, 50),
    'p99 ms': percentile(load.tookMs, 99),
    ...cpuFigures(load),
    ...(first && { 'events of a history': first.historyLength }),
  };
}

async function startEngine(bench: Bench) {
  const infrastructure = await startInfrastructure(bench);
  const connection = await connectClient({ address: infrastructure.temporalAddress });
  bench.closers.add(() => connection.close());
  const { workflow } = new Client({ connection, namespace: NAMESPACE });
  return { infrastructure, executionOf: (tenantId: string) => workflow.getHandle(`onboarding/${tenantId}`) };
}
