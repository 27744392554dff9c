import type { RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { FILE_BYTES_MAX, type PlaceFetcher, type PlaceRequest } from '../../src/code-host/fetch-place.ts';
import type { FileObservation } from '../../src/agents-md/observation.ts';
import { drip, pour, respond } from '../support/http-listeners.ts';
import { type LocalCodeHost, startLocalCodeHost } from '../support/local-code-host.ts';
import { fetcherOf, firstLook } from '../support/place-fetcher.ts';

let host: LocalCodeHost;
let base: string;
let answer: RequestListener;
let seen: LocalCodeHost['requests'];
let fetcher: PlaceFetcher;
const idle = new AbortController().signal;

beforeEach(async () => {
  host = await startLocalCodeHost();
  host.serveOthers((request, response) => {
    answer(request, response);
  });
  seen = host.requests;
  base = host.urls.raw;
  fetcher = fetcherOf(host.urls, { timeoutMs: 3_000 });
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await fetcher.close();
  await host.stop();
});

const fetchPlace = (changes: Partial<PlaceRequest> = {}) => fetcher.fetchPlace({ ...firstLook(), ...changes }, idle);
const resolveRepository = (hopsMax = 3) =>
  fetcher.resolveRepository({ host: 'github.com', organization: 'acme', hopsMax }, idle);
const text = 'x'.repeat(200);
describe('the response for a file', () => {
  test.each<[string, () => RequestListener, Partial<FileObservation>]>([
    ['200 with text', () => respond(200, { etag: '"a"' }, text), { answer: 'text', etag: '"a"', httpStatus: 200 }],
    ['404', () => respond(404), { answer: 'absent' }],
    ['410', () => respond(410), { answer: 'absent' }],
    ['451', () => respond(451), { answer: 'absent' }],
    ['400', () => respond(400), { answer: 'unexpectedContent', detail: 'status 400' }],
    ['304 that nobody asked for', () => respond(304), { answer: 'unexpectedContent' }],
    ['HTML', () => respond(200, { 'content-type': 'text/html; charset=utf-8' }, text), { answer: 'unexpectedContent' }],
    ['HTML called text', () => respond(200, {}, '<!doctype html><p>x'), { answer: 'unexpectedContent' }],
    ['NUL bytes', () => respond(200, {}, 'a\0b'), { answer: 'unexpectedContent', detail: 'NUL characters' }],
    ['a symlink', () => respond(200, {}, 'docs/agents.md'), { answer: 'text', symlink: { leadsTo: 'docs/agents.md' } }],
    ['a sign-in page', () => respond(302, { location: '/login?return_to=x' }), { answer: 'absent', redirects: [] }],
    ['a redirect elsewhere', () => respond(302, { location: 'http://localhost:1/x' }), { answer: 'redirectBlocked' }],
    [
      'a redirect with a password',
      () => respond(302, { location: base.replace('//', '//a:b@') }),
      { answer: 'redirectBlocked' },
    ],
    ['a redirect without a Location', () => respond(301), { answer: 'redirectBlocked' }],
    [
      'a gzip bomb',
      () => respond(200, { 'content-encoding': 'gzip' }, gzipSync(Buffer.alloc(50_000_000))),
      { answer: 'unexpectedContent', measurement: null },
    ],
  ])('%s', async (_, listener, expected) => {
    answer = listener();
    expect(await fetchPlace()).toMatchObject(expected);
    expect(seen).toHaveLength(1);
  });

  test('follows a renamed repository within the host, and records the redirect without its query', async () => {
    const moved = respond(301, { location: '/acme/new/HEAD/AGENTS.md?token=x' });
    answer = (request, response) => {
      const listener = request.url === '/acme/acme/HEAD/AGENTS.md' ? moved : respond(200, {}, text);
      listener(request, response);
    };
    const observed = await fetchPlace();
    expect(observed).toMatchObject({ answer: 'text', redirects: [`${base}/acme/new/HEAD/AGENTS.md`] });
  });

  test.each([
    [0, 'a redirect, and the check has no requests left', 0],
    [1, 'more than 1 redirect', 1],
    [2, 'more than 2 redirects', 2],
    [3, 'more than 3 redirects', 3],
    [9, 'more than 3 redirects', 3],
  ])('follows only as many redirects as the check has requests left: %i', async (hopsMax, detail, hops) => {
    answer = respond(302, { location: '/again' });
    const redirects = Array<string>(hops).fill(`${base}/again`);
    const blocked = { answer: 'redirectBlocked', detail, redirects };
    expect(await fetchPlace({ hopsMax })).toMatchObject(blocked);
    expect(seen).toHaveLength(hops + 1);
    expect(await resolveRepository(hopsMax)).toMatchObject(blocked);
    expect(seen).toHaveLength(2 * (hops + 1));
  });

  test('recognizes a sign-in page by its URL, even with no request left', async () => {
    answer = respond(302, { location: '/login?return_to=x' });
    expect(await fetchPlace({ hopsMax: 0 })).toMatchObject({ answer: 'absent' });
  });

  test('keeps the stored observation on 304', async () => {
    answer = (request, response) => {
      respond(request.headers['if-none-match'] === '"a"' ? 304 : 200, { etag: '"a"' }, text)(request, response);
    };
    const stored = await fetchPlace();
    const again = await fetchPlace({ stored });
    expect(again).toEqual({ ...stored, httpStatus: 304, observedAt: again.observedAt });
  });
});

describe('a host that is unavailable', () => {
  test.each([
    [429, { 'retry-after': '2' }, 2_000],
    [429, {}, 60_000],
    [403, { 'retry-after': '0' }, 60_000],
    [403, { 'x-ratelimit-remaining': '0', 'ratelimit-reset': '90' }, 90_000],
    [503, { 'retry-after': '120' }, 120_000],
    [429, { 'ratelimit-reset': '30' }, 30_000],
    [429, { 'retry-after': '99999999999999' }, 7 * 24 * 3_600_000],
  ])('%i with %j throttles', async (status, headers, retryAfterMs) => {
    answer = respond(status, headers);
    await expect(fetchPlace()).rejects.toMatchObject({ name: 'HostThrottled', retryAfterMs });
  });

  test('treats a 403 without a reason as a refusal of one URL', async () => {
    answer = respond(403, { 'x-ratelimit-remaining': '58', 'x-ratelimit-reset': '600' }, 'Repository access blocked');
    await expect(fetchPlace()).rejects.toMatchObject({
      name: 'HostRefused',
      message: 'github.com refuses access (status 403)',
      url: `${base}/acme/acme/HEAD/AGENTS.md`,
    });
    answer = respond(200, {}, text);
    expect(await fetchPlace()).toMatchObject({ answer: 'text' });
  });

  test.each([500, 502, 503])('%i is unreachable', async (status) => {
    answer = respond(status);
    await expect(fetchPlace()).rejects.toMatchObject({ name: 'HostUnreachable' });
  });

  test.each([403, 503])('%i names the URL without its query', async (status) => {
    answer = respond(status);
    await expect(fetchPlace()).rejects.toMatchObject({ url: `${base}/acme/acme/HEAD/AGENTS.md` });
    await expect(resolveRepository()).rejects.toMatchObject({ url: `${base}/search/repositories` });
    answer = (request, response) => {
      const listener = request.url === '/new?token=x' ? respond(status) : respond(301, { location: '/new?token=x' });
      listener(request, response);
    };
    await expect(fetchPlace()).rejects.toMatchObject({ url: `${base}/new` });
  });

  test('names the URL of a host that does not exist', async () => {
    answer = (request) => request.destroy();
    await expect(fetchPlace()).rejects.toMatchObject({
      name: 'HostUnreachable',
      url: `${base}/acme/acme/HEAD/AGENTS.md`,
    });
  });

  test('aborts a response that never ends', async () => {
    answer = drip;
    await expect(fetchPlace()).rejects.toThrow('github.com: no complete response in time');
  });

  test('rejects with the cancellation', async () => {
    const cancel = new AbortController();
    answer = () => {
      cancel.abort(new Error('cancelled'));
    };
    const asked = fetcher.fetchPlace(firstLook(), cancel.signal);
    await expect(asked).rejects.toThrow('cancelled');
  });
});

describe('an origin that named a time to wait', () => {
  const HOUR_MS = 3_600_000;
  let api: LocalCodeHost;
  let nowMs: number;

  beforeEach(async () => {
    nowMs = Date.parse('2026-03-01T10:00:00Z');
    api = await startLocalCodeHost();
    api.serveOthers(respond(200, {}, '{"items":[]}'));
    await fetcher.close();
    fetcher = fetcherOf({ ...host.urls, api: api.urls.api }, { now: () => nowMs });
  });

  afterEach(() => api.stop());

  const ask = (repository?: string) => fetchPlace(firstLook(repository));
  const throttled = { name: 'HostThrottled' };

  test('receives no request until then, unlike another origin', async () => {
    answer = respond(429, { 'retry-after': '3600' });
    await expect(ask()).rejects.toMatchObject({ ...throttled, retryAfterMs: HOUR_MS });
    nowMs += 60_000;
    for (const position of Array(30).keys()) {
      await expect(ask(`repository-${position}`)).rejects.toMatchObject({
        ...throttled,
        message: 'github.com limits the request rate (status 429 to an earlier request)',
        retryAfterMs: HOUR_MS - 60_000,
        url: `${base}/acme/repository-${position}/HEAD/AGENTS.md`,
      });
    }
    expect(seen).toHaveLength(1);
    expect(await resolveRepository()).toMatchObject({ answer: 'none' });
    nowMs += HOUR_MS;
    answer = respond(200, {}, text);
    expect(await ask()).toMatchObject({ answer: 'text', observedAt: '2026-03-01T11:01:00.000Z' });
    expect(await ask()).toMatchObject({ answer: 'text' });
    expect(seen).toHaveLength(3);
  });

  test('receives no request through a redirect', async () => {
    answer = respond(429, { 'retry-after': '60' });
    await expect(ask()).rejects.toMatchObject(throttled);
    api.serveOthers(respond(302, { location: `${base}/elsewhere` }));
    await expect(resolveRepository()).rejects.toMatchObject({ ...throttled, url: `${base}/elsewhere` });
    expect(seen).toHaveLength(1);
  });

  test.each<[string, () => RequestListener, number]>([
    ['403 with Retry-After', () => respond(403, { 'retry-after': '3600' }), HOUR_MS],
    [
      '403 with nothing left',
      () => respond(403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1800' }),
      HOUR_MS / 2,
    ],
    ['403 about rates', () => respond(403, {}, '{"message":"You have exceeded a secondary rate limit."}'), 60_000],
    ['429 without a time', () => respond(429), 60_000],
  ])(
    '%s binds every question to this origin, and the first after it finds out for all',
    async (_, listener, pauseMs) => {
      answer = listener();
      await expect(ask()).rejects.toMatchObject({ ...throttled, retryAfterMs: pauseMs });
      const others = () => Promise.allSettled(Array.from({ length: 26 }, (_, position) => ask(`other-${position}`)));
      expect((await others()).filter(({ status }) => status === 'rejected')).toHaveLength(26);
      expect(seen).toHaveLength(1);
      expect(await resolveRepository()).toMatchObject({ answer: 'none' });
      nowMs += pauseMs;
      expect((await others()).filter(({ status }) => status === 'rejected')).toHaveLength(26);
      expect(seen).toHaveLength(2);
      nowMs += 2 * HOUR_MS;
      answer = respond(200, {}, text);
      expect((await others()).filter(({ status }) => status === 'fulfilled')).toHaveLength(26);
    },
  );

  test('receives one probe at the start, however many requests are waiting', async () => {
    answer = respond(429);
    await Promise.allSettled(Array.from({ length: 26 }, (_, position) => ask(`other-${position}`)));
    expect(seen).toHaveLength(1);
  });

  test('receives no request before an exhausted quota resets', async () => {
    answer = respond(200, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(nowMs / 1_000 + 1_800) }, text);
    expect(await ask()).toMatchObject({ answer: 'text' });
    await expect(ask('other')).rejects.toMatchObject({
      message: 'github.com limits the request rate (its quota is exhausted)',
      retryAfterMs: HOUR_MS / 2,
    });
    expect(seen).toHaveLength(1);
  });

  test('receives no more concurrent requests than its quota leaves', async () => {
    let left = 10;
    answer = (request, response) => {
      left -= 1;
      if (left < 0) respond(429, { 'retry-after': '60' })(request, response);
      else respond(200, { 'x-ratelimit-remaining': String(left), 'x-ratelimit-reset': '60' }, text)(request, response);
    };
    await Promise.allSettled(Array.from({ length: 26 }, (_, position) => ask(`other-${position}`)));
    expect(seen).toHaveLength(10);
  });
});

test.each([
  ['endless', {}],
  ['10 GB', { 'content-length': String(10 * 2 ** 30) }],
])('of a body that is %s no more than the limit is read and kept', async (_, headers) => {
  answer = pour(headers);
  const before = process.memoryUsage().rss;
  const { measurement } = await fetchPlace();
  expect(measurement).toMatchObject({ truncated: true, bytes: FILE_BYTES_MAX, contentClass: 'content' });
  expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000);
});

