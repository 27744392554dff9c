// The production topology with every process apart: two servers, two Workers and three email services on PostgreSQL onboard tenants, each with
// one message. Every metric and label that a rule, a dashboard or docs/operating.md names is in what they export, and an onboarding is one
// trace through all of them.
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { afterAll, beforeAll, expect } from 'vitest';
import { freePort } from '../../src/dev/temporal/free-port.ts';
import { installTemporalRuntime } from '../../src/lib/temporal/temporal-runtime.ts';
import { workflowsPath } from '../../src/worker.ts';
import { BACKGROUND_NAMESPACE, EMAIL_SERVICE_NAMESPACE, NAMESPACE } from '../deployment/infrastructure.ts';
import type { Deployment } from '../deployment/start-deployment.ts';
import { testOnProduction } from '../deployment/test-on-production.ts';
import { type CollectedSpan, startCollector } from '../support/otlp-collector.ts';
import { workflowCode } from '../support/workflow-bundle.ts';
import { topologyRun } from '../topology/topology-run.ts';
import { expressions, observeFolder } from './observed.ts';

const TIME_LIMIT_MS = 6 * 60_000;
/** The gauges of the database are read every 15 seconds. */
const SHOWN_WITHIN_MS = 60_000;

const collector = await startCollector();
afterAll(collector.close);

/** Of this process, which plays the Worker of a bad release. */
let ownUrl: string;
beforeAll(async () => {
  const address = `127.0.0.1:${await freePort()}`;
  ownUrl = `http://${address}/metrics`;
  installTemporalRuntime(pino({ level: 'silent' }), {
    ...{ program: 'orchestrator', setting: 'SENDOFF_METRICS_ADDRESS', address },
    release: { version: undefined, heldPatches: [] },
  });
});

async function scrape({ programs }: Deployment): Promise<string> {
  const urls = [ownUrl, ...programs.map(({ metricsUrl = '' }) => metricsUrl)];
  const texts = await Promise.all(
    urls.map(async (url) => {
      const answer = await fetch(url);
      // Prometheus refuses an answer without it.
      expect(answer.headers.get('content-type')).toMatch(/^text\/plain/);
      return answer.text();
    }),
  );
  return texts.join('');
}

/** The retention of both programs, which otherwise runs on the half hour. */
async function runRetention({ temporalAddress }: Deployment): Promise<void> {
  const connection = await Connection.connect({ address: temporalAddress });
  for (const namespace of [BACKGROUND_NAMESPACE, EMAIL_SERVICE_NAMESPACE]) {
    const { schedule } = new Client({ connection, namespace });
    for await (const { scheduleId } of schedule.list())
      if (scheduleId.endsWith('/retention')) await schedule.getHandle(scheduleId).trigger();
  }
  await connection.close();
}

/** A Workflow Task that fails because the history does not fit the code of the Worker. */
async function failToContinue(connection: NativeConnection): Promise<void> {
  const runWith = async (code: URL, use: () => Promise<unknown>): Promise<void> => {
    const workflowsPath = fileURLToPath(code);
    const options = { connection, namespace: NAMESPACE, taskQueue: 'changed', maxCachedWorkflows: 0 };
    const worker = await Worker.create({ ...options, ...(await workflowCode(workflowsPath)) });
    await worker.runUntil(use);
  };
  const { workflow } = new Client({ connection, namespace: NAMESPACE });
  const handle = await workflow.start('changed', { taskQueue: 'changed', workflowId: 'changed' });
  const events = async (): Promise<number> => (await handle.fetchHistory()).events?.length ?? 0;
  // Its timer has started.
  await runWith(new URL('changed-workflow/before.ts', import.meta.url), () => expect.poll(events).toBe(5));
  await handle.signal('wake up');
  await runWith(new URL('changed-workflow/after.ts', import.meta.url), () =>
    expect.poll(() => fetch(ownUrl).then((answer) => answer.text())).toContain('NonDeterminismError'),
  );
  await handle.terminate();
}

/** The labels of each metric, with their values. */
type Exported = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>;

function exportedIn(scraped: string): Exported {
  const metrics = new Map<string, Map<string, Set<string>>>();
  for (const [, name = '', labels = ''] of scraped.matchAll(/^([a-z_]+)(?:\{(.*)\})? \S+$/gm)) {
    const known = metrics.get(name) ?? new Map<string, Set<string>>();
    metrics.set(name, known);
    for (const [, label = '', value = ''] of labels.matchAll(/(\w+)="([^"]*)"/g))
      known.set(label, (known.get(label) ?? new Set()).add(value));
  }
  return metrics;
}

/** Prometheus adds it to what it reads. */
const OF_PROMETHEUS = ['instance'];
/** No call of the test has every meaning. The type has all of them. */
const meanings = readFileSync(join(observeFolder, '../../src/email-provider/count-calls.ts'), 'utf8').concat(
  readFileSync(join(observeFolder, '../../src/email-provider/provider-error.ts'), 'utf8'),
);
const mayHave = (label: string, value: string): boolean =>
  (label === 'meaning' && meanings.includes(`'${value}'`)) || (label === 'status_class' && value === '5xx');

