import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ACCESS_KEY_ID, FAST, type FakeSes, startFakeSes } from '../../../../src/conformance/fakes/fake-ses.ts';
import { arnOf } from '../../../../src/conformance/fakes/fake-ses-resources.ts';
import { createSesAccount } from '../../../../src/email-provider/adapters/ses/ses-account.ts';
import type { OperatorAccount } from '../../../../src/email-provider/operator-account.ts';
import { ProviderError, ProviderUnreachable } from '../../../../src/email-provider/provider-error.ts';
import { thrown } from '../../../support/thrown.ts';

let fake: FakeSes;
let account: OperatorAccount;
beforeEach(async () => {
  fake = await startFakeSes();
  account = createSesAccount({ ...FAST, baseUrl: fake.baseUrl });
});
afterEach(async () => {
  await account.close();
  await fake.close();
});

const mark = 'so-0123456789abcdef0123456789abcdef';
const other = 'so-00000000000000000000000000000000';
const domain = 'mail.acme.test';
const open = (of: `so-${string}` = mark) => account.accounts?.open({ mark: of }) ?? Promise.reject(new Error('none'));
const find = () => account.accounts?.find({ mark });
const close = () => account.accounts?.close({ mark });
const createSender = () => account.createSender({ domainId: domain, fromAddress: `a@${domain}`, mark });
const send = (address = `a@${domain}`, name?: string) =>
  account.sendEmail(
    {
      from: { address, ...(name !== undefined && { name }) },
      ...{ recipient: 'ada@inbox.test', subject: 's', body: 'b', mark, intentId: 'f'.repeat(32) },
    },
    { idempotencyKey: 'k' },
  );
async function ready(): Promise<void> {
  await open();
  await account.createDomain({ name: domain, mark });
  await createSender();
}
const refusal = (name: string, status = 400) => ({
  status,
  body: { message: 'No' },
  headers: { 'x-amzn-errortype': name },
});
const identity = () => {
  const found = fake.identities.get(domain);
  if (found === undefined) throw new Error('no identity');
  return found;
};

describe("a tenant's account", () => {
  const parts = [
    /^POST .tenants$/,
    /^POST .configuration-sets$/,
    /^POST .*event-destinations$/,
    /^POST .tenants.resources$/,
  ];

  test('is complete with a tenant, a set that publishes, and the association of both', async () => {
    expect(await find()).toBeUndefined();
    expect(await open()).toEqual({ id: mark });
    expect(await find()).toEqual({ id: mark });
    expect([...(fake.tenants.get(mark)?.resources ?? [])]).toEqual([arnOf(`configuration-set/${mark}`)]);
  });

  test('is opened with the requests that its pace allows for', async () => {
    await find();
    await open();
    expect(fake.requests.length).toBeLessThanOrEqual(account.facts.requestsOfStep.most);
  });

  test('is not looked for in a list without an end', async () => {
    await open();
    fake.rules.before = (request) =>
      request === 'POST /tenants/resources/list'
        ? { status: 200, body: { TenantResources: [], NextToken: 'again' } }
        : undefined;
    expect(await thrown(find())).toMatchObject({ message: expect.stringContaining('more than 20 pages') as string });
  });

  test.each(parts)('is completed after the answer to %s was lost', async (part) => {
    let losses = 1;
    fake.rules.isLost = (request) => part.test(request) && losses-- > 0;
    expect(await thrown(open())).toMatchObject({ mayHaveActed: true });
    expect(await open()).toEqual({ id: mark });
    expect(await find()).toEqual({ id: mark });
    expect([fake.tenants.size, fake.sets.size, fake.sets.get(mark)?.size]).toEqual([1, 1, 1]);
  });

  test.each(parts.slice(1))('is not found while %s has had no effect', async (part) => {
    fake.rules.before = (request) => (part.test(request) ? refusal('TooManyRequestsException', 429) : undefined);
    expect(await thrown(open())).toMatchObject({ meaning: 'transient', mayHaveActed: false });
    expect(await find()).toBeUndefined();
  });

  test.each(parts)('is not refused for what %s says: the tenant has not chosen it', async (part) => {
    for (const name of ['BadRequestException', 'NotFoundException']) {
      fake.rules.before = (request) => (part.test(request) ? refusal(name) : undefined);
      expect(await thrown(open())).toMatchObject({ meaning: 'transient', code: name });
    }
  });

  test('publishes to the topic that is set now', async () => {
    await open();
    const moved = { ...FAST, topicArn: `${FAST.topicArn}-2` };
    const later = createSesAccount({ ...moved, baseUrl: fake.baseUrl });
    expect(await later.accounts?.find({ mark })).toBeUndefined();
    fake.rules.topic = { ...fake.rules.topic, TopicArn: moved.topicArn };
    await later.accounts?.open({ mark });
    expect(await later.accounts?.find({ mark })).toEqual({ id: mark });
    await later.close();
  });

  test('is not that of a tenant of the same name without the mark', async () => {
    fake.tenants.set(mark, { tags: [{ Key: 'sendoff', Value: other }], resources: new Set() });
    expect(await find()).toBeUndefined();
    expect(await thrown(open())).toMatchObject({ meaning: 'refused', code: 'tenant_not_marked' });
    expect(fake.sets.size).toBe(0);
  });

  test('is closed as far as it exists, and twice', async () => {
    await open(other);
    for (const part of parts) {
      fake.rules.before = (request) => (part.test(request) ? refusal('x', 500) : undefined);
      await thrown(open());
      fake.rules.before = () => undefined;
      await close();
      expect([fake.tenants.size, fake.sets.size]).toEqual([1, 1]);
    }
    await ready();
    expect(await close()).toEqual({ id: mark });
    expect(await close()).toEqual({ id: null });
    expect([...fake.tenants.keys(), ...fake.sets.keys()]).toEqual([other, other]);
  });
});

