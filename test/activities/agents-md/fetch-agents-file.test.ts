import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { agentsFileActivities } from '../../../src/activities/agents-md/fetch-agents-file.ts';
import type { PlaceFetcher, PlaceRequest, RepositoryRequest } from '../../../src/code-host/fetch-place.ts';
import type { FileObservation } from '../../../src/agents-md/observation.ts';
import { type LocalCodeHost, startLocalCodeHost } from '../../support/local-code-host.ts';
import { fetcherOf, firstLook } from '../../support/place-fetcher.ts';

let host: LocalCodeHost;
let fetcher: PlaceFetcher;
let base: string;
let reply: { status: number; headers?: Record<string, string>; body?: string };

beforeEach(async () => {
  host = await startLocalCodeHost();
  host.serveOthers((_, response) => response.writeHead(reply.status, reply.headers).end(reply.body));
  base = host.urls.raw;
  fetcher = fetcherOf(host.urls);
});

afterEach(async () => {
  await fetcher.close();
  await host.stop();
});

/** One attempt; `met` is what the heartbeats of those before it left. */
async function attempt(met?: unknown): Promise<FileObservation> {
  const environment = new MockActivityEnvironment({ heartbeatDetails: met });
  let noted: unknown;
  environment.on('heartbeat', (details: unknown) => {
    noted = details;
  });
  const ask = (asked: PlaceRequest): Promise<FileObservation> =>
    agentsFileActivities({ placeFetcher: fetcher }).fetchAgentsFile(asked);
  try {
    return await environment.run<[PlaceRequest], FileObservation, typeof ask>(ask, firstLook());
  } catch (error) {
    throw Object.assign(error as Error, { met: noted });
  }
}
const fetchAgentsFile = (): Promise<FileObservation> => attempt();

test.each([
  [{ 'retry-after': '2' }, 2_000, 'retrying acme/acme/AGENTS.md in 2 s (requested by the host)'],
  [{ 'x-ratelimit-reset': '45' }, 45_000, 'in 45 s'],
  [{}, 60_000, 'in 60 s (the host named no time)'],
])('retries a 429 with %j after %i ms and resets the count of failures', async (headers, delay, words) => {
  reply = { status: 429, headers: headers };
  const failure = attempt({ outages: 7, refusals: 3 });
  await expect(failure).rejects.toMatchObject({
    type: 'HostThrottled',
    nonRetryable: false,
    category: 'BENIGN',
    nextRetryDelay: delay,
    stack: '',
    details: [{ reason: 'github.com limits the request rate (status 429)', url: `${base}/acme/acme/HEAD/AGENTS.md` }],
    met: { outages: 0, refusals: 0 },
  });
  await expect(failure).rejects.toThrow(words);
});

test.each([
  [503, 'HostUnreachable', 'github.com: status 503', { outages: 0 }, 5_000, { outages: 1 }],
  [503, 'HostUnreachable', 'github.com: status 503', { outages: 6, refusals: 3 }, 320_000, { outages: 7, refusals: 0 }],
  [503, 'HostUnreachable', 'github.com: status 503', { outages: 7 }, null, { outages: 8 }],
  [403, 'HostRefused', 'github.com refuses access (status 403)', undefined, 60_000, { refusals: 1 }],
  [403, 'HostRefused', 'github.com refuses access (status 403)', { refusals: 2 }, 240_000, { refusals: 3 }],
  [403, 'HostRefused', 'github.com refuses access (status 403)', { refusals: 3 }, null, { refusals: 4 }],
])('retries %i (%s: %s) after %j in %s ms and records %j', async (status, type, reason, met, delay, left) => {
  reply = { status };
  const failure = attempt(met);
  await expect(failure).rejects.toMatchObject({
    type,
    nonRetryable: delay === null,
    nextRetryDelay: delay ?? undefined,
    details: [{ reason, url: `${base}/acme/acme/HEAD/AGENTS.md` }],
    met: left,
  });
  await expect(failure).rejects.toThrow(delay === null ? reason : `${reason}; retrying acme/acme/AGENTS.md`);
});

test('names the requested URL without its query in the details', async () => {
  reply = { status: 503 };
  const listing: RepositoryRequest = { host: 'github.com', organization: 'acme', hopsMax: 2 };
  const resolution = new MockActivityEnvironment().run(
    (asked: RepositoryRequest) => agentsFileActivities({ placeFetcher: fetcher }).resolvePrimaryRepository(asked),
    listing,
  );
  await expect(resolution).rejects.toMatchObject({
    details: [{ reason: 'github.com: status 503', url: `${base}/search/repositories` }],
  });
});

test('delays a request after an earlier one was throttled, and says so', async () => {
  reply = { status: 429, headers: { 'retry-after': '120' } };
  await expect(fetchAgentsFile()).rejects.toMatchObject({ nextRetryDelay: 120_000 });
  const bound = fetchAgentsFile();
  await expect(bound).rejects.toMatchObject({ type: 'HostThrottled', category: 'BENIGN' });
  await expect(bound).rejects.toThrow(
    'github.com limits the request rate (status 429 to an earlier request); retrying',
  );
});

test('returns a missing file as an observation, and only an excerpt of a long one', async () => {
  reply = { status: 404 };
  expect(await fetchAgentsFile()).toMatchObject({ answer: 'absent', httpStatus: 404 });
  reply = { status: 200, body: 'secret '.repeat(20_000) };
  const observed = await fetchAgentsFile();
  expect(observed).toMatchObject({ answer: 'text', measurement: { contentClass: 'content' } });
  expect(JSON.stringify(observed).length).toBeLessThan(1_500);
});
