import { once } from 'node:events';
import { connect } from 'node:net';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { EmailServiceParts } from '../../../src/email-service/http/app.ts';
import { email, OPERATOR_TOKEN, startTestApi, type TestApi } from '../support/test-api.ts';

const LARGE = 1_500_000;

interface Account {
  readonly token: string;
  readonly senderId: string;
}

let api: TestApi;
let acme: Account;
let globex: Account;
const open = new Set<ClientRequest>();
beforeEach(() => start());

async function start(parts: Partial<EmailServiceParts> = {}): Promise<void> {
  api = await startTestApi(parts);
  await api.app.listen({ port: 0, host: '127.0.0.1' });
  [acme, globex] = [await account('acme'), await account('globex')];
}

afterEach(async () => {
  for (const each of open) each.destroy();
  open.clear();
  await api.end();
});

async function account(name: string): Promise<Account> {
  const token = await api.openAccount(name);
  return { token, senderId: await api.sender(token, `hello@${name}.test`) };
}

const bodyOf = ({ senderId }: Account): string =>
  JSON.stringify(email(senderId, { attachments: [{ filename: 'a', content: 'A'.repeat(LARGE) }] }));

/** @param length of the body; undefined if it is not said */
function requestOf({ token }: Account, length?: number): ClientRequest {
  const { port } = api.app.server.address() as { port: number };
  const sent = request({
    ...{ port, host: '127.0.0.1', method: 'POST', path: '/emails' },
    headers: {
      ...{ authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      'idempotency-key': crypto.randomUUID(),
      ...(length === undefined ? { 'transfer-encoding': 'chunked' } : { 'content-length': length }),
    },
  });
  open.add(sent);
  sent.on('error', () => undefined);
  return sent;
}

/** A request that has sent the first half of its body. */
function begin(by: Account) {
  const body = bodyOf(by);
  const sent = requestOf(by, Buffer.byteLength(body));
  const half = body.length / 2;
  sent.write(body.slice(0, half));
  let isAnswered = false;
  const answer = once(sent, 'response').then(async ([response]) => {
    isAnswered = true;
    const { statusCode, headers } = response as IncomingMessage;
    return {
      statusCode,
      headers,
      code: (JSON.parse(await text(response as IncomingMessage)) as { code?: string }).code,
    };
  });
  answer.catch(() => undefined);
  return {
    answer,
    isAnswered: () => isAnswered,
    trickle: () => sent.write(body.slice(half, half + 1)),
    finish: () => sent.end(body.slice(half)),
    hangUp: () => sent.destroy(),
  };
}

function sendLarge(by: Account) {
  const sent = begin(by);
  sent.finish();
  return sent;
}

const onlyKey = async () => (await api.get('/api-keys', acme.token)).json<{ data: [{ id: string }] }>().data[0].id;

/** The next requests of the account wait for more than a second. */
async function busy(name: string, { token, senderId }: Account): Promise<void> {
  await api.put(`/accounts/${name}/limits`, { minute: 600 }, OPERATOR_TOKEN);
  const emails = Array.from({ length: 30 }, (_each, number) => email(senderId, { subject: String(number) }));
  expect((await api.post('/emails/batch', { emails }, { token, key: 'batch' })).statusCode).toBe(202);
}

/** How many requests the API has begun to answer. */
const arrived = () => api.logLines.filter((line) => line.includes('incoming request')).length;

test('one large body of an account is read at once; the next waits, and small ones and other accounts do not', async () => {
  const before = arrived();
  const first = begin(acme);
  await expect.poll(arrived).toBe(before + 1);
  const second = sendLarge(acme);
  await expect.poll(arrived).toBe(before + 2);
  const small = await api.post('/emails', email(acme.senderId), { token: acme.token, key: 'small' });
  const other = sendLarge(globex);
  expect([small.statusCode, (await other.answer).statusCode, second.isAnswered()]).toEqual([202, 202, false]);
  first.hangUp();
  expect((await second.answer).statusCode).toBe(202);
});

test('one whose caller hangs up before the turn of its account to send takes no turn of large bodies', async () => {
  await busy('acme', acme);
  await busy('globex', globex);
  const before = arrived();
  const waiting = [acme, globex].map((each) => requestOf(each).end(JSON.stringify(email(each.senderId))));
  await expect.poll(arrived).toBe(before + 2);
  for (const each of waiting) each.destroy();
  // Longer than both would have waited.
  await pause(2_000);
  const initech = await account('initech');
  for (const next of [initech, acme, globex]) {
    const sent = sendLarge(next);
    expect((await sent.answer).statusCode).toBe(202);
  }
});

test.each([
  [
    'its account was paused',
    403,
    () => api.post('/accounts/acme/pause', { reason: 'Spam' }, { token: OPERATOR_TOKEN }),
  ],
  ['its key was revoked', 401, async () => api.delete(`/api-keys/${await onlyKey()}`, OPERATOR_TOKEN)],
])('one whose body arrives after %s is refused', async (_when, status, meanwhile) => {
  const before = arrived();
  const slow = begin(acme);
  await expect.poll(arrived).toBe(before + 1);
  await meanwhile();
  await pause(1_000);
  slow.finish();
  expect((await slow.answer).statusCode).toBe(status);
  expect(await api.store.selectFrom('emails').select('id').execute()).toEqual([]);
});

test('one that waits behind another on a connection that is lost keeps no turn', async () => {
  const { port } = api.app.server.address() as { port: number };
  await busy('acme', acme);
  const before = arrived();
  const head = (length: number): string =>
    `POST /emails HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${acme.token}\r\ncontent-type: application/json\r\nidempotency-key: ${crypto.randomUUID()}\r\ncontent-length: ${String(length)}\r\n\r\n`;
  const small = JSON.stringify(email(acme.senderId));
  const connection = connect(port, '127.0.0.1');
  connection.write(`${head(small.length)}${small}${head(LARGE)}{"sender`);
  await expect.poll(arrived).toBe(before + 2);
  connection.destroy();
  await pause(2_000);
  const next = sendLarge(acme);
  expect((await next.answer).statusCode).toBe(202);
});

test('one whose turn does not come is asked to come again', async () => {
  await api.end();
  await start({ largeBodyWaitMs: 10 });
  const before = arrived();
  begin(acme);
  await expect.poll(arrived).toBe(before + 1);
  const second = sendLarge(acme);
  const { statusCode, code, headers } = await second.answer;
  expect([statusCode, code, headers['retry-after']]).toEqual([503, 'too_many_large_requests', '5']);
});

test('bodies that trickle in lose their turns to another account, and keep them as long as only their own account waits', async () => {
  const before = arrived();
  const slow = [begin(acme), begin(globex)];
  await expect.poll(arrived).toBe(before + 2);
  const trickle = setInterval(() => {
    for (const each of slow) if (!each.isAnswered()) each.trickle();
  }, 100);
  sendLarge(acme);
  await pause(5_000);
  const answered = slow.map((each) => each.isAnswered());
  const initech = await account('initech');
  const third = sendLarge(initech);
  const accepted = await third.answer;
  const { statusCode, code, headers } = await Promise.race(slow.map(({ answer }) => answer));
  clearInterval(trickle);
  expect([answered, accepted.statusCode]).toEqual([[false, false], 202]);
  expect([statusCode, code]).toEqual([503, 'too_many_large_requests']);
  expect(headers).toMatchObject({ 'retry-after': '5', connection: 'close' });
}, 40_000);