describe('a domain', () => {
  beforeEach(async () => {
    await open();
  });
  const create = () => account.createDomain({ name: domain, mark });

  test("has records with the tokens and the zone of SES's answer", async () => {
    const { id, status, mark: found, records } = await create();
    expect([id, status, found]).toEqual([domain, 'pending', mark]);
    const [token] = identity().tokens;
    expect(records.map(({ purpose, type, name, value, required }) => [purpose, type, name, value, required])).toEqual([
      ...identity().tokens.map((one) => [
        ...['dkim', 'CNAME', `${one}._domainkey.${domain}`, `${one}.b1.dkim.eu-west-1.ses-email.example`, true],
      ]),
      ['return_path', 'MX', `send.${domain}`, '10 feedback-smtp.eu-west-1.amazonses.com', true],
      ['spf', 'TXT', `send.${domain}`, 'v=spf1 include:amazonses.com ~all', true],
    ]);
    expect(token).toBeTypeOf('string');
    expect((await account.getDomain(domain)).records).toEqual(records);
  });

  test.each<[string, () => void, string]>([
    ['all have succeeded', () => undefined, 'verified'],
    ['DKIM is pending', () => (identity().dkim = 'PENDING'), 'pending'],
    ['DKIM has failed', () => (identity().dkim = 'FAILED'), 'failed'],
    ['DKIM fails for a time', () => (identity().dkim = 'TEMPORARY_FAILURE'), 'pending'],
    ['DKIM has not started', () => (identity().dkim = 'NOT_STARTED'), 'pending'],
    ['DKIM has a word that is new', () => (identity().dkim = 'PAUSED'), 'pending'],
    ['MAIL FROM is pending', () => (mailFrom().status = 'PENDING'), 'pending'],
    ['MAIL FROM has failed', () => (mailFrom().status = 'FAILED'), 'failed'],
    ['MAIL FROM is not set', () => delete identity().mailFrom, 'failed'],
  ])('is reported by SES when %s', async (_, change, status) => {
    await create();
    await account.getDomain(domain);
    fake.rules.isPublished = () => false;
    change();
    expect((await account.getDomain(domain)).status).toBe(status);
  });
  const mailFrom = () => {
    const { mailFrom: found } = identity();
    if (found === undefined) throw new Error('no MAIL FROM');
    return found;
  };

  test('whose MAIL FROM was not set, because an answer was lost, gets it with the next check', async () => {
    fake.rules.isLost = (request) => request === 'POST /identities';
    expect(await thrown(create())).toBeInstanceOf(ProviderUnreachable);
    expect(await account.findDomain(domain)).toMatchObject({ mark, status: 'failed' });
    await account.requestVerification?.(domain);
    expect((await account.getDomain(domain)).status).toBe('verified');
  });

  test('may exist although its MAIL FROM was refused', async () => {
    fake.rules.before = (request) =>
      request.endsWith('mail-from') ? refusal('TooManyRequestsException', 429) : undefined;
    expect(await thrown(create())).toMatchObject({ meaning: 'transient', mayHaveActed: true });
    expect(fake.identities.has(domain)).toBe(true);
  });

  test('that exists is said to, and its mark tells whose it is', async () => {
    await create();
    expect(await thrown(create())).toMatchObject({ meaning: 'exists', mayHaveActed: false });
    expect(await account.findDomain('absent.test')).toBeUndefined();
    fake.identities.set('foreign.test', { tags: [], configurationSet: undefined, tokens: ['t'], dkim: 'SUCCESS' });
    expect((await account.findDomain('foreign.test'))?.mark).toBeUndefined();
  });

  test('without a zone of its tokens has no records that a tenant could publish', async () => {
    fake.rules.before = (request) =>
      request === 'POST /identities' ? { status: 200, body: { DkimAttributes: { Tokens: ['t'] } } } : undefined;
    expect(await thrown(create())).toMatchObject({ meaning: 'unread', mayHaveActed: true });
  });

  test('cannot be deleted before its association, and is gone after it', async () => {
    await create();
    await createSender();
    expect(await thrown(account.deleteDomain(domain))).toMatchObject({ meaning: 'refused' });
    expect(await account.deleteSenders?.({ mark, fromAddress: `a@${domain}` })).toEqual([arnOf(`identity/${domain}`)]);
    await account.deleteDomain(domain);
    expect(await thrown(account.deleteDomain(domain))).toMatchObject({ meaning: 'gone' });
  });
});

