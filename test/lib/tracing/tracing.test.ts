import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { createLogger } from '../../../src/lib/create-logger.ts';
import { createHttpApp, type HttpApp } from '../../../src/lib/http/create-http-app.ts';
import { inSpan, startTracing, stopTracing } from '../../../src/lib/tracing/tracing.ts';
import { type CollectedSpan, startCollector } from '../../support/otlp-collector.ts';
import { folderOfFile } from '../../support/temporary-folder.ts';

const folder = folderOfFile();
const logFile = join(folder, 'log');
const OF_CALLER = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };
const CALLERS_TRACE = '0af7651916cd43dd8448eb211c80319c';

let app: HttpApp;
let spans: readonly CollectedSpan[];
let lines: readonly Record<string, unknown>[];
beforeAll(async () => {
  const collector = await startCollector();
  process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = collector.url;
  const logger = createLogger('info', logFile);
  await startTracing({ service: 'sendoff-test', version: '1', endpoint: collector.url, logger });
  app = createHttpApp({ logger, realm: 'test', patternMeanings: {}, bodyLimit: 1_000 });
  app.get('/things/:id', async ({ log }) => {
    await Promise.resolve();
    log.info('at work');
    return inSpan('ask', () => Promise.resolve({}));
  });
  app.get('/failing', () => inSpan('refuse', () => Promise.reject(new TypeError('of ada@inbox.test'))));
  app.get('/readyz', () => ({}));
  const credential = { authorization: 'Bearer secret-of-a-caller' };
  await app.inject({ url: '/things/1?token=secret-of-a-caller', headers: { ...credential, ...OF_CALLER } });
  await app.inject({ url: '/things/2', headers: OF_CALLER });
  await app.inject({ url: '/things/3', headers: { ...credential, traceparent: `00-${'f'.repeat(100_000)}` } });
  await app.inject({ url: '/failing' });
  await app.inject({ url: '/readyz' });
  await app.inject({ url: '/none/secret-of-a-caller' });
  await app.close();
  await stopTracing();
  await collector.close();
  spans = collector.spans;
  expect(collector.received()).not.toMatch(/secret-of-a-caller|ada@inbox\.test/);
  lines = readFileSync(logFile, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
});

const named = (name: string): readonly CollectedSpan[] => spans.filter((span) => span.name === name);

test('each request is a span, except those for the health of the program', () => {
  expect(named('GET /things/:id')).toHaveLength(3);
  expect(named('GET')).toMatchObject([{ attributes: { 'http.response.status_code': 404 } }]);
  expect(spans.map(({ name }) => name).filter((name) => name.includes('readyz'))).toEqual([]);
  expect(new Set(spans.map(({ service }) => service))).toEqual(new Set(['sendoff-test']));
});

test('a caller with a credential goes on with its own trace; without one, or with one of another form, a trace begins', () => {
  const [known, stranger, other] = named('GET /things/:id');
  expect(known).toMatchObject({ traceId: CALLERS_TRACE, parentId: 'b7ad6b7169203331' });
  expect(stranger?.parentId).toBe('');
  expect(other?.parentId).toBe('');
  expect(new Set([CALLERS_TRACE, stranger?.traceId, other?.traceId]).size).toBe(3);
});

test('a call of another service is a span within that of the request; an error shows its name, never its message', () => {
  const [request] = named('GET /things/:id');
  expect(named('ask')[0]).toMatchObject({ traceId: CALLERS_TRACE, parentId: request?.spanId, isError: false });
  expect(named('refuse')).toMatchObject([{ isError: true, attributes: { 'error.type': 'TypeError' } }]);
  expect(named('GET /failing')).toMatchObject([{ isError: true, attributes: { 'http.response.status_code': 500 } }]);
});

test('lines of the log name their span', () => {
  const [request] = named('GET /things/:id');
  const at = lines.find(({ msg, trace_id: trace }) => msg === 'at work' && trace === CALLERS_TRACE);
  expect(at).toMatchObject({ span_id: request?.spanId });
});
