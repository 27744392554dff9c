import { WorkflowNotFoundError } from '@temporalio/client';
import { randomBytes } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test, vi } from 'vitest';
import type { CheckInput } from '../../../src/agents-md/check-input.ts';
import type { CheckResult } from '../../../src/agents-md/check-result.ts';
import { announcementWorkflowId } from '../../../src/agents-md/check-ids.ts';
import {
  outcomeChangeKey,
  outcomeKey,
  producerKey,
  reasonKey,
  searchAttributeKeys,
} from '../../../src/workflows/search-attributes.ts';
import { type AgentsMdEnvironment, withChecks } from '../../support/agents-md-environment.ts';
import { drip, pour, respond } from '../../support/http-listeners.ts';
import { currentDetailsOf } from '../../support/onboarding-environment.ts';
import { timeSkippingServer } from '../../support/temporal.ts';
import { startTestReceiver } from '../../support/test-receiver.ts';

const content = 'How to build, test and change this project. '.repeat(10);
const file = (organization: string, repository = organization): string =>
  `/${organization}/${repository}/HEAD/AGENTS.md`;
const of = (organization: string): CheckInput => ({
  producerId: organization,
  organization,
  primaryRepository: organization,
});
const skipping = { startServer: () => timeSkippingServer(searchAttributeKeys) };
const run = async ({ start }: AgentsMdEnvironment, input: CheckInput) => (await (await start(input)).result()).result;

describe('the answers of a code host', () => {
  const answers: [
    string,
    (path: string, other: string) => Record<string, number | string | RequestListener>,
    string,
    string | null,
  ][] = [
    ['content', (path) => ({ [path]: content }), 'content_found', 'pass'],
    ['a stub', (path) => ({ [path]: 'To do.' }), 'stub', 'partial'],
    ['404, and content in .github', (_, other) => ({ [other]: content }), 'content_found', 'pass'],
    ['404 twice', () => ({}), 'file_not_found', 'fail'],
    [
      '301 to the new name',
      (path) => ({ [path]: respond(301, { location: '/new/new/HEAD/AGENTS.md' }), '/new/new/HEAD/AGENTS.md': content }),
      'content_found',
      'pass',
    ],
    ['302 to the sign-in page', (path) => ({ [path]: respond(302, { location: '/login' }) }), 'file_not_found', 'fail'],
    [
      'HTML',
      (path) => ({ [path]: respond(200, { 'content-type': 'text/html' }, '<!doctype html>') }),
      'unexpected_content',
      null,
    ],
    [
      'a body of 10 GB',
      (path) => ({ [path]: pour({ 'content-length': String(10 * 1024 ** 3) }) }),
      'content_found',
      'pass',
    ],
    ['a body without end', (path) => ({ [path]: pour() }), 'content_found', 'pass'],
    [
      'a gzip bomb',
      (path) => ({ [path]: respond(200, { 'content-encoding': 'gzip' }, gzipSync(Buffer.alloc(50_000_000))) }),
      'unexpected_content',
      null,
    ],
    [
      'the text of a symlink',
      (path) => ({ [path]: 'docs/agents.md', [path.replace('AGENTS.md', 'docs/agents.md')]: content }),
      'content_found',
      'pass',
    ],
    [
      'UTF-16',
      (path) => ({ [path]: respond(200, {}, Buffer.from(`\ufeff${content}`, 'utf16le')) }),
      'content_found',
      'pass',
    ],
    ['500 every time', (path) => ({ [path]: 500 }), 'unreachable', null],
    ['429 every time, for hours', (path) => ({ [path]: respond(429, { 'retry-after': '7200' }) }), 'throttled', null],
  ];

  test('each give the documented result, with at most 3 requests and no credentials', async () => {
    vi.stubEnv('HTTPS_PROXY', 'http://user:password@127.0.0.1:1');
    vi.stubEnv('HTTP_PROXY', 'http://user:password@127.0.0.1:1');
    await withChecks(async (environment) => {
      const { host } = environment;
      for (const [position, [name, serve, reasonCode, outcome]] of answers.entries()) {
        const organization = `org-${position}`;
        const served = serve(file(organization), file(organization, '.github'));
        for (const [path, answer] of Object.entries(served)) host.serve(path, answer);
        const before = host.requests.length;
        const result = await run(environment, of(organization));
        expect({ name, reasonCode: result.reasonCode, outcome: result.outcome }).toEqual({ name, reasonCode, outcome });
        expect(result.status).toBe(outcome === null ? 'inconclusive' : 'conclusive');
        expect(result.attempts.length, name).toBeLessThanOrEqual(3);
        if (outcome !== null) expect(host.requests.length - before, name).toBeLessThanOrEqual(3);
      }
      for (const { method, headers } of host.requests) {
        expect(method).toBe('GET');
        expect(Object.keys(headers).sort()).toEqual(['accept', 'accept-encoding', 'connection', 'host', 'user-agent']);
        expect(headers['user-agent']).toContain('ops@example.com');
      }
    }, skipping);
    vi.unstubAllEnvs();
  });

  test('of a body that drips, give up each attempt at its time limit', async () => {
    await withChecks(
      async (environment) => {
        environment.host.serve(file('drip'), drip);
        expect(await run(environment, of('drip'))).toMatchObject({ reasonCode: 'unreachable', outcome: null });
      },
      { ...skipping, answerTimeoutMs: 300 },
    );
  });

  test('that throttle are followed by the same request after the requested wait, and by no other meanwhile', async () => {
    await withChecks(async (environment) => {
      const { host, start } = environment;
      const askedAt: number[] = [];
      host.serve(file('acme'), (request, response) => {
        askedAt.push(Date.now());
        (askedAt.length === 1 ? respond(429, { 'retry-after': '2' }) : respond(200, {}, content))(request, response);
      });
      const handle = await start(of('acme'));
      await vi.waitFor(async () => {
        const { raw } = await handle.describe();
        expect(raw.pendingActivities?.[0]?.lastFailure?.message).toMatch(
          /github\.com.*in 2 s \(requested by the host\)/,
        );
      }, 10_000);
      expect((await handle.result()).result).toMatchObject({ outcome: 'pass', reasonCode: 'content_found' });
      expect(host.asked()).toEqual([file('acme'), file('acme')]);
      expect((askedAt[1] ?? 0) - (askedAt[0] ?? 0)).toBeGreaterThanOrEqual(1_900);
    });
  });
});