describe('a sender', () => {
  test('is the association of the domain, once it is verified', async () => {
    await open();
    expect(await thrown(createSender())).toMatchObject({ meaning: 'notVerified' });
    fake.rules.isPublished = () => false;
    await account.createDomain({ name: domain, mark });
    expect(await thrown(createSender())).toMatchObject({ meaning: 'notVerified', mayHaveActed: false });
    fake.rules.isPublished = () => true;
    const sender = { id: arnOf(`identity/${domain}`) };
    expect([await createSender(), await createSender()]).toEqual([sender, sender]);
  });

  test("of one domain is found on any page and deleted, and the tenant's other associations stay", async () => {
    await ready();
    await account.createDomain({ name: 'second.test', mark });
    const second = { fromAddress: 'a@second.test', mark } as const;
    await account.createSender({ domainId: 'second.test', ...second });
    const id = arnOf('identity/second.test');
    expect(await account.findSender?.(second)).toEqual({ id });
    expect(await account.deleteSenders?.(second)).toEqual([id]);
    expect(await account.findSender?.(second)).toBeUndefined();
    expect([...(fake.tenants.get(mark)?.resources ?? [])]).toEqual(
      [`configuration-set/${mark}`, `identity/${domain}`].map((resource) => arnOf(resource)),
    );
    expect(await account.deleteSenders?.({ mark: other, fromAddress: `a@${domain}` })).toEqual([]);
  });
});

