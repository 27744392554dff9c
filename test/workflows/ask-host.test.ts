import type { RequestListener } from 'node:http';
import { expect, test } from 'vitest';
import { searchAttributeKeys } from '../../src/workflows/search-attributes.ts';
import { type AgentsMdEnvironment, withChecks } from '../support/agents-md-environment.ts';
import { timeSkippingServer } from '../support/temporal.ts';

const file = '/acme/acme/HEAD/AGENTS.md';
const skipping = { startServer: () => timeSkippingServer(searchAttributeKeys) };
const respond =
  (status: number, headers: Record<string, string>): RequestListener =>
  (_, response) => {
    response.writeHead(status, headers).end();
  };

async function check({ start }: AgentsMdEnvironment) {
  const handle = await start({ producerId: 'p-1', organization: 'acme', primaryRepository: 'acme' });
  return (await handle.result()).result;
}

test.each([
  // Two days are longer than a Workflow waits, so nothing is asked for again.
  ['asks for two days', respond(429, { 'retry-after': '172800' }), 'throttled', 'asks for fewer requests (status 429)'],
  ['does not say for how long', respond(403, {}), 'throttled', 'asks for fewer requests (status 403)'],
  ['fails for hours', respond(503, {}), 'unreachable', 'status 503'],
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
