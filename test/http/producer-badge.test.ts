import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { agentsMdApi, type AgentsMdApi, startAgentsMdApi } from '../support/agents-md-api.ts';

let api: AgentsMdApi & { readonly stop: () => Promise<void> };
let open: AgentsMdApi;
beforeAll(async () => {
  api = await startAgentsMdApi();
  open = agentsMdApi(api, { publicBadges: true });
  await api.call('PUT', '/producers/none', {});
  await api.call('POST', '/producers/check', { producerIds: ['none'] });
  const producer = async () => (await api.call('GET', '/producers/none')).json<unknown>();
  await vi.waitFor(async () => {
    expect(await producer()).toMatchObject({ latest: { outcome: 'fail' } });
  }, 30_000);
  await api.call('PUT', '/producers/waiting', { paused: true });
});
afterAll(async () => {
  await open.app.close();
  await api.stop();
});

const badge = (producerId: string): string => `/producers/${producerId}/badge.svg`;
const titleOf = (svg: string): string | undefined => /<title>(.*)<\/title>/.exec(svg)?.[1];

test('a badge is an image with the latest outcome, which caches keep for minutes', async () => {
  const answer = await api.call('GET', badge('none'));
  expect(answer.headers).toMatchObject({
    ...{ 'content-type': 'image/svg+xml; charset=utf-8', 'cache-control': 'private, max-age=300' },
    'x-content-type-options': 'nosniff',
  });
  expect([answer.statusCode, titleOf(answer.body)]).toEqual([200, 'AGENTS.md: fail']);
  expect(answer.body).toContain('role="img" aria-label="AGENTS.md: fail"');
  expect(titleOf((await api.call('GET', badge('waiting'))).body)).toBe('AGENTS.md: unchecked');
});

test('a badge that has not changed is not sent again', async () => {
  const etag = String((await api.call('GET', badge('none'))).headers.etag);
  for (const known of [etag, `"other", W/${etag}`, '*']) {
    const answer = await api.call('GET', badge('none'), undefined, { 'if-none-match': known });
    expect([answer.statusCode, answer.body, answer.headers.etag]).toEqual([304, '', etag]);
    expect(answer.headers['content-type']).toMatch('image/svg+xml');
  }
  expect((await api.call('GET', badge('waiting'), undefined, { 'if-none-match': etag })).statusCode).toBe(200);
});

test('a badge needs a token unless badges are public', async () => {
  const answer = await api.app.inject(badge('none'));
  expect([answer.statusCode, answer.json<{ code: string }>().code]).toEqual([401, 'invalid_api_key']);
  const anyone = await open.app.inject(badge('none'));
  expect([anyone.statusCode, anyone.headers['cache-control']]).toEqual([200, 'public, max-age=300']);
  expect((await open.app.inject('/producers/none')).statusCode).toBe(401);
});

test.each(['unknown', '%3Csvg%3E', 'a%20b'])(
  'a public badge does not show that %s is not in the catalogue',
  async (id) => {
    const [unknown, unchecked] = [await open.app.inject(badge(id)), await open.app.inject(badge('waiting'))];
    const shown = ({ statusCode, body, headers: { date, 'x-request-id': requestId, ...headers } }: typeof unknown) => ({
      ...{ statusCode, body, headers, others: [typeof date, typeof requestId] },
    });
    expect(shown(unknown)).toEqual(shown(unchecked));
  },
);