describe('an email', () => {
  beforeEach(ready);

  test('carries the mark and the intent', async () => {
    const { id } = await send();
    expect(fake.emails).toMatchObject([
      { id, tenant: mark, tags: { sendoff: [mark], sendoff_intent: ['f'.repeat(32)] } },
    ]);
  });

  test('that is rejected has a domain that is not verified, an account in the sandbox, or content', async () => {
    fake.rules.isPublished = () => false;
    identity().dkim = 'FAILED';
    expect(await thrown(send())).toMatchObject({ meaning: 'notVerified', mayHaveActed: false });
    expect(await thrown(send('a@absent.test'))).toMatchObject({ meaning: 'notVerified' });
    identity().dkim = 'SUCCESS';
    fake.rules.account = { ...fake.rules.account, ProductionAccessEnabled: false };
    expect(await thrown(send())).toMatchObject({ meaning: 'accountBlocked' });
    fake.rules.account = { ...fake.rules.account, ProductionAccessEnabled: true };
    fake.rules.before = (request) => (request === 'POST /outbound-emails' ? refusal('MessageRejected') : undefined);
    expect(await thrown(send())).toMatchObject({ meaning: 'refused' });
  });

  test('that is refused was not accepted, also if the look at the domain or the account fails', async () => {
    for (const look of ['GET /identities', 'GET /account']) {
      fake.rules.before = (request) =>
        request === 'POST /outbound-emails'
          ? refusal('MessageRejected')
          : request.startsWith(look)
            ? refusal('x', 500)
            : undefined;
      expect(await thrown(send())).toMatchObject({
        meaning: 'transient',
        code: 'MessageRejected',
        mayHaveActed: false,
      });
    }
  });

  test("whose tenant or set is missing is the operator's matter", async () => {
    fake.rules.before = (request) =>
      request === 'POST /outbound-emails' ? refusal('NotFoundException', 404) : undefined;
    expect(await thrown(send())).toMatchObject({
      meaning: 'transient',
      code: 'NotFoundException',
      mayHaveActed: false,
    });
  });

  test("without an association is the operator's matter", async () => {
    await account.deleteSenders?.({ mark, fromAddress: `a@${domain}` });
    expect(await thrown(send())).toMatchObject({ meaning: 'transient', denies: 'access', mayHaveActed: false });
  });

  test.each([
    ['Acme 24', 'Acme 24 <a@mail.acme.test>'],
    ['Acme, Inc.', `=?UTF-8?B?${Buffer.from('Acme, Inc.').toString('base64')}?= <a@mail.acme.test>`],
    ['Müller', `=?UTF-8?B?${Buffer.from('Müller').toString('base64')}?= <a@mail.acme.test>`],
  ])('of the sender %s is from %s', async (name, from) => {
    await send(undefined, name);
    expect(fake.emails.at(-1)?.from).toBe(from);
  });

  test('of a long name has encoded words that are short, and break no character', async () => {
    const name = '🏔️ü'.repeat(20);
    await send(undefined, name);
    const words = (fake.emails.at(-1)?.from ?? '').split(' ').slice(0, -1);
    expect(words.every((word) => word.length <= 75)).toBe(true);
    const decoded = words.map((word) => Buffer.from(word.slice(10, -2), 'base64').toString());
    expect(decoded.join('')).toBe(name);
  });
});

test.each([
  [429, 'TooManyRequestsException', 'transient', false],
  [400, 'LimitExceededException', 'accountBlocked', false],
  [400, 'AccountSuspendedException', 'accountBlocked', false],
  [400, 'SendingPausedException', 'accountBlocked', false],
  [400, 'MailFromDomainNotVerifiedException', 'notVerified', false],
  [500, 'ConcurrentModificationException', 'transient', false],
  [403, 'AccessDeniedException', 'transient', false],
  [403, 'ExpiredTokenException', 'accountBlocked', false],
  [400, 'BadRequestException:http://internal.amazon.com/coral/', 'refused', false],
  [404, 'com.amazonaws.sesv2#NotFoundException', 'gone', false],
  [500, 'InternalFailure', 'transient', true],
  [502, undefined, 'transient', true],
  [503, undefined, 'transient', false],
  [400, 'toString', 'transient', false],
] as const)('%i %s is %s', async (status, name, meaning, mayHaveActed) => {
  const reply = (headers: object, body: object) => ({ status, body, headers: { ...headers } });
  for (const answer of [
    reply(name === undefined ? {} : { 'x-amzn-errortype': name }, { message: 'm' }),
    reply({}, { __type: name, Message: 'm' }),
  ]) {
    fake.rules.before = () => answer;
    const error = await thrown(account.getDomain('d'));
    expect(error).toMatchObject({
      meaning,
      mayHaveActed,
      httpStatus: status,
      message: expect.stringContaining('m') as string,
    });
  }
});

