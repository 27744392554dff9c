import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  FAKE_ACCOUNT_TOKEN,
  FAST_POSTMARK,
  type FakePostmark,
  startFakePostmark,
} from '../../../../src/conformance/fakes/fake-postmark.ts';
import { postmarkRecords } from '../../../../src/conformance/fakes/postmark-shapes.ts';
import { createPostmarkAccount } from '../../../../src/email-provider/adapters/postmark/postmark-account.ts';
import { readBounce, readDetails, readDomain } from '../../../../src/email-provider/adapters/postmark/read-answers.ts';
import type { OperatorAccount } from '../../../../src/email-provider/operator-account.ts';
import { ProviderError, ProviderUnreachable } from '../../../../src/email-provider/provider-error.ts';
import { thrown } from '../../../support/thrown.ts';

let fake: FakePostmark;
let account: OperatorAccount;
beforeEach(async () => {
  fake = await startFakePostmark();
  account = createPostmarkAccount({ baseUrl: fake.baseUrl, ...FAST_POSTMARK });
});
afterEach(async () => {
  await account.close();
  await fake.close();
});

const mark = 'so-0123456789abcdef0123456789abcdef';
const since = '2026-11-24T12:00:00Z';
const email = { recipient: 'ada@inbox.test', subject: 's', body: 'b', mark } as const;
const send = (intentId = 'e1', address = 'a@acme.test') =>
  account.sendEmail({ from: { address }, ...email, intentId }, { idempotencyKey: 'k' });
async function sent(): Promise<string> {
  await account.accounts?.open({ mark });
  fake.addVerified('acme.test');
  return (await send()).id ?? '';
}
const refusal = (ErrorCode: number) => ({ status: 422, body: { ErrorCode, Message: 'No.' } });

describe('the server of a tenant', () => {
  test('is opened once, found by its name, and closed', async () => {
    fake.servers.push({ id: 1, name: `${mark}-copy`, token: 'another' });
    const opened = await account.accounts?.open({ mark });
    expect(opened).toEqual({ id: String(fake.servers[1]?.id), token: fake.servers[1]?.token });
    expect(await account.accounts?.open({ mark })).toEqual(opened);
    expect(await account.accounts?.find({ mark })).toEqual(opened);
    expect(await account.accounts?.close({ mark })).toEqual({ id: opened?.id });
    expect(fake.servers.map(({ name }) => name)).toEqual([`${mark}-copy`]);
    expect(await account.accounts?.find({ mark })).toBeUndefined();
    expect(await account.accounts?.close({ mark })).toEqual({ id: null });
  });

  test('is kept if Postmark does not let the account delete servers', async () => {
    fake.rules.deletesServers = false;
    const opened = await account.accounts?.open({ mark });
    const closed = await account.accounts?.close({ mark });
    expect(closed).toEqual({ id: opened?.id, kept: expect.stringMatching(/604.*delete the server so-/) as string });
  });

  test('that a person has renamed is kept, and one that is gone is not', async () => {
    const { id = '' } = (await account.accounts?.open({ mark })) ?? {};
    fake.servers.length = 0;
    const renamed = { ID: Number(id), Name: 'newsletter', ApiTokens: ['t'] };
    fake.rules.before = (request) => (request === `GET /servers/${id}` ? { status: 200, body: renamed } : undefined);
    expect(await account.accounts?.close({ mark, id })).toEqual({
      id,
      kept: expect.stringMatching(/is now named newsletter: delete it/) as string,
    });
    expect(fake.count(/^DELETE/)).toBe(0);
    fake.rules.before = () => undefined;
    expect(await account.accounts?.close({ mark, id })).toEqual({ id: null });
  });

  test('without a token is missing, not taken', async () => {
    fake.servers.push({ id: 1, name: mark, token: '' });
    expect(await thrown(account.accounts?.open({ mark }))).toMatchObject({
      ...{ meaning: 'transient', code: 'server_missing' },
    });
  });

  test('whose token a person has replaced is used with the current one', async () => {
    const { token = '', id = '' } = (await account.accounts?.open({ mark })) ?? {};
    const emailId = await sent();
    const old = { mark, token } as const;
    fake.servers.splice(0, 1, { id: Number(id), name: mark, token: 'the-next-token' });
    expect(await account.getEmail(emailId, old)).toMatchObject({ id: emailId });
    fake.rules.before = (request) =>
      request.startsWith('GET /messages') ? { status: 401, body: { ErrorCode: 10, Message: 'No.' } } : undefined;
    const refusal = { meaning: 'transient', code: 'server_token', mayHaveActed: false };
    expect(await thrown(account.getEmail(emailId, old))).toMatchObject(refusal);
    fake.servers.length = 0;
    expect(await thrown(account.getEmail(emailId, old))).toMatchObject(refusal);
  });

  test('that a person has deleted is missing, not refused', async () => {
    expect(await thrown(send())).toMatchObject({ meaning: 'transient', code: 'server_missing', mayHaveActed: false });
  });
});

