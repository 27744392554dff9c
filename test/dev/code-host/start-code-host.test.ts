import { afterEach, beforeEach, expect, test } from 'vitest';
import type { FileObservation } from '../../../src/agents-md/observation.ts';
import type { PlaceFetcher } from '../../../src/code-host/fetch-place.ts';
import { type CodeHostServer, startCodeHost } from '../../../src/dev/code-host/start-code-host.ts';
import { fetcherOf, firstLook } from '../../support/place-fetcher.ts';

const TEXT = 'How to build and test this. '.repeat(10);
const repository = (name: string, stars: number, files: Record<string, string> = {}) => ({
  organization: 'acme-api',
  name,
  stars,
  files,
});

let host: CodeHostServer;
let client: PlaceFetcher;
const idle = new AbortController().signal;

beforeEach(async () => {
  host = await startCodeHost({
    repositories: [
      repository('widgets', 3, { 'AGENTS.md': TEXT }),
      repository('gadgets', 70),
      repository('.github', 90),
      { organization: 'slow', name: 'slow', stars: 1, files: { 'AGENTS.md': TEXT } },
    ],
    throttles: [{ organization: 'slow', times: 2, retryAfterSeconds: 7 }],
  });
  // The client that checks use judges whether it answers as github.com does.
  client = newClient();
});
afterEach(async () => {
  await client.close();
  await host.stop();
});

const newClient = (): PlaceFetcher => fetcherOf(host.urls);

/** A client that got Retry-After sends the host no further request. */
async function forgetPauses(): Promise<void> {
  await client.close();
  client = newClient();
}

const fetchFile = (organization: string, name: string, stored: FileObservation | null = null) =>
  client.fetchPlace({ ...firstLook(name, organization), stored }, idle);
const resolve = (organization: string) =>
  client.resolveRepository({ host: 'github.com', organization, hopsMax: 3 }, idle);

test('serves a file under its names in any case, with an ETag and 304', async () => {
  const seen = await fetchFile('Acme-API', 'Widgets');
  expect(seen).toMatchObject({ answer: 'text', httpStatus: 200, measurement: { contentClass: 'content' } });
  expect(await fetchFile('acme-api', 'widgets', seen)).toMatchObject({ answer: 'text', httpStatus: 304 });
});

test.each([
  ['acme-api', 'gadgets'],
  ['acme-api', 'none'],
  ['nobody', 'none'],
])('%s/%s has no such file: 404', async (organization, name) => {
  expect(await fetchFile(organization, name)).toMatchObject({ answer: 'absent', httpStatus: 404 });
});

test('returns repositories by stars, and 422 for an unknown organization', async () => {
  expect(await resolve('acme-api')).toMatchObject({
    answer: 'resolved',
    repository: 'gadgets',
    selectedBy: 'mostStars',
  });
  expect(await resolve('nobody')).toMatchObject({ answer: 'absent', httpStatus: 422 });
});

test('refuses the first requests of a throttled organization with Retry-After', async () => {
  await expect(fetchFile('slow', 'slow')).rejects.toMatchObject({ name: 'HostThrottled', retryAfterMs: 7_000 });
  await forgetPauses();
  await expect(resolve('slow')).rejects.toMatchObject({ name: 'HostThrottled' });
  await forgetPauses();
  expect(await fetchFile('slow', 'slow')).toMatchObject({ answer: 'text' });
});

test('records every request with its organization, headers and status', async () => {
  await fetchFile('acme-api', 'widgets');
  await resolve('nobody');
  expect(host.requests()).toMatchObject([
    { method: 'GET', organization: 'acme-api', path: '/raw/acme-api/widgets/HEAD/AGENTS.md', status: 200 },
    { method: 'GET', organization: 'nobody', status: 422 },
  ]);
  expect(host.requests()[0]?.headers['user-agent']).toContain('ops@example.com');
});
