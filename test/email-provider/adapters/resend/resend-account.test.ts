import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createResendAccount } from '../../../../src/email-provider/adapters/resend/resend-account.ts';
import { absoluteName, readDomain, readEmail } from '../../../../src/email-provider/adapters/resend/read-answers.ts';
import type { OperatorAccount } from '../../../../src/email-provider/operator-account.ts';
import { ProviderError, ProviderUnreachable } from '../../../../src/email-provider/provider-error.ts';
import {
  FAKE_KEY,
  FAST,
  type FakeResend,
  recordsOf,
  startFakeResend,
} from '../../../../src/conformance/fakes/fake-resend.ts';
import { thrown } from '../../../support/thrown.ts';

let fake: FakeResend;
let account: OperatorAccount;
beforeEach(async () => {
  fake = await startFakeResend();
  account = createResendAccount({ baseUrl: fake.baseUrl, ...FAST });
});
afterEach(async () => {
  await account.close();
  await fake.close();
});

const mark = 'so-0123456789abcdef0123456789abcdef';
const email = { recipient: 'ada@inbox.test', subject: 's', body: 'b', mark, intentId: 'e1' } as const;
const send = (address: string, idempotencyKey = 'key') =>
  account.sendEmail({ from: { address }, ...email }, { idempotencyKey });
async function verified(name: string) {
  const { id } = await account.createDomain({ name, mark });
  await account.requestVerification?.(id);
  return account.getDomain(id);
}

describe('the names of records', () => {
  test.each([
    ['resend._domainkey', 'acme.com', 'resend._domainkey.acme.com'],
    ['resend._domainkey.mail', 'mail.acme.com', 'resend._domainkey.mail.acme.com'],
    ['send.mail', 'mail.acme.com', 'send.mail.acme.com'],
    ['send.send', 'send.acme.com', 'send.send.acme.com'],
    ['send.a.b', 'a.b.acme.co.uk', 'send.a.b.acme.co.uk'],
    ['send.mail.acme.com', 'mail.acme.com', 'send.mail.acme.com'],
    ['SEND.mail.acme.com.', 'mail.acme.com', 'send.mail.acme.com'],
  ])('%s of %s is %s', (name, domain, absolute) => {
    expect(absoluteName(name, domain)).toBe(absolute);
  });

  test('and their values are those that a zone has', async () => {
    const { records } = await account.createDomain({ name: 'mail.acme.test', mark });
    expect(records.map(({ purpose, type, name, value, required }) => [purpose, type, name, value, required])).toEqual([
      ['return_path', 'MX', 'send.mail.acme.test', '10 feedback-smtp.us-east-1.amazonses.com', true],
      ['spf', 'TXT', 'send.mail.acme.test', 'v=spf1 include:amazonses.com ~all', true],
      ['dkim', 'TXT', 'resend._domainkey.mail.acme.test', recordsOf('acme.test')[2]?.value, true],
    ]);
  });

  test('a record that is new is shown, and not required', () => {
    const dkim = { record: 'DKIM', name: 'resend._domainkey', type: 'TXT', value: 'p=A' };
    const caa = { record: 'TrackingCAA', name: 'track', type: 'CAA', value: '0 issue "x"' };
    const domain = readDomain({ id: 'd', name: 'acme.test', status: 'new_word', records: [dkim, caa, 7, null, {}] });
    expect(domain).toMatchObject({ status: 'new_word', records: [{ required: true }, { required: false }] });
  });
});

