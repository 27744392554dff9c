import { pino } from 'pino';
import { createServer } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../../src/dev/temporal/free-port.ts';
import { keepFigures } from '../../../src/lib/metrics/keep-figures.ts';
import { counter, gauge } from '../../../src/lib/metrics/metrics.ts';
import { createHealthApp } from '../../../src/lib/http/create-health-app.ts';
import type { HttpApp } from '../../../src/lib/http/create-http-app.ts';
import { installTemporalRuntime, type MetricsExport } from '../../../src/lib/temporal/temporal-runtime.ts';

const logger = pino({ level: 'silent' });
const known = counter<{ kind: 'a' | 'b' }>('test_known', 'With labels that are known.', [{ kind: 'a' }]);
const size = gauge<{ of: string }>('test_size', 'From a source that can fail.');
const metrics = (address: string): MetricsExport => ({
  ...{ program: 'orchestrator', setting: 'SENDOFF_METRICS_ADDRESS', address },
  release: { version: { deploymentName: 'sendoff-worker', buildId: 'build-7' }, heldPatches: [] },
});

let url: string;
let app: HttpApp;
beforeAll(async () => {
  const address = `127.0.0.1:${await freePort()}`;
  url = `http://${address}/metrics`;
  await refusesTakenAddress();
  installTemporalRuntime(logger, metrics(address));
  app = createHealthApp('orchestrator', (routes) => {
    routes.get('/tenants/:tenantId', async () => 'here');
    routes.get('/fails', async () => Promise.reject(new Error('broken')));
  });
});
afterAll(() => app.close());

/** Before the only Runtime of the process. */
async function refusesTakenAddress(): Promise<void> {
  const taken = createServer();
  const port = await freePort();
  await new Promise<void>((resolve) => taken.listen(port, '127.0.0.1', resolve));
  expect(() => {
    installTemporalRuntime(logger, metrics(`127.0.0.1:${port}`));
  }).toThrow(
    `SENDOFF_METRICS_ADDRESS is 127.0.0.1:${port}, where metrics cannot be served: Failed to start prometheus metrics exporter: Address already in use (os error 98). Set it to a free port of an address of this machine, or remove it.`,
  );
  await new Promise((resolve) => taken.close(resolve));
}

/** The labels of each series in the order of their names. */
const scrape = async (): Promise<string[]> =>
  (await (await fetch(url)).text())
    .split('\n')
    .map((line) => line.replace(/\{(.*)\}/, (_, labels: string) => `{${labels.split(',').sort().join(',')}}`));
const seriesOf = async (name: string): Promise<string[]> =>
  (await scrape()).filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));

test('counters whose labels are known begin with 0, and are counted in rounds', async () => {
  expect(await seriesOf('test_known_total')).toEqual(['test_known_total{kind="a",program="orchestrator"} 0']);
  for (let times = 0; times < 3; times += 1) known.add({ kind: 'a' });
  known.add({ kind: 'b' });
  await expect
    .poll(() => seriesOf('test_known_total'))
    .toEqual([
      'test_known_total{kind="a",program="orchestrator"} 3',
      'test_known_total{kind="b",program="orchestrator"} 1',
    ]);
});

test('requests are counted by the pattern of their route, never by their path', async () => {
  for (const tenantId of ['acme', 'ben']) await app.inject(`/tenants/${tenantId}`);
  await app.inject('/tenants');
  await app.inject({ method: 'POST', url: '/tenants/acme' });
  await app.inject('/fails');
  const labels = (method: string, route: string, statusClass: string): string =>
    `{method="${method}",program="orchestrator",route="${route}",status_class="${statusClass}"`;
  await expect
    .poll(() => seriesOf('sendoff_http_requests_total').then((series) => series.sort()))
    .toEqual([
      `sendoff_http_requests_total${labels('GET', '/fails', '5xx')}} 1`,
      `sendoff_http_requests_total${labels('GET', '/tenants/:tenantId', '2xx')}} 2`,
      `sendoff_http_requests_total${labels('GET', 'none', '4xx')}} 1`,
      `sendoff_http_requests_total${labels('POST', 'none', '4xx')}} 1`,
    ]);
  const durations = await seriesOf('sendoff_http_request_duration_seconds_bucket');
  expect(durations).toContain(
    `sendoff_http_request_duration_seconds_bucket{le="30",${labels('GET', '/tenants/:tenantId', '2xx').slice(1)}} 2`,
  );
  expect((await scrape()).join('\n')).not.toContain('acme');
});

test('the process shows its release and how late its timers are', async () => {
  expect(await seriesOf('sendoff_build_info')).toEqual([
    expect.stringMatching(
      /^sendoff_build_info\{build_id="build-7",program="orchestrator",version="\d+\.\d+\.\d+"\} 1$/,
    ),
  ]);
  expect(await seriesOf('sendoff_event_loop_delay_seconds')).toHaveLength(2);
  const [measured] = await seriesOf('sendoff_measured_timestamp_seconds');
  expect(Number(measured?.split(' ')[1])).toBeGreaterThan(Date.now() / 1_000 - 60);
});

test('a gauge whose source fails has no number until the source answers again', async () => {
  let fails = false;
  const end = keepFigures({
    gauges: [size],
    everyMs: 20,
    read: async () => {
      if (fails) throw new Error('away');
      size.set(7, { of: 'rows' });
    },
  });
  const sizes = (): Promise<string[]> => seriesOf('test_size');
  const readAt = async (): Promise<string[]> =>
    (await seriesOf('sendoff_measured_timestamp_seconds')).filter((line) => line.includes('source="database"'));
  await expect.poll(sizes).toEqual(['test_size{of="rows",program="orchestrator"} 7']);
  fails = true;
  await expect.poll(sizes).toEqual(['test_size{of="rows",program="orchestrator"} NaN']);
  const lastRead = await readAt();
  fails = false;
  await expect.poll(sizes).toEqual(['test_size{of="rows",program="orchestrator"} 7']);
  expect(await readAt()).not.toEqual(lastRead);
  end();
  expect(await sizes()).toEqual(['test_size{of="rows",program="orchestrator"} NaN']);
});
