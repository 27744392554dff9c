import { afterAll, beforeAll, expect, test } from 'vitest';
import { cursorOf } from '../../src/http/page.ts';
import { type AgentsMdApi, startAgentsMdApi } from '../support/agents-md-api.ts';
import { authorization, pointersOf } from '../support/http-requests.ts';

let api: AgentsMdApi & { readonly stop: () => Promise<void> };
beforeAll(async () => {
  api = await startAgentsMdApi();
});
afterAll(() => api.stop());

const { stringify } = JSON;
interface Page {
  readonly data: { readonly producerId: string }[];
  readonly next_cursor: string | null;
}

const importLines = (lines: readonly string[], query = '') =>
  api.app.inject({
    method: 'PUT',
    url: `/producers${query}`,
    headers: { authorization, 'content-type': 'application/x-ndjson' },
    payload: lines.join('\n'),
  });
const line = (producerId: string, more: object = {}): string => stringify({ producerId, paused: true, ...more });

test('a producer is added, changed, shown and removed', async () => {
  const body = { organization: 'acme', primaryRepository: 'core', every: '1d', labels: ['b', 'a'], paused: true };
  expect((await api.call('PUT', '/producers/one', body)).statusCode).toBe(201);
  expect((await api.call('PUT', '/producers/one', body)).statusCode).toBe(200);
  expect((await api.call('GET', '/producers/one')).json()).toEqual({
    ...{ producerId: 'one', host: 'github.com', ...body, labels: ['a', 'b'] },
    ...{ latest: null, lastAttempt: null, nextCheckAt: null, results: [] },
  });
  expect((await api.call('DELETE', '/producers/one')).statusCode).toBe(204);
  expect((await api.call('GET', '/producers/one')).statusCode).toBe(404);
});

test('an invalid field is named', async () => {
  const answer = await api.call('PUT', '/producers/one', { every: '1 fortnight', labels: ['a b'] });
  expect(answer.statusCode).toBe(422);
  expect(pointersOf(answer)).toEqual(['/every', '/labels']);
});

test('an import with bad lines changes nothing and names them', async () => {
  const lines = Array.from({ length: 1_000 }, (_, at) => line(`p${at}`));
  lines[9] = '{';
  lines[99] = line('p99', { host: 'example.com' });
  lines[999] = line('p0');
  const refused = await importLines(lines);
  expect(refused.statusCode).toBe(422);
  expect(pointersOf(refused)).toEqual([...['/line 10', '/line 100/host', '/line 1000/producerId']]);
  expect((await api.call('GET', '/producers')).json()).toEqual({ data: [], next_cursor: null });
});

test('an import shows its changes, makes them, and may remove what it does not name', async () => {
  const none = { count: 0, producers: [] };
  const added = { added: { count: 2, producers: ['a', 'b'] }, changed: none, removed: none, unchanged: none };
  expect((await importLines([line('a'), line('b')], '?dry_run=true')).json()).toEqual(added);
  expect((await importLines([line('a'), line('b')])).json()).toEqual(added);
  expect((await importLines([line('b')], '?remove_missing=true')).json()).toMatchObject({
    ...{ removed: { count: 1, producers: ['a'] }, unchanged: { count: 1 } },
  });
});

test('an empty list removes nothing: a file that could not be written must not empty the catalogue', async () => {
  await importLines([line('a')]);
  const list = async () => (await api.call('GET', '/producers')).json<Page>();
  const before = await list();
  for (const query of ['?remove_missing=true', '?remove_missing=true&dry_run=true']) {
    const refused = await importLines([], query);
    expect([refused.statusCode, pointersOf(refused)]).toEqual([422, ['']]);
  }
  expect((await importLines([])).statusCode).toBe(200);
  expect(await list()).toEqual(before);
});