test('a check stores its result, Search Attributes and details; the next one sends the ETag', async () => {
  await withChecks(async (environment) => {
    const { host, start, checks, server } = environment;
    host.serve(file('acme'), (request, response) => {
      const isKnown = request.headers['if-none-match'] === '"v1"';
      response.writeHead(isKnown ? 304 : 200, { etag: '"v1"' }).end(isKnown ? '' : content);
    });
    const handle = await start({ ...of('acme'), producerId: 'p-1' });
    const { result: first } = await handle.result();
    expect(first).toMatchObject({ outcome: 'pass', evidence: { etag: '"v1"', httpStatus: 200 } });
    expect((await checks.get('p-1'))?.check.result).toEqual(first);
    const { typedSearchAttributes } = await handle.describe();
    expect([producerKey, outcomeKey, reasonKey, outcomeChangeKey].map((key) => typedSearchAttributes.get(key))).toEqual(
      ['p-1', 'pass', 'content_found', undefined],
    );
    expect(await currentDetailsOf(handle)).toContain('**pass** (content_found)');

    const { result: second } = await (await start({ ...of('acme'), producerId: 'p-1' })).result();
    expect(host.requests.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, '"v1"']);
    expect(second).toMatchObject({
      outcome: 'pass',
      evidence: { httpStatus: 304, etag: '"v1"' },
      unchangedSince: first.checkedAt,
    });
    expect(second.checkedAt > first.checkedAt).toBe(true);
    expect(await announcement(server, first, 'pass')).toBeUndefined();
  });
});