function faultsIn(expr: string, exported: Exported): string[] {
  const used = [...expr.matchAll(/\b((?:sendoff|temporal)_[a-z_]+)\b(?:\{([^}]*)\})?/g)];
  const labelsOf = (name: string): readonly string[] => [...(exported.get(name)?.keys() ?? []), ...OF_PROMETHEUS];
  const ofMatchers = used.flatMap(([, name = '', matchers = '']) => {
    if (!exported.has(name)) return [`no metric ${name}`];
    return [...matchers.matchAll(/(\w+)(=~|!=|!~|=)"([^"]*)"/g)].flatMap(([, label = '', , text = '']) => {
      if (!labelsOf(name).includes(label)) return [`${name} has no label ${label}`];
      const values = exported.get(name)?.get(label);
      const unknown = text.split('|').filter((value) => values?.has(value) !== true && !mayHave(label, value));
      return unknown.map((value) => `${name} has no ${label} ${value}`);
    });
  });
  const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/, */));
  const known = used.flatMap(([, name = '']) => labelsOf(name));
  return [...ofMatchers, ...grouped.filter((label) => !known.includes(label)).map((label) => `nothing has ${label}`)];
}

/** `name@service` of each span between this one and the request that began the trace. */
function wayTo(span: CollectedSpan | undefined, spans: ReadonlyMap<string, CollectedSpan>): string[] {
  return span === undefined ? [] : [...wayTo(spans.get(span.parentId), spans), `${span.name}@${span.service}`];
}

async function expectTraces({ temporalAddress }: Deployment): Promise<void> {
  const way = (name: string): readonly string[] => {
    const spans = new Map(collector.spans.map((span) => [span.spanId, span]));
    return wayTo(
      collector.spans.find((span) => span.name === name && span.service === 'sendoff-email-service'),
      spans,
    );
  };
  await expect
    .poll(() => way('POST /emails'), { timeout: SHOWN_WITHIN_MS })
    .toEqual([
      'PUT /onboardings/:tenantId@sendoff-server',
      'sendFirstEmail@sendoff-worker',
      expect.stringMatching(/^sendoff .*@sendoff-worker$/),
      'POST /emails@sendoff-email-service',
    ]);
  expect(collector.received()).not.toMatch(/@inbox\.|so_live|whsec_|BEGIN [A-Z ]*PRIVATE/);
  // The header is part of what is replayed.
  const connection = await Connection.connect({ address: temporalAddress });
  const { workflow } = new Client({ connection, namespace: NAMESPACE });
  let workflowId = '';
  for await (const listed of workflow.list({ query: "WorkflowType = 'onboardTenant'" })) ({ workflowId } = listed);
  const history = await workflow.getHandle(workflowId).fetchHistory();
  expect(JSON.stringify(history.events?.map((event) => event.workflowExecutionStartedEventAttributes))).toContain(
    '_tracer-data',
  );
  await Worker.runReplayHistory(await workflowCode(workflowsPath), history);
  await connection.close();
}

testOnProduction(
  'what rules, dashboards and docs name is exported, and no label has a tenant, a domain, an address or an ID',
  {
    timeLimitMs: TIME_LIMIT_MS,
    measured: true,
    settings: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      SENDOFF_NOTIFICATION_URL: 'http://127.0.0.1:9/',
      SENDOFF_NOTIFICATION_SECRET: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
    },
  },
  async ({ deployment, signal, report, reported }) => {
    // Its Runtime, and with it the exporter, ends with its last connection.
    const connection = await NativeConnection.connect({ address: deployment.temporalAddress });
    try {
      const result = await topologyRun(deployment, { tenants: 4, restart: false, report, signal });
      expect(result, reported()).toMatchObject({
        onboardings: { onboarded: 3, EmailBounced: 1 },
        messages: 3,
        retriedAfter: {},
        faults: [],
        ownEnds: {},
      });
      await expectTraces(deployment);
      await failToContinue(connection);
      await runRetention(deployment);
      let scraped = '';
      for (const program of ['orchestrator', 'email-service'])
        await expect
          .poll(async () => (scraped = await scrape(deployment)), { timeout: SHOWN_WITHIN_MS })
          .toContain(`sendoff_retention_last_success_timestamp_seconds{program="${program}"}`);
      const exported = exportedIn(scraped);
      const found = [...expressions].flatMap(([where, expr]) =>
        faultsIn(expr, exported).map((fault) => `${fault}: ${where}`),
      );
      expect(found).toEqual([]);
      const operating = readFileSync(join(observeFolder, '../../docs/operating.md'), 'utf8');
      for (const [, name = '', labels = ''] of operating.matchAll(/^\| `(sendoff_\w+)` \| ([^|]*) \|/gm)) {
        const kept = exported.get(name) ?? exported.get(`${name}_count`);
        const documented = [...labels.matchAll(/`(\w+)`/g)].map(([, label]) => label);
        const expected = labels === 'the same' ? ['method', 'route', 'status_class'] : documented;
        expect([...(kept?.keys() ?? [])].sort(), name).toEqual([...expected, 'program'].sort());
      }
      const values = [...exported.values()].flatMap((labels) => [...labels.values()].flatMap((each) => [...each]));
      const personal = /@|\.test\b|\b(?:acc|key|dom|snd|eml|whk|evt)_[0-9a-z]|^(?:good|load|sender|tenant)\b/;
      expect(values.filter((value) => personal.test(value))).toEqual([]);
    } finally {
      await connection.close();
    }
  },
);