describe('a webhook', () => {
  const url = 'https://sendoff.test/webhooks/acme';
  test('has our secret, and is found by its address alone', async () => {
    await account.accounts?.open({ mark });
    const { id } = (await account.webhooks?.create({ url, headers: { 'x-secret': 's3' } }, { mark })) ?? {};
    await account.webhooks?.create({ url: `${url}-2`, headers: { 'x-secret': 's4' } }, { mark });
    expect(fake.webhooks[0]).toMatchObject({ url, secret: 's3' });
    expect(await account.webhooks?.delete(url, { mark })).toEqual([id]);
    expect(fake.webhooks.map((webhook) => webhook.url)).toEqual([`${url}-2`]);
  });
  test('of a tenant without a server is none', async () => {
    expect(await account.webhooks?.delete(url, { mark, token: 'of-a-server-that-a-person-deleted' })).toEqual([]);
  });
});

describe('a domain', () => {
  test('has a DKIM record and a CNAME for the return path, both required', async () => {
    const { records, status } = await account.createDomain({ name: 'mail.acme.test', mark });
    expect(status).toBe('unverified');
    expect(records.map(({ type, name, value, required }) => ({ type, name, value, required }))).toEqual(
      postmarkRecords('mail.acme.test').map((record) => ({ ...record, required: true })),
    );
    expect(records.map(({ purpose }) => purpose)).toEqual(['dkim', 'return_path']);
  });

  test.each([504, 512])('that exists is found by its name, after %i', async (code) => {
    const { id } = await account.createDomain({ name: 'acme.test', mark });
    fake.rules.before = (request) => (request === 'POST /domains/' ? refusal(code) : undefined);
    expect(await thrown(account.createDomain({ name: 'acme.test', mark }))).toMatchObject({
      ...{ meaning: 'exists', existingId: id, mayHaveActed: false },
    });
    expect(await thrown(account.createDomain({ name: 'other.test', mark }))).toMatchObject({ meaning: 'refused' });
  });

  test('is not said to be created if the look for it fails', async () => {
    fake.rules.before = (request) =>
      request === 'POST /domains/' ? refusal(504) : request === 'GET /domains' ? { status: 500, body: {} } : undefined;
    expect(await thrown(account.createDomain({ name: 'acme.test', mark }))).toMatchObject({
      ...{ meaning: 'transient', code: '504', mayHaveActed: false },
    });
  });

  test('is verified once Postmark has seen both records', async () => {
    const { id } = await account.createDomain({ name: 'acme.test', mark });
    fake.rules.isPublished = () => false;
    expect(await account.requestVerification?.(id)).toMatchObject({ status: 'unverified' });
    const sender = { domainId: id, fromAddress: 'a@acme.test', mark } as const;
    expect(await thrown(account.createSender(sender))).toMatchObject({ meaning: 'notVerified', mayHaveActed: false });
    fake.rules.isPublished = () => true;
    expect(await account.requestVerification?.(id)).toMatchObject({ status: 'verified' });
    expect(await account.createSender(sender)).toEqual({ id: 'a@acme.test' });
    const { records } = await account.getDomain(id);
    expect(records[0]?.value).toBe(postmarkRecords('acme.test')[0]?.value);
  });

  test('is not verified with one of the two', () => {
    const dkim = { ID: 1, Name: 'a.test', DKIMVerified: true, DKIMHost: 'k._domainkey.a.test', DKIMTextValue: 'p=A' };
    const path = { ReturnPathDomain: 'pm-bounces.a.test', ReturnPathDomainCNAMEValue: 'pm.mtasv.net' };
    expect(readDomain({ ...dkim, ...path, ReturnPathDomainVerified: false })?.status).toBe('unverified');
    expect(readDomain({ ...dkim, ...path, ReturnPathDomainVerified: 'true' })?.status).toBe('unverified');
    expect(readDomain({ ...dkim, ...path, ReturnPathDomainVerified: true })?.status).toBe('verified');
    expect(readDomain(dkim)).toMatchObject({ status: 'verified', records: [{ purpose: 'dkim' }] });
    expect(readDomain({ ...dkim, DKIMHost: '' })).toBeUndefined();
  });

  test('is found among many', async () => {
    for (let at = 0; at < 1_200; at++) fake.addVerified(`d${at}.test`);
    expect(await account.findDomain('d1100.test')).toMatchObject({ name: 'd1100.test' });
    expect(await account.findDomain('absent.test')).toBeUndefined();
    expect(fake.count(/^GET .domains$/)).toBe(6);
  });
});