describe('one name for several causes', () => {
  test('a domain that exists', async () => {
    const { id } = await account.createDomain({ name: 'acme.test', mark });
    const error = await thrown(account.createDomain({ name: 'acme.test', mark }));
    expect(error).toMatchObject({ meaning: 'exists', existingId: id, mayHaveActed: false, httpStatus: 403 });
  });

  test('a domain that is refused for another reason', async () => {
    fake.rules.before = (request) => (request === 'POST /domains' ? refusal(422) : undefined);
    expect(await thrown(account.createDomain({ name: 'acme.test', mark }))).toMatchObject({ meaning: 'refused' });
    fake.rules.before = (request) => (request === 'POST /domains' ? refusal(403) : undefined);
    expect(await thrown(account.createDomain({ name: 'acme.test', mark }))).toMatchObject({
      meaning: 'accountBlocked',
    });
  });

  test('a domain that is not verified', async () => {
    await account.createDomain({ name: 'acme.test', mark });
    expect(await thrown(send('a@acme.test'))).toMatchObject({ meaning: 'notVerified', mayHaveActed: false });
    expect(await thrown(send('a@absent.test'))).toMatchObject({ meaning: 'notVerified' });
    fake.rules.before = (request) => (request === 'GET /domains' ? { status: 500, body: {} } : undefined);
    expect(await thrown(send('a@acme.test'))).toMatchObject({ meaning: 'transient', mayHaveActed: false });
    fake.rules.before = () => undefined;
  });

  test.each([
    [403, 'accountBlocked'],
    [422, 'refused'],
  ])('a verified domain whose email or key is refused with %i: %s', async (status, meaning) => {
    const { id } = await verified('acme.test');
    fake.rules.before = (request) => (/^POST .(emails|api-keys)/.test(request) ? refusal(status) : undefined);
    expect(await thrown(send('a@acme.test'))).toMatchObject({ meaning });
    expect(await thrown(account.createSender({ domainId: id, fromAddress: 'a@acme.test', mark }))).toMatchObject({
      meaning,
    });
  });

  const refusal = (status: number) => ({
    status,
    body: { statusCode: status, name: 'validation_error', message: 'No' },
  });
});

test.each([
  [429, 'rate_limit_exceeded', 'transient', false],
  [429, 'daily_quota_exceeded', 'accountBlocked', false],
  [429, 'monthly_quota_exceeded', 'accountBlocked', false],
  [401, 'restricted_api_key', 'accountBlocked', false],
  [403, 'invalid_api_key', 'accountBlocked', false],
  [404, 'not_found', 'gone', false],
  [409, 'concurrent_idempotent_requests', 'transient', false],
  [409, 'invalid_idempotent_request', 'keyReused', false],
  [400, 'validation_error', 'refused', false],
  [451, 'security_error', 'refused', false],
  [500, 'application_error', 'transient', true],
  [502, undefined, 'transient', true],
  [503, undefined, 'transient', false],
  [418, 'new_word', 'transient', false],
] as const)('%i %s is %s', async (status, name, meaning, mayHaveActed) => {
  fake.rules.before = () => ({
    status,
    body: { statusCode: status, name, message: 'm' },
    headers: { 'retry-after': '7' },
  });
  expect(await thrown(send('a@acme.test'))).toMatchObject({ meaning, mayHaveActed, retryAfterMs: 7_000 });
});

test('an email is sent once for an Idempotency-Key', async () => {
  await verified('acme.test');
  const both = [await send('a@acme.test'), await send('a@acme.test')];
  expect(new Set(both.map(({ id }) => id)).size).toBe(1);
  expect(await thrown(send('b@acme.test'))).toMatchObject({ meaning: 'keyReused' });
  expect(fake.emails).toHaveLength(1);
});

test.each([
  ['Acme', 'Acme <a@acme.test>'],
  ['Acme, Inc.', '"Acme, Inc." <a@acme.test>'],
  ['"A" \\ b', String.raw`"\"A\" \\ b" <a@acme.test>`],
  ['Müller', 'Müller <a@acme.test>'],
])('the sender %s is %s', async (name, from) => {
  await verified('acme.test');
  await account.sendEmail({ from: { address: 'a@acme.test', name }, ...email }, { idempotencyKey: name });
  expect(fake.emails.at(-1)?.from).toBe(from);
});

