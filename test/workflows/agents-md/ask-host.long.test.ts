import { expect, test } from 'vitest';
import { searchAttributeKeys } from '../../../src/workflows/search-attributes.ts';
import { type AgentsMdEnvironment, withChecks } from '../../support/agents-md-environment.ts';
import { respond } from '../../support/http-listeners.ts';
import { timeSkippingServer } from '../../support/temporal.ts';

const file = '/acme/acme/HEAD/AGENTS.md';
let nowMs = Date.now();
/** Its clock is hours further at each reading, as the server's is after each pause that it skips. */
const skipping = { startServer: () => timeSkippingServer(searchAttributeKeys), now: () => (nowMs += 3 * 3_600_000) };

async function check({ start }: AgentsMdEnvironment) {
  const handle = await start({ producerId: 'p-1', organization: 'acme', primaryRepository: 'acme' });
  return (await handle.result()).result;
}

test.each([
  // Two days are longer than a Workflow waits, so nothing is asked for again.
  ['asks for two days', respond(429, { 'retry-after': '172800' }), 'throttled', 'limits the request rate (status 429)'],
  ['does not say for how long', respond(429), 'throttled', 'limits the request rate (status 429)'],
  ['fails for hours', respond(503), 'unreachable', 'status 503'],
])('of a host that %s the result keeps the cause and the address that was asked', async (_, answer, reason, cause) => {
  await withChecks(async (environment) => {
    const { host } = environment;
    host.serve(file, answer);
    const result = await check(environment);
    expect(result).toMatchObject({ status: 'inconclusive', reasonCode: reason });
    const detail = expect.stringMatching(/^github\.com:? [^;]*$/) as string;
    expect(result.attempts).toMatchObject([{ answer: reason, url: `${host.urls.raw}${file}`, detail }]);
    expect(result.attempts[0]?.detail).toContain(cause);
    expect(result.message).not.toContain('again');
  }, skipping);
});

test('a check follows redirects only with the requests it has left', async () => {
  await withChecks(async (environment) => {
    const { host } = environment;
    host.serve(file, respond(302, { location: '/1' }));
    for (const hop of [1, 2, 3]) host.serve(`/${hop}`, respond(302, { location: `/${hop + 1}` }));
    const result = await check(environment);
    expect(result).toMatchObject({ reasonCode: 'redirect_blocked', attempts: [{ detail: 'more than 2 redirects' }] });
    expect(host.asked()).toEqual([file, '/1', '/2']);
  }, skipping);
});

test('counts outages and refusals of one question separately over its attempts', async () => {
  await withChecks(async (environment) => {
    const { host } = environment;
    const answers = [...Array<number>(9).fill(429), 503, 429, ...Array<number>(7).fill(503), 429];
    host.serve(file, (_, response) => {
      const status = answers.shift() ?? 200;
      response
        .writeHead(status, status === 429 ? { 'retry-after': '1' } : {})
        .end('How to build and test. '.repeat(20));
    });
    expect(await check(environment)).toMatchObject({ outcome: 'pass' });
    expect(host.requests).toHaveLength(20);
    host.serve(file, 503);
    expect(await check(environment)).toMatchObject({ reasonCode: 'unreachable' });
    expect(host.requests).toHaveLength(28);
  }, skipping);
}, 60_000);

test('requests one address four times from a host that refuses it without a reason', async () => {
  await withChecks(async (environment) => {
    const { host } = environment;
    host.serve(file, 403);
    expect(await check(environment)).toMatchObject({ status: 'inconclusive', reasonCode: 'refused' });
    expect(host.requests).toHaveLength(4);
  }, skipping);
});

test.each([
  ['search', undefined, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '5' }, 403],
  ['file', 'main', { 'retry-after': '5' }, 429],
])(
  'of 26 checks whose %s is refused, one at a time tries again',
  async (_, repository, headers, status) => {
    await withChecks(async ({ host, start }) => {
      const refused: string[] = [];
      const openAt = Date.now() + 10_000;
      host.serveOthers((request, response) => {
        if (Date.now() < openAt) {
          refused.push(request.url ?? '');
          response.writeHead(status, headers).end();
        } else if (request.url?.startsWith('/search/') === true) {
          response.end(JSON.stringify({ items: [{ name: 'main', stargazers_count: 1 }] }));
        } else {
          response.end('How to build, test and change this project. '.repeat(10));
        }
      });
      const subject = repository === undefined ? {} : { primaryRepository: repository };
      const handles = await Promise.all(
        Array.from({ length: 26 }, (_, position) =>
          start({ producerId: `p-${position}`, organization: `acme-${position}`, ...subject }),
        ),
      );
      const results = await Promise.all(handles.map((handle) => handle.result()));
      expect(results.filter(({ result }) => result.outcome !== 'pass')).toEqual([]);
      expect(refused.length).toBeLessThanOrEqual(3);
    });
  },
  90_000,
);
