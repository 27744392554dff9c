import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createPlaceFetcher, FILE_BYTES_MAX, type PlaceFetcher } from '../../src/code-host-client/fetch-place.ts';
import type { FileObservation } from '../../src/agents-md/observation.ts';

let server: Server;
let base: string;
let answer: RequestListener;
let seen: { url: string; headers: IncomingHttpHeaders }[];
let fetcher: PlaceFetcher;
const idle = new AbortController().signal;
const place = { in: 'primary', organization: 'acme', repository: 'acme', path: 'AGENTS.md' } as const;

beforeEach(async () => {
  seen = [];
  server = createServer((request, response) => {
    seen.push({ url: request.url ?? '', headers: request.headers });
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  fetcher = createPlaceFetcher({
    contact: 'ops@example.com',
    urls: { 'github.com': { web: base, raw: base, api: base } },
    timeoutMs: 3_000,
  });
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await fetcher.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const fetchPlace = (stored: FileObservation | null = null) =>
  fetcher.fetchPlace({ host: 'github.com', place, look: 'first', stored }, idle);
const text = 'x'.repeat(200);
const reply =
  (status: number, headers: Record<string, string> = {}, body: string | Buffer = ''): RequestListener =>
  (_, response) => {
    response.writeHead(status, headers).end(body);
  };

describe('what a place answers', () => {
  test.each<[string, () => RequestListener, Partial<FileObservation>]>([
    ['200 with text', () => reply(200, { etag: '"a"' }, text), { answer: 'text', etag: '"a"', httpStatus: 200 }],
    ['404', () => reply(404), { answer: 'absent' }],
    ['410', () => reply(410), { answer: 'absent' }],
    ['451', () => reply(451), { answer: 'absent' }],
    ['400', () => reply(400), { answer: 'unexpectedContent', detail: 'status 400' }],
    ['304 that nobody asked for', () => reply(304), { answer: 'unexpectedContent' }],
    ['HTML', () => reply(200, { 'content-type': 'text/html; charset=utf-8' }, text), { answer: 'unexpectedContent' }],
    ['HTML called text', () => reply(200, {}, '<!doctype html><p>x'), { answer: 'unexpectedContent' }],
    ['NUL bytes', () => reply(200, {}, 'a\0b'), { answer: 'unexpectedContent', detail: 'NUL characters' }],
    ['a symlink', () => reply(200, {}, 'docs/agents.md'), { answer: 'text', symlink: { leadsTo: 'docs/agents.md' } }],
    ['a sign-in page', () => reply(302, { location: '/login?return_to=x' }), { answer: 'absent', redirects: [] }],
    ['a redirect elsewhere', () => reply(302, { location: 'http://localhost:1/x' }), { answer: 'redirectBlocked' }],
    [
      'a redirect with a password',
      () => reply(302, { location: base.replace('//', '//a:b@') }),
      { answer: 'redirectBlocked' },
    ],
    ['a redirect without an address', () => reply(301), { answer: 'redirectBlocked' }],
    [
      'a gzip bomb',
      () => reply(200, { 'content-encoding': 'gzip' }, gzipSync(Buffer.alloc(50_000_000))),
      { answer: 'unexpectedContent', measurement: null },
    ],
  ])('%s', async (_, listener, expected) => {
    answer = listener();
    expect(await fetchPlace()).toMatchObject(expected);
    expect(seen).toHaveLength(1);
  });

  test('UTF-16 is measured in code points', async () => {
    answer = reply(200, {}, Buffer.from(`\ufeff${text}`, 'utf16le'));
    const { measurement } = await fetchPlace();
    expect(measurement).toMatchObject({ encoding: 'utf-16le', visibleCodePoints: 200, contentClass: 'content' });
  });

  test('a renamed repository is followed within the host, and the hop is recorded without its query', async () => {
    const moved = reply(301, { location: '/acme/new/HEAD/AGENTS.md?token=x' });
    answer = (request, response) => {
      const listener = request.url === '/acme/acme/HEAD/AGENTS.md' ? moved : reply(200, {}, text);
      listener(request, response);
    };
    const observed = await fetchPlace();
    expect(observed).toMatchObject({ answer: 'text', redirects: [`${base}/acme/new/HEAD/AGENTS.md`] });
  });

  test('the fourth redirect is not followed', async () => {
    answer = reply(302, { location: '/again' });
    expect(await fetchPlace()).toMatchObject({ answer: 'redirectBlocked', detail: 'more than 3 redirects' });
    expect(seen).toHaveLength(4);
  });

  test('304 keeps the stored observation', async () => {
    answer = (request, response) => {
      reply(request.headers['if-none-match'] === '"a"' ? 304 : 200, { etag: '"a"' }, text)(request, response);
    };
    const stored = await fetchPlace();
    const again = await fetchPlace(stored);
    expect(again).toEqual({ ...stored, httpStatus: 304, observedAt: again.observedAt });
  });
});

describe('a host that cannot be asked now', () => {
  test.each([
    [429, { 'retry-after': '2' }, 2_000],
    [403, { 'retry-after': '0' }, 1_000],
    [403, {}, undefined],
    [429, { 'ratelimit-reset': '30' }, 30_000],
    [429, { 'retry-after': '99999999999999' }, 7 * 24 * 3_600_000],
  ])('%i with %j throttles', async (status, headers, retryAfterMs) => {
    answer = reply(status, headers);
    await expect(fetchPlace()).rejects.toMatchObject({ name: 'HostThrottled', retryAfterMs });
  });

  test.each([500, 502, 503])('%i is unreachable', async (status) => {
    answer = reply(status);
    await expect(fetchPlace()).rejects.toMatchObject({ name: 'HostUnreachable' });
  });

  test('an answer that never ends is given up as a whole', async () => {
    answer = (_, response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write('x'), 20);
      response.on('close', () => {
        clearInterval(drip);
      });
    };
    await expect(fetchPlace()).rejects.toThrow('github.com: no whole answer in time');
  });

  test('a cancelled question ends with the cancellation', async () => {
    const cancel = new AbortController();
    answer = () => {
      cancel.abort(new Error('cancelled'));
    };
    const asked = fetcher.fetchPlace({ host: 'github.com', place, look: 'first', stored: null }, cancel.signal);
    await expect(asked).rejects.toThrow('cancelled');
  });
});

test.each([
  ['endless', {}],
  ['10 GB', { 'content-length': String(10 * 2 ** 30) }],
])('of a body that is %s no more than the limit is read and kept', async (_, headers) => {
  const chunk = 'x'.repeat(64 * 1_024);
  answer = (_, response) => {
    response.writeHead(200, headers);
    const pour = (): void => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on('drain', pour);
    pour();
  };
  const before = process.memoryUsage().rss;
  const { measurement } = await fetchPlace();
  expect(measurement).toMatchObject({ truncated: true, bytes: FILE_BYTES_MAX, contentClass: 'content' });
  expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000);
});

test('no credential, cookie or proxy is ever used', async () => {
  for (const name of ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'ALL_PROXY']) {
    vi.stubEnv(name, 'http://user:secret@127.0.0.1:1');
  }
  answer = (_, response) => response.writeHead(200, { 'set-cookie': 'session=1' }).end(text);
  await fetchPlace();
  await fetchPlace();
  await fetcher.resolveRepository({ host: 'github.com', organization: 'acme' }, idle);
  expect(seen).toHaveLength(3);
  for (const { headers } of seen) {
    expect(Object.keys(headers).sort()).toEqual(['accept', 'accept-encoding', 'connection', 'host', 'user-agent']);
    expect(headers).toMatchObject({
      'accept-encoding': 'identity',
      'user-agent': expect.stringContaining('ops@example.com'),
    });
  }
});

describe('the primary repository', () => {
  const listing = (...items: object[]) => reply(200, {}, JSON.stringify({ items }));
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
    ['of an unknown organization', () => reply(422), { answer: 'absent' }],
    ['in an answer that is none', () => reply(200, {}, '[]'), { answer: 'unexpectedContent' }],
  ])('%s', async (_, listener, expected) => {
    answer = listener();
    expect(await fetcher.resolveRepository({ host: 'github.com', organization: 'acme' }, idle)).toMatchObject(expected);
  });
});