test.each([
  ['delivered', 'delivered'],
  ['opened', 'delivered'],
  ['complained', 'delivered'],
  ['bounced', 'bounced'],
  ['suppressed', 'bounced'],
  ['failed', 'failed'],
  ['queued', 'queued'],
  ['a_new_word', 'a_new_word'],
  ['constructor', 'constructor'],
])('the event %s is the status %s', (event, status) => {
  const read = readEmail({ id: 'e', last_event: event });
  expect(read).toMatchObject({ id: 'e', status });
  expect(read?.bounce === null).toBe(status !== 'bounced');
});

test('a list of many pages is read to its end', async () => {
  for (let at = 0; at < 250; at++)
    fake.keys.push({ id: `k${at}`, name: at === 249 ? mark : `other-${at}`, token: 't' });
  expect(await account.deleteSenders?.({ mark, fromAddress: 'a@mail.acme.test' })).toEqual(['k249']);
  expect(fake.count(/^GET .api-keys$/)).toBe(3);
  expect(fake.keys).toHaveLength(249);
});

test.each([
  '{"id":',
  '<html></html>',
  '[]',
  '7',
  'null',
  '{}',
  '{"id":7}',
  '{"id":""}',
  `{"id":"${'x'.repeat(2_000_000)}"}`,
])('an answer that cannot be read is no success', async (body) => {
  fake.rules.before = (request) => (request.startsWith('GET') ? { status: 200, body } : undefined);
  expect(await thrown(account.getDomain('d'))).toBeInstanceOf(ProviderUnreachable);
  fake.rules.before = (request) => (request === 'POST /emails' ? { status: 200, body } : undefined);
  const error = await thrown(send('a@acme.test'));
  expect(error instanceof ProviderUnreachable || (error instanceof ProviderError && error.meaning === 'unread')).toBe(
    true,
  );
  expect(error).toMatchObject({ mayHaveActed: true });
});

test('no error contains a credential', async () => {
  for (const status of [400, 401, 403, 422, 500]) {
    fake.rules.before = () => ({ status, body: { name: 'x', message: `Bearer ${FAKE_KEY} is wrong` } });
    for (const call of [
      () => send('a@acme.test'),
      () => account.createSender({ domainId: 'd', fromAddress: 'a@acme.test', mark }),
    ])
      expect(String(await thrown(call()))).not.toContain(FAKE_KEY);
  }
});

test('a key that a lost answer left is replaced', async () => {
  const { id: domainId } = await verified('acme.test');
  const sender = { domainId, fromAddress: 'a@acme.test', mark } as const;
  fake.rules.isLost = (request) => request === 'POST /api-keys';
  await thrown(account.createSender(sender));
  fake.rules.isLost = () => false;
  const { id, token } = await account.createSender(sender);
  expect(fake.keys).toMatchObject([{ id, token, domainId }]);
});

