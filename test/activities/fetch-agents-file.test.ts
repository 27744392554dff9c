import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { agentsFileActivities } from '../../src/activities/fetch-agents-file.ts';
import {
  createPlaceFetcher,
  type PlaceFetcher,
  type PlaceQuestion,
  type RepositoryQuestion,
} from '../../src/code-host-client/fetch-place.ts';
import type { FileObservation } from '../../src/agents-md/observation.ts';

let server: Server;
let fetcher: PlaceFetcher;
let base: string;
let reply: { status: number; headers?: Record<string, string>; body?: string };

beforeEach(async () => {
  server = createServer((_, response) => response.writeHead(reply.status, reply.headers).end(reply.body));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  fetcher = createPlaceFetcher({
    contact: 'ops@example.com',
    urls: { 'github.com': { web: base, raw: base, api: base } },
  });
});

afterEach(async () => {
  await fetcher.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const question: PlaceQuestion = {
  host: 'github.com',
  place: { in: 'primary', organization: 'acme', repository: 'acme', path: 'AGENTS.md' },
  look: 'first',
  stored: null,
  hopsMax: 2,
};

const fetchAgentsFile = (attempt = 1): Promise<FileObservation> =>
  new MockActivityEnvironment({ attempt }).run(
    (asked: PlaceQuestion) => agentsFileActivities({ placeFetcher: fetcher }).fetchAgentsFile(asked),
    question,
  );

test.each([
  [{ 'retry-after': '2' }, 1, 2_000, 'waiting 2 s (as it asks)'],
  [{ 'x-ratelimit-reset': '45' }, 1, 45_000, 'waiting 45 s (as it asks)'],
  [{}, 1, 60_000, 'waiting 60 s (it did not say how long)'],
  [{}, 3, 240_000, 'waiting 240 s'],
  [{}, 40, 1_800_000, 'waiting 1800 s'],
])('429 with %j at attempt %i is asked again after %i ms and says why', async (headers, attempt, delay, words) => {
  reply = { status: 429, headers: headers };
  const failure = fetchAgentsFile(attempt);
  await expect(failure).rejects.toMatchObject({
    type: 'HostThrottled',
    nonRetryable: false,
    category: 'BENIGN',
    nextRetryDelay: delay,
    stack: '',
    details: [{ reason: 'github.com asks for fewer requests (status 429)', url: `${base}/acme/acme/HEAD/AGENTS.md` }],
  });
  await expect(failure).rejects.toThrow(words);
});

test('a host that fails is asked again by the retry policy', async () => {
  reply = { status: 503 };
  const failure = fetchAgentsFile();
  await expect(failure).rejects.toMatchObject({ type: 'HostUnreachable', nonRetryable: false });
  await expect(failure).rejects.toThrow('github.com: status 503; acme/acme/AGENTS.md is asked for again');
});

test.each([
  [1, false],
  [8, true],
])('at attempt %i the details name the cause alone, and what was asked without its query', async (attempt, isLast) => {
  reply = { status: 503 };
  const listing: RepositoryQuestion = { host: 'github.com', organization: 'acme', hopsMax: 2 };
  const resolution = new MockActivityEnvironment({ attempt }).run(
    (asked: RepositoryQuestion) => agentsFileActivities({ placeFetcher: fetcher }).resolvePrimaryRepository(asked),
    listing,
  );
  await expect(resolution).rejects.toMatchObject({
    type: 'HostUnreachable',
    nonRetryable: isLast,
    details: [{ reason: 'github.com: status 503', url: `${base}/search/repositories` }],
  });
});

test('a question that another one binds waits as that one was told, and says so', async () => {
  reply = { status: 429, headers: { 'retry-after': '120' } };
  await expect(fetchAgentsFile()).rejects.toMatchObject({ nextRetryDelay: 120_000 });
  const bound = fetchAgentsFile();
  await expect(bound).rejects.toMatchObject({ type: 'HostThrottled', category: 'BENIGN' });
  await expect(bound).rejects.toThrow('github.com asks for fewer requests (status 429 to an earlier request); waiting');
});

test('a missing file is an observation, and a long one leaves only an excerpt in the history', async () => {
  reply = { status: 404 };
  expect(await fetchAgentsFile()).toMatchObject({ answer: 'absent', httpStatus: 404 });
  reply = { status: 200, body: 'secret '.repeat(20_000) };
  const observed = await fetchAgentsFile();
  expect(observed).toMatchObject({ answer: 'text', measurement: { contentClass: 'content' } });
  expect(JSON.stringify(observed).length).toBeLessThan(1_500);
});
