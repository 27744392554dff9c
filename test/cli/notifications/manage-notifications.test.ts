import { beforeEach, expect, test } from 'vitest';
import { listNotifications, replayNotification } from '../../../src/cli/notifications/manage-notifications.ts';
import { type ScriptedApi, startScriptedApi } from '../scripted-api.ts';

const AT = '2026-11-22T10:00:00.000Z';
const ID = 'evt_0f8fad5b-d9cb-469f-a165-70867728950e';
const notification = {
  id: ID,
  position: 7,
  tenantId: 'acme',
  type: 'onboarding.verified',
  at: AT,
  data: {},
  status: 'failed',
  attempts: 12,
  lastAttemptAt: AT,
  lastError: 'status 500',
  deliveredAt: null,
  replayedAt: null,
};
let api: ScriptedApi;
let out: string;
let messages: string;
const options = { data: '/nowhere' };
const context = () => ({
  environment: api.environment,
  write: (text: string) => (out += text),
  writeMessage: (text: string) => (messages += text),
});
beforeEach(async () => {
  api = await startScriptedApi();
  out = '';
  messages = '';
});

test('lists the notifications that meet the conditions as a table', async () => {
  api.answer('GET /notifications?tenant=acme&status=failed&limit=1', {
    status: 200,
    body: { data: [notification], next_cursor: '7' },
  });
  expect(await listNotifications({ ...options, tenant: 'acme', status: 'failed', limit: 1 }, context())).toBe(0);
  const [header = '', row = ''] = out.split('\n');
  expect(header).toMatch(/^ID +TENANT +TYPE +AT +STATUS +ATTEMPTS +LAST ERROR$/);
  expect(row.split(/ {2,}/)).toEqual([ID, 'acme', 'onboarding.verified', AT, 'failed', '12', 'status 500']);
  expect(messages).toBe('There are more: add --cursor 7\n');
});

test('reports an empty list, and prints the page with --json', async () => {
  api.answer('GET /notifications', { status: 200, body: { data: [], next_cursor: null } });
  await listNotifications(options, context());
  expect(out).toBe('No notification meets these conditions.\n');
  out = '';
  await listNotifications({ ...options, json: true }, context());
  expect(JSON.parse(out)).toEqual({ data: [], next_cursor: null });
});

test('replays one', async () => {
  api.answer(`POST /notifications/${ID}/replay`, { status: 202, body: { ...notification, status: 'pending' } });
  expect(await replayNotification(ID, options, context())).toBe(0);
  expect(out).toBe(`${ID} (onboarding.verified of acme): pending\n`);
  await expect(replayNotification('evt_other', options, context())).rejects.toMatchObject({ code: 'not_found' });
});