describe('an email', () => {
  test('is found by its intent, of this tenant alone', async () => {
    const id = await sent();
    await send('e2');
    await account.accounts?.open({ mark: 'so-other' });
    expect(await account.findEmail?.({ intentId: 'e1', since, mark })).toEqual({ id });
    expect(await account.findEmail?.({ intentId: 'e3', since, mark })).toBeUndefined();
    expect(await account.findEmail?.({ intentId: 'e1', since, mark: 'so-other' })).toBeUndefined();
  });

  test('is not another one that the search shows', async () => {
    await sent();
    const [other] = fake.emails;
    const Messages = [{ MessageID: other?.id }, { MessageID: other?.id, Metadata: { sendoff: 'e2' } }];
    fake.rules.before = (request) =>
      request === 'GET /messages/outbound' ? { status: 200, body: { TotalCount: 2, Messages } } : undefined;
    expect(await account.findEmail?.({ intentId: 'e1', since, mark })).toBeUndefined();
    expect(await account.findEmail?.({ intentId: 'e2', since, mark })).toEqual({ id: other?.id });
  });

  test('to a suppressed address is an outcome without an email', async () => {
    await sent();
    fake.rules.isSuppressed = () => true;
    expect(await send('e2')).toMatchObject({ id: null, bounce: { category: 'suppressed', permanentFor: 'address' } });
    expect(fake.emails).toHaveLength(1);
  });

  test.each([
    ['Delivered', 'delivered', null],
    ['Transient', 'sent', null],
    ['HardBounce 550 5.1.1 user unknown', 'bounced', 'recipient'],
    ['BadEmailAddress', 'bounced', 'recipient'],
    ['SoftBounce 552 5.2.2 mailbox full', 'bounced', 'mailbox_full'],
    ['SoftBounce 451 4.3.0 try later', 'bounced', 'infrastructure'],
    ['DnsError', 'bounced', 'infrastructure'],
    ['SpamNotification', 'bounced', 'content'],
    ['Blocked', 'bounced', 'policy'],
    ['DMARCPolicy', 'bounced', 'policy'],
    ['ManuallyDeactivated', 'bounced', 'suppressed'],
    ['Unknown', 'bounced', 'unknown'],
    ['AutoResponder', 'sent', null],
    ['ANewWord', 'sent', null],
    ['constructor', 'sent', null],
  ])('with %s is %s', async (ending, status, category) => {
    fake.rules.ending = () => ending;
    const id = await sent();
    const read = await account.getEmail(id, { mark });
    expect(read).toMatchObject({ id, status });
    expect(read.bounce?.category ?? null).toBe(category);
    if (status === 'sent' && ending !== 'Transient') expect(read.lastAttempt).toBe(ending);
    expect(read.deliveredAt).toBe(status === 'delivered' ? '2026-11-24T17:00:00.000Z' : null);
  });

  test.each([{}, { ReceivedAt: 'yesterday' }])(
    'that was delivered at an unknown time, %j, is delivered now',
    (time) => {
      const MessageEvents = [{ Type: 'Delivered', ...time }];
      const { deliveredAt = '' } = readDetails({ MessageID: 'e-1', Status: 'Sent', MessageEvents }) ?? {};
      expect(Math.abs(Date.parse(deliveredAt) - Date.now())).toBeLessThan(60_000);
    },
  );

  test('that bounced has the answer of the receiver', () => {
    const Details = 'smtp;550 5.1.1 The email account does not exist';
    expect(readBounce({ Type: 'HardBounce', Description: 'Unknown user', Details, Inactive: true })?.bounce).toEqual({
      category: 'recipient',
      permanentFor: 'address',
      reason: 'HardBounce: Unknown user',
      ...{ smtpCode: 550, enhancedCode: '5.1.1', diagnostic: Details, remoteMta: null },
    });
  });
});

