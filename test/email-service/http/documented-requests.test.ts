import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SendingApi, startSendingApi } from '../support/test-api.ts';

const document = readFileSync(new URL('../../../docs/http-api.md', import.meta.url), 'utf8');
/** The script in bash has a test of its own: test/system/dev.long.test.ts. */
const commands = [...document.replace(/^```bash\n[^]*?^```$/m, '').matchAll(/^curl .*:8025\/.*$/gm)].map(
  ([command]) => command,
);

/** Of the test's email service. */
const DAY_AFTER_THE_CLOCK = '2026-03-02';

let api: SendingApi;
beforeAll(async () => {
  api = await startSendingApi();
});
afterAll(() => api.end());

test('docs/http-api.md shows requests to the email service', () => {
  expect(commands.length).toBeGreaterThanOrEqual(4);
});

test.each(commands)('the email service accepts %s', async (command) => {
  const [, method = 'GET'] = / -X (\w+)/.exec(command) ?? [];
  const [, url = ''] = /'http:\/\/127\.0\.0\.1:8025([^']*)'/.exec(command) ?? [];
  const [, body = ''] = / -d '(.*)'$/.exec(command) ?? [];
  const key = /Idempotency-Key: ([^']+)/.exec(command)?.[1] ?? '';
  const answer = await api.inject({
    ...{ method: method as 'POST', url },
    payload: body.replaceAll(/snd_\w+/g, api.senderId).replace(/(?<="scheduled_at":")[^"T]+/, DAY_AFTER_THE_CLOCK),
    headers: { authorization: `Bearer ${api.token}`, 'content-type': 'application/json', 'idempotency-key': key },
  });
  expect(answer.statusCode, answer.body).toBe(202);
});