test('a pass that turns 404 is checked again half an hour later, and then announced as a change', async () => {
  const signingSecret = `whsec_${randomBytes(32).toString('base64')}`;
  const receiver = await startTestReceiver((response) => {
    response.writeHead(receiver.posts.length === 1 ? 503 : 204).end();
  });
  await withChecks(
    async (environment) => {
      const { host, start, checks } = environment;
      host.serve(file('acme'), content);
      const { result: before } = await (await start(of('acme'))).result();
      host.serve(file('acme'), 404);
      const handle = await start(of('acme'));
      const { result, own } = await handle.result();
      expect(result).toMatchObject({ outcome: 'fail', reasonCode: 'file_not_found' });
      expect(own.observations.map((seen) => seen.kind === 'file' && seen.look)).toEqual(['first', 'first', 'second']);
      const { startTime, closeTime, typedSearchAttributes } = await handle.describe();
      expect((closeTime?.getTime() ?? 0) - startTime.getTime()).toBeGreaterThanOrEqual(30 * 60_000);
      expect(typedSearchAttributes.get(outcomeChangeKey)).toBe('pass-to-fail');
      expect((await checks.get('acme'))?.check.result.lastConclusive?.outcome).toBe('fail');

      expect(await announcement(environment.server, before, 'fail')).toEqual({ sent: true });
      const [refused, taken] = receiver.posts;
      expect(taken?.path).toBe('/hook');
      expect(taken?.headers['webhook-id']).toBe(refused?.headers['webhook-id']);
      const headers = taken?.headers as Record<string, string>;
      expect(new Webhook(signingSecret).verify(taken?.body ?? '', headers)).toMatchObject({
        type: 'agents_md.changed',
        data: { producerId: 'acme', from: { outcome: 'pass', checkedAt: before.checkedAt }, to: { outcome: 'fail' } },
      });
    },
    { ...skipping, changeReceiver: { url: `${receiver.url}/hook`, signingSecrets: [signingSecret] } },
  );
  await receiver.stop();
});

test('a file that is back at the second check was never gone', async () => {
  await withChecks(async (environment) => {
    const { host, start } = environment;
    host.serve(file('acme'), content);
    await (await start(of('acme'))).result();
    let requests = 0;
    host.serve(file('acme'), (request, response) => {
      (++requests === 1 ? respond(404) : respond(200, {}, content))(request, response);
    });
    const handle = await start(of('acme'));
    expect((await handle.result()).result).toMatchObject({ outcome: 'pass' });
    expect((await handle.describe()).typedSearchAttributes.get(outcomeChangeKey)).toBeUndefined();
  }, skipping);
});

test('an inconclusive check keeps and shows the last conclusive result', async () => {
  await withChecks(async (environment) => {
    const { host, checks } = environment;
    host.serve(file('acme'), content);
    const before = await run(environment, of('acme'));
    host.serve(file('acme'), 503);
    const result = await run(environment, of('acme'));
    expect(result).toMatchObject({ status: 'inconclusive', outcome: null, reasonCode: 'unreachable' });
    expect(result.lastConclusive).toEqual(before.lastConclusive);
    expect((await checks.get('acme'))?.check.result.lastConclusive).toEqual(before.lastConclusive);
    host.serve(file('acme'), content);
    expect((await run(environment, of('acme'))).unchangedSince).toBe(before.checkedAt);
  }, skipping);
});