test.each([
  [429, 0, 'transient', false],
  [401, 10, 'accountBlocked', false],
  [403, undefined, 'transient', false],
  [422, 400, 'notVerified', false],
  [422, 401, 'notVerified', false],
  [422, 405, 'accountBlocked', false],
  [422, 412, 'accountBlocked', false],
  [422, 413, 'accountBlocked', false],
  [413, undefined, 'refused', false],
  [422, 300, 'refused', false],
  [422, 99_999, 'refused', false],
  [200, 300, 'transient', false],
  [500, undefined, 'transient', true],
  [502, undefined, 'transient', true],
  [503, 100, 'transient', false],
  [418, 7, 'transient', false],
] as const)('%i with ErrorCode %s is %s', async (status, ErrorCode, meaning, mayHaveActed) => {
  await sent();
  const headers = { 'retry-after': '7' };
  fake.rules.before = () => ({
    status,
    body: ErrorCode === undefined ? '<html>' : { ErrorCode, Message: 'm' },
    headers,
  });
  const found = await thrown(
    account.sendEmail(
      { from: { address: 'a@acme.test' }, ...email, intentId: 'e', token: 't' },
      { idempotencyKey: 'k' },
    ),
  );
  expect(found).toMatchObject({ meaning, mayHaveActed, retryAfterMs: 7_000 });
});

test.each([
  ...['{"ID":', '<html></html>', '[]', '7', 'null', '{}', '{"ID":"1"}', '{"ID":1.5}', '{"MessageID":7}'],
  `{"MessageID":"${'x'.repeat(2_000_000)}"}`,
])('an answer that cannot be read is no success', async (body) => {
  const { token } = (await account.accounts?.open({ mark })) ?? {};
  fake.rules.before = () => ({ status: 200, body });
  for (const call of [
    () => account.getDomain('1'),
    () => account.accounts?.find({ mark }),
    () => account.getEmail('e', { mark, token: token ?? '' }),
  ])
    expect(await thrown(call())).toBeInstanceOf(ProviderUnreachable);
  for (const call of [() => account.accounts?.open({ mark }), () => account.createDomain({ name: 'a.test', mark })]) {
    const error = await thrown(call());
    expect(error).toMatchObject({ mayHaveActed: true });
    expect(error instanceof ProviderUnreachable || (error instanceof ProviderError && error.meaning === 'unread')).toBe(
      true,
    );
  }
});

test('no error contains a credential', async () => {
  const token = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
  for (const status of [400, 401, 403, 422, 500]) {
    fake.rules.before = () => ({
      status,
      body: { ErrorCode: 300, Message: `${FAKE_ACCOUNT_TOKEN} or ${token} is wrong` },
    });
    expect(String(await thrown(account.getDomain('1')))).not.toContain(FAKE_ACCOUNT_TOKEN);
    const { before } = fake.rules;
    // The look for the current token does not carry the old one.
    fake.rules.before = (request) => (request === 'GET /servers' ? undefined : before(request));
    expect(String(await thrown(account.getEmail('e', { mark, token })))).not.toContain(token);
  }
});

describe('examine', () => {
  const examined = async (accountToken: string) => {
    const other = createPostmarkAccount({ baseUrl: fake.baseUrl, accountToken, requestsPerSecond: 1_000 });
    return other.examine().finally(() => other.close());
  };
  test('finds nothing wrong with the account token', async () => {
    expect(await account.examine()).toEqual([]);
  });
  test('knows the token of a server', async () => {
    const { token = '' } = (await account.accounts?.open({ mark })) ?? {};
    expect(await examined(token)).toMatchObject([
      {
        code: 'server_token',
        remedy: expect.stringMatching(/^POSTMARK_ACCOUNT_TOKEN is the token of a server/) as string,
      },
    ]);
  });
  test('names the setting of a token that is refused', async () => {
    expect(await examined('revoked')).toMatchObject([
      { code: '10', remedy: expect.stringMatching(/^Postmark refuses POSTMARK_ACCOUNT_TOKEN/) as string },
    ]);
  });
  test('throws while Postmark does not answer', async () => {
    fake.rules.before = () => ({ status: 503, body: {} });
    await expect(account.examine()).rejects.toMatchObject({ meaning: 'transient' });
  });
});

test.each([400, 401, 403, 404, 409, 422])('the page of a proxy with status %i says nothing', async (status) => {
  fake.rules.before = () => ({ status, body: '<html>no</html>', headers: { 'content-type': 'text/html' } });
  expect(await thrown(account.getDomain('7'))).toMatchObject({ meaning: 'transient', mayHaveActed: false });
  expect(await thrown(account.examine())).toMatchObject({ meaning: 'transient' });
});