test('the list has pages and filters, and the report has each form', async () => {
  await importLines([line('a'), line('b', { labels: ['core'] }), line('c')]);
  const first = (await api.call('GET', '/producers?limit=2')).json<Page>();
  const second = (await api.call('GET', `/producers?limit=2&cursor=${String(first.next_cursor)}`)).json<Page>();
  const ids = ({ data }: Pick<Page, 'data'>) => data.map(({ producerId }) => producerId);
  expect([ids(first), ids(second)]).toEqual([['a', 'b'], ['c']]);
  expect(ids((await api.call('GET', '/producers?label=core&outcome=unchecked')).json<Page>())).toEqual(['b']);
  const report = (await api.call('GET', '/producers/report?format=json')).json<{
    counts: { total: number };
    producers: Page['data'];
  }>();
  expect([report.counts.total, ids({ data: report.producers })]).toEqual([3, ['a', 'b', 'c']]);
  for (const format of ['csv', 'markdown', 'html', 'text']) {
    const answer = await api.call('GET', `/producers/report?format=${format}`);
    expect([answer.statusCode, answer.body.includes('core') || format === 'text']).toEqual([200, true]);
  }
});

test('a leap second, which has no instant, is refused', async () => {
  for (const [path, name] of [
    ['/producers', 'changed_since'],
    ['/producers/report', 'changed_since'],
    ['/producers/check', 'asked_at'],
  ]) {
    const refused = await api.call('GET', `${path}?${name}=2026-12-31T23:59:60Z`);
    expect([path, refused.statusCode, pointersOf(refused)]).toEqual([path, 422, [`/${name}`]]);
  }
});

test.each([
  cursorOf('onboardings', ['', 'a']),
  cursorOf('producers', ['', '\0']),
  cursorOf('producers', ['\0', 'a']),
  cursorOf('producers', ['', '']),
  cursorOf('producers', ['', 'a']).toLowerCase(),
  'abc',
])('a cursor that no page of the list has is refused: %s', async (cursor) => {
  const refused = await api.call('GET', `/producers?cursor=${cursor}`);
  expect([refused.statusCode, pointersOf(refused)]).toEqual([422, ['/cursor']]);
});

test('a label or ID that no producer can have is refused', async () => {
  expect(pointersOf(await api.call('GET', '/producers?label=%00'))).toEqual(['/label']);
  expect(pointersOf(await api.call('POST', '/producers/check', { label: 'a b' }))).toEqual(['/label']);
  expect(pointersOf(await api.call('POST', '/producers/check', { producerIds: ['\0'] }))).toEqual(['/producerIds/0']);
});

test('a list has at most 50,000 producers and 8,192 characters in a line, wherever it is divided on its way', async () => {
  const full = Array.from({ length: 50_001 }, (_, at) => line(`p${at}`));
  expect((await importLines(full, '?dry_run=true')).statusCode).toBe(422);
  expect((await importLines(full.slice(1), '?dry_run=true')).statusCode).toBe(200);
  const long = line('long') + ' '.repeat(8_192);
  expect((await importLines([line('first'), long, line('last')], '?dry_run=true')).statusCode).toBe(422);
});

test('a check that is asked for has a link to its progress', async () => {
  await importLines([line('asked', { host: 'gitlab.com' })]);
  const asked = await api.call('POST', '/producers/check', { producerIds: ['asked'] });
  expect([asked.statusCode, asked.json<{ total: number }>().total]).toEqual([202, 1]);
  await expect
    .poll(async () => (await api.call('GET', String(asked.headers.location))).json<unknown>(), { timeout: 30_000 })
    .toMatchObject({ total: 1, answered: 1, outcomes: { fail: 1 } });
  // The same instant.
  const inBerlin = `${new Date(Date.parse(asked.json<{ askedAt: string }>().askedAt) + 3_600_000).toISOString().slice(0, -1)}+01:00`;
  const again = await api.call('GET', `/producers/check?asked_at=${encodeURIComponent(inBerlin)}`);
  expect(again.json()).toMatchObject({ total: 1, answered: 1 });
  expect((await api.call('POST', '/producers/check', {})).statusCode).toBe(422);
});