test('sends no credential or cookie, and uses no proxy', async () => {
  for (const name of ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'ALL_PROXY']) {
    vi.stubEnv(name, 'http://user:secret@127.0.0.1:1');
  }
  answer = (_, response) => response.writeHead(200, { 'set-cookie': 'session=1' }).end(text);
  await fetchPlace();
  await fetchPlace();
  await resolveRepository();
  expect(seen).toHaveLength(3);
  for (const { headers } of seen) {
    expect(Object.keys(headers).sort()).toEqual(['accept', 'accept-encoding', 'connection', 'host', 'user-agent']);
    expect(headers).toMatchObject({
      'accept-encoding': 'identity',
      'user-agent': expect.stringContaining('ops@example.com'),
    });
  }
});

describe('the repository named like an organization with more repositories than one response contains', () => {
  const hundred = Array.from({ length: 100 }, (_, position) => ({
    name: `r-${position}`,
    stargazers_count: 1_000 - position,
  }));
  const namesake = { name: 'Acme', stargazers_count: 1 };
  const host =
    (repository: RequestListener, total = 250): RequestListener =>
    (request, response) => {
      const listed = respond(
        200,
        {},
        JSON.stringify({ total_count: total, incomplete_results: false, items: hundred }),
      );
      (request.url === '/repos/acme/acme' ? repository : listed)(request, response);
    };

  test.each<[string, RequestListener, object]>([
    [
      'is the primary one',
      respond(200, {}, JSON.stringify(namesake)),
      { repository: 'Acme', selectedBy: 'organizationName' },
    ],
    ['is not there', respond(404), { repository: 'r-0', selectedBy: 'mostStars' }],
    ['is a fork', respond(200, {}, JSON.stringify({ ...namesake, fork: true })), { repository: 'r-0' }],
    ['is archived', respond(200, {}, JSON.stringify({ ...namesake, archived: true })), { repository: 'r-0' }],
    ['has another name now', respond(200, {}, JSON.stringify({ ...namesake, name: 'new' })), { repository: 'r-0' }],
    ['is shown as a page', respond(200, {}, '<html>'), { answer: 'unexpectedContent', repository: null }],
  ])('%s', async (_, repository, expected) => {
    answer = host(repository);
    expect(await resolveRepository()).toMatchObject({ ...expected, namesakeUrl: `${base}/repos/acme/acme` });
    expect(seen).toHaveLength(2);
  });

  test('is not requested if the list is complete or contains it', async () => {
    answer = host(respond(500), 100);
    expect(await resolveRepository()).toMatchObject({ repository: 'r-0' });
    answer = respond(200, {}, JSON.stringify({ total_count: 250, items: [...hundred.slice(1), namesake] }));
    expect(await resolveRepository()).toMatchObject({ repository: 'Acme' });
    expect(seen).toHaveLength(2);
  });

  test('stays undetermined if the check has no request left', async () => {
    answer = host(respond(404));
    expect(await resolveRepository(0)).toMatchObject({ answer: 'undetermined', repository: null });
    expect(seen).toHaveLength(1);
  });
});