describe('a check overtaken by another one of the same producer', () => {
  type Check = Awaited<ReturnType<AgentsMdEnvironment['start']>>;

  /** Waits for its host; meanwhile the run of a Schedule passes; then it gets the late answer. */
  const overtaken = (
    late: number | RequestListener,
    judge: (check: Check, passed: CheckResult, environment: AgentsMdEnvironment) => Promise<void>,
  ): Promise<void> =>
    withChecks(async (environment) => {
      const { host, start, checks } = environment;
      host.serve(file('acme'), 503);
      const check = await start(of('acme'));
      await vi.waitFor(() => {
        expect(host.requests).toHaveLength(1);
      }, 10_000);
      host.serve(file('acme'), content);
      const { result: passed } = await (await start(of('acme'), 'agents-md/acme-of-the-schedule')).result();
      expect((await checks.get('acme'))?.check.result).toEqual(passed);
      host.serve(file('acme'), late);
      await judge(check, passed, environment);
    });

  test('keeps and shows the other result when its own is inconclusive', async () => {
    await overtaken(respond(200, { 'content-type': 'text/html' }, '<p>'), async (check, passed, { checks }) => {
      const { result } = await check.result();
      expect(result).toMatchObject({ outcome: null, reasonCode: 'unexpected_content' });
      expect(result.lastConclusive).toEqual(passed.lastConclusive);
      expect((await checks.get('acme'))?.check.lastConclusive).toEqual(passed.lastConclusive);
    });
  });

  test('checks again before it reports the file as gone', async () => {
    await overtaken(404, async (check, passed, { checks }) => {
      await vi.waitFor(async () => {
        expect(await currentDetailsOf(check)).toMatch(/pass \(content_found\)[\s\S]*confirm that the file is gone/);
      }, 20_000);
      expect((await checks.get('acme'))?.check.result).toEqual(passed);
      await check.terminate();
    });
  });

  test('announces one change once', async () => {
    await withChecks(async ({ host, start, server }) => {
      host.serve(file('acme'), 'To do.');
      const { result: before } = await (await start(of('acme'))).result();
      host.serve(file('acme'), content);
      const ids = ['one', 'two', 'three', 'four'].map((name) => `agents-md/acme-${name}`);
      const handles = await Promise.all(ids.map((id) => start(of('acme'), id)));
      await Promise.all(handles.map((handle) => handle.result()));
      const described = await Promise.all(
        handles.map(async (handle) => (await handle.describe()).typedSearchAttributes),
      );
      expect(described.filter((attributes) => attributes.get(outcomeChangeKey) === 'partial-to-pass')).toHaveLength(1);
      expect(await announcement(server, before, 'pass')).toEqual({ sent: false });
    });
  });
});

test('a check never makes more than three requests, redirects included', async () => {
  await withChecks(async (environment) => {
    const { host } = environment;
    const hop = (to: string): RequestListener => respond(301, { location: to });
    host.serve(file('acme'), hop('/1'));
    host.serve('/1', hop('/2'));
    host.serve('/2', 404);
    host.serve(file('acme', '.github'), content);
    const result = await run(environment, of('acme'));
    expect(host.requests).toHaveLength(3);
    expect(result).toMatchObject({ outcome: null, reasonCode: 'requests_spent' });
  });
});

test('a check whose requests were spent on finding the repository leaves it to the next check, which concludes', async () => {
  await withChecks(async (environment) => {
    const { host } = environment;
    const repositories = Array.from({ length: 100 }, (_, position) => ({
      name: `r-${position}`,
      stargazers_count: 100,
    }));
    host.serveOthers((request, response) => {
      const isSearch = request.url?.startsWith('/search/') === true;
      response.writeHead(isSearch ? 200 : 404).end(JSON.stringify({ total_count: 250, items: repositories }));
    });
    host.serve(file('acme', '.github'), content);
    const input = { producerId: 'acme', organization: 'acme' };
    const primary = file('acme', 'r-0');
    expect(await run(environment, input)).toMatchObject({ outcome: null, reasonCode: 'requests_spent' });
    const [search, ...others] = host.asked();
    expect(search).toMatch(/^\/search\/repositories\?/);
    expect(others).toEqual(['/repos/acme/acme', primary]);
    expect(await run(environment, input)).toMatchObject({ outcome: 'pass', reasonCode: 'content_found' });
    expect(host.asked().slice(3)).toEqual([primary, file('acme', '.github')]);
  });
});

test('refuses invalid input before any request', async () => {
  await withChecks(async ({ start, host }) => {
    const handle = await start({ producerId: 'p', organization: 'https://github.com/acme' });
    await expect(handle.result()).rejects.toMatchObject({
      cause: { type: 'InvalidInput', message: expect.stringContaining('organization must be') as string },
    });
    expect(host.requests).toEqual([]);
  });
});

/** What the announcement of a change came to; undefined when there is none. */
async function announcement(
  { environment }: AgentsMdEnvironment['server'],
  before: CheckResult,
  outcome: string,
): Promise<unknown> {
  const { producerId } = before.subject;
  try {
    const workflowId = announcementWorkflowId(producerId, before.checkedAt, outcome);
    return await environment.client.workflow.getHandle(workflowId).result();
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}