describe('at an account with hundreds of domains and keys', () => {
  const isFirst = true;
  const markOf = (at: number) => `so-${String(at).padStart(32, '0')}` as const;
  const lists = () => [fake.count(/^GET \/domains$/), fake.count(/^GET \/api-keys$/)];
  beforeEach(() => {
    for (let at = 0; at < 250; at++) {
      fake.domains.push({ id: `d${at}`, name: `d${at}.test`, status: 'verified' });
      fake.keys.push({ id: `k${at}`, name: markOf(at), token: `t${at}` });
    }
  });

  test('those who look for the first time share one list', async () => {
    const looks = ['one.test', 'two.test', 'D7.test'].map((name) =>
      account.findDomain(name.toLowerCase(), { isFirst }),
    );
    expect(await Promise.all(looks)).toMatchObject([undefined, undefined, { name: 'd7.test' }]);
    const sender = { domainId: 'd1', fromAddress: 'a@d1.test', mark } as const;
    await account.createSender(sender, { isFirst });
    await account.createSender({ ...sender, mark: `so-${'f'.repeat(32)}` }, { isFirst });
    expect(lists()).toEqual([3, 3]);
  });

  test('a repetition reads it again, because its answer may have been lost', async () => {
    expect(await account.findDomain('acme.test', { isFirst })).toBeUndefined();
    fake.domains.push({ id: 'made', name: 'acme.test', status: 'pending' });
    expect(await account.findDomain('acme.test')).toMatchObject({ id: 'made' });
    expect(lists()).toEqual([6, 0]);
  });

  test('repetitions share the next list, whose first page none of their lost answers can have missed', async () => {
    const repetitions: Promise<{ readonly id: string } | undefined>[] = [];
    fake.rules.before = (request) => {
      if (request !== 'GET /domains' || fake.count(/^GET \/domains$/) !== 2) return undefined;
      fake.domains.unshift({ id: 'made', name: 'made.test', status: 'pending' });
      for (let at = 0; at < 40; at++) repetitions.push(account.findDomain('made.test'));
      return undefined;
    };
    expect(await account.findDomain('made.test')).toBeUndefined();
    expect((await Promise.all(repetitions)).map((found) => found?.id)).toEqual(Array(40).fill('made'));
    expect(lists()).toEqual([6, 0]);
  });

  test('undos share lists of keys', async () => {
    const deleted = await Promise.all(
      Array.from({ length: 40 }, async (_, at) =>
        account.deleteSenders?.({ mark: markOf(at), fromAddress: 'a@d1.test' }),
      ),
    );
    expect(deleted).toEqual(Array.from({ length: 40 }, (_, at) => [`k${at}`]));
    expect(lists()).toEqual([0, 3]);
  });

  test('a domain made since the list is refused by Resend, and named', async () => {
    expect(await account.findDomain('acme.test', { isFirst })).toBeUndefined();
    fake.domains.push({ id: 'made', name: 'acme.test', status: 'pending' });
    expect(await thrown(account.createDomain({ name: 'acme.test', mark }))).toMatchObject({
      ...{ meaning: 'exists', existingId: 'made', mayHaveActed: false },
    });
  });

  test('a key with the mark that the list shows is replaced, also the first time', async () => {
    fake.keys.push({ id: 'left', name: mark, token: 'left' });
    await account.createSender({ domainId: 'd1', fromAddress: 'a@d1.test', mark }, { isFirst });
    expect(fake.keys.filter(({ name }) => name === mark)).toHaveLength(1);
    expect(fake.keys.map(({ id }) => id)).not.toContain('left');
  });

  test('a list that failed is read again', async () => {
    fake.rules.before = () => ({ status: 503, body: {} });
    await thrown(account.findDomain('acme.test', { isFirst }));
    fake.rules.before = () => undefined;
    expect(await account.findDomain('d9.test', { isFirst })).toMatchObject({ id: 'd9' });
  });
});

describe('examine', () => {
  test('finds nothing wrong with full access', async () => {
    expect(await account.examine()).toEqual([]);
  });
  test.each([
    [401, 'restricted_api_key', /RESEND_API_KEY may only send/],
    [401, 'missing_api_key', /Resend refuses RESEND_API_KEY/],
    [403, 'invalid_api_key', /Resend refuses RESEND_API_KEY/],
  ])('%i %s names the setting', async (status, name, remedy) => {
    fake.rules.before = () => ({ status, body: { name } });
    expect(await account.examine()).toMatchObject([{ code: name, remedy: expect.stringMatching(remedy) as string }]);
  });
  test('throws while Resend does not answer', async () => {
    fake.rules.before = () => ({ status: 503, body: {} });
    await expect(account.examine()).rejects.toMatchObject({ meaning: 'transient' });
  });
});

test.each([400, 401, 403, 404, 409, 422])('the page of a proxy with status %i says nothing', async (status) => {
  fake.rules.before = () => ({ status, body: '<html>no</html>', headers: { 'content-type': 'text/html' } });
  expect(await thrown(account.getDomain('d'))).toMatchObject({ meaning: 'transient', mayHaveActed: false });
  expect(await thrown(account.examine())).toMatchObject({ meaning: 'transient' });
});