test('is requested again after an incomplete search', async () => {
  answer = respond(200, {}, JSON.stringify({ total_count: 1, incomplete_results: true, items: [{ name: 'acme' }] }));
  await expect(resolveRepository()).rejects.toMatchObject({
    name: 'HostUnreachable',
    message: 'github.com: the list of repositories is incomplete',
  });
});

describe('the primary repository', () => {
  const listing = (...items: object[]) => respond(200, {}, JSON.stringify({ items }));
  test.each([
    [
      'named like the organization',
      () => listing({ name: 'z', stargazers_count: 9 }, { name: 'ACME', stargazers_count: 1 }),
      { answer: 'resolved', repository: 'ACME', selectedBy: 'organizationName' },
    ],
    [
      'with the most stars, ties by name',
      () => listing({ name: 'b', stargazers_count: 9 }, { name: 'a', stargazers_count: 9 }),
      { answer: 'resolved', repository: 'a', selectedBy: 'mostStars' },
    ],
    [
      'no fork, nothing archived, not .github',
      () => listing({ name: 'acme', fork: true }, { name: 'b', archived: true }, { name: '.github' }),
      { answer: 'none' },
    ],
    ['of an unknown organization', () => respond(422), { answer: 'absent' }],
    ['in an answer that is none', () => respond(200, {}, '[]'), { answer: 'unexpectedContent' }],
  ])('%s', async (_, listener, expected) => {
    answer = listener();
    expect(await resolveRepository()).toMatchObject(expected);
  });
});