test.each(['{"DkimAttributes":', '<html></html>', '[]', '7', 'null', '{}', '{"MessageId":7}'])(
  'an answer that cannot be read is no success: %s',
  async (body) => {
    fake.rules.before = () => ({ status: 200, body });
    for (const call of [() => account.getDomain('d'), send, createSender]) {
      const error = await thrown(call());
      expect(error).toBeInstanceOf(ProviderUnreachable);
      expect(error).toMatchObject({ mayHaveActed: true });
    }
  },
);

test('no error contains a credential', async () => {
  const temporary = createSesAccount({ ...FAST, sessionToken: 'a-session-token', baseUrl: fake.baseUrl });
  const body = { message: `Credential=${ACCESS_KEY_ID}/a-session-token ${FAST.secretAccessKey}` };
  for (const status of [400, 403, 500]) {
    fake.rules.before = () => ({ status, body });
    const error = await thrown(temporary.getDomain(domain));
    expect(error).toBeInstanceOf(ProviderError);
    expect(String(error)).not.toMatch(/a-session-token/);
  }
  await temporary.close();
});

describe('examine', () => {
  const codes = async () => (await account.examine()).map(({ code }) => code);
  test('finds nothing wrong with an account that can send, and a topic that can be trusted', async () => {
    expect(await account.examine()).toEqual([]);
  });

  test.each([
    [{ ProductionAccessEnabled: false }, 'sandbox', /sandbox in eu-west-1.*SES_REGION/],
    [{ SendingEnabled: false }, 'sending_paused', /put-account-sending-attributes/, true],
    [{ SendingEnabled: false, EnforcementStatus: 'SHUTDOWN' }, 'account_suspended', /Amazon has stopped/, true],
  ])('%j', async (change, code, remedy, passes?: boolean) => {
    fake.rules.account = { ...fake.rules.account, ...change };
    expect(await account.examine()).toEqual([
      { code, remedy: expect.stringMatching(remedy) as string, ...(passes && { passes }) },
    ]);
  });

  test.each([
    [{ SignatureVersion: '1' }, 'signature_version', /--attribute-name SignatureVersion --attribute-value 2/],
    [{ SubscriptionsConfirmed: '0' }, 'topic_not_subscribed', /SES_TOPIC_ARN has no confirmed subscription/, true],
    [
      { TopicArn: 'arn:aws:sns:eu-west-1:123456789012:renamed' },
      'NotFound',
      /SES_TOPIC_ARN names no topic in eu-west-1/,
    ],
  ])('%j', async (change, code, remedy, passes?: boolean) => {
    fake.rules.topic = { ...fake.rules.topic, ...change };
    expect(await account.examine()).toEqual([
      { code, remedy: expect.stringMatching(remedy) as string, ...(passes && { passes }) },
    ]);
  });

  test('a topic without a signature version has version 1', async () => {
    fake.rules.topic = { TopicArn: FAST.topicArn, SubscriptionsConfirmed: '1' };
    expect(await codes()).toEqual(['signature_version']);
  });

  test.each([
    [403, 'UnrecognizedClientException', /SES refuses SES_ACCESS_KEY_ID/],
    [403, 'InvalidSignatureException', /SES_SECRET_ACCESS_KEY/],
    [403, 'AccessDeniedException', /no permission ses:GetAccount/],
  ])('%i %s names the setting', async (status, name, remedy) => {
    fake.rules.before = () => refusal(name, status);
    expect(await account.examine()).toMatchObject([{ code: name, remedy: expect.stringMatching(remedy) as string }]);
  });

  test('a topic in another account names the setting', async () => {
    const xml =
      '<ErrorResponse><Error><Code>AuthorizationError</Code><Message>not authorized</Message></Error></ErrorResponse>';
    fake.rules.before = (request) => (request === 'POST /' ? { status: 403, body: xml } : undefined);
    const [problem] = await account.examine();
    expect(problem?.remedy).toMatch(/may not read SES_TOPIC_ARN: the topic is in another account/);
  });

  test('throws while Amazon does not answer', async () => {
    fake.rules.before = () => ({ status: 503, body: {} });
    await expect(account.examine()).rejects.toMatchObject({ meaning: 'transient' });
  });
});
