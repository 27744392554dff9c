// Resend's own SDK judges the adapter's requests and the fake's answers.
import { Resend } from 'resend';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createResendAccount } from '../../../../src/email-provider/adapters/resend/resend-account.ts';
import type { OperatorAccount } from '../../../../src/email-provider/operator-account.ts';
import { FAKE_KEY, FAST, type FakeResend, startFakeResend } from '../../../../src/conformance/fakes/fake-resend.ts';
import { type AnswerServer, jsonAnswer, startAnswerServer } from '../../../support/answer-server.ts';

const MARK = 'so-0123456789abcdef0123456789abcdef';
const email = { recipient: 'ada@inbox.test', subject: 'Welcome', body: 'It works.' };

describe('the adapter sends what the SDK sends', () => {
  let server: AnswerServer;
  let account: OperatorAccount;
  let sdk: Resend;
  beforeAll(async () => {
    server = await startAnswerServer(jsonAnswer(200, { data: [{ id: 'k-1', name: MARK }], has_more: false }));
    account = createResendAccount({ baseUrl: server.baseUrl, ...FAST });
    sdk = new Resend(FAKE_KEY, { baseUrl: server.baseUrl });
  });
  afterAll(async () => {
    await account.close();
    await server.close();
  });
  /** What the server has received since the last time. */
  const sent = () =>
    server.requests.splice(0).map(({ call, headers, body }) => ({
      ...{ call, authorization: headers.authorization, key: headers['idempotency-key'] },
      ...(body !== '' && { content: JSON.parse(body) as unknown, type: headers['content-type'] }),
    }));

  const from = { address: 'a@acme.test', name: 'Acme' };
  const idempotencyKey = 'onboarding/acme/first-email/1';
  test.each<[string, () => Promise<unknown> | undefined, () => Promise<unknown>]>([
    [
      'createDomain',
      () => account.createDomain({ name: 'acme.test', mark: MARK }),
      () => sdk.domains.create({ name: 'acme.test' }),
    ],
    ['examine', () => account.examine(), () => sdk.domains.list({ limit: 1 })],
    ['getDomain', () => account.getDomain('d-1'), () => sdk.domains.get('d-1')],
    ['findDomain', () => account.findDomain('acme.test'), () => sdk.domains.list({ limit: 100 })],
    ['requestVerification', () => account.requestVerification?.('d-1'), () => sdk.domains.verify('d-1')],
    ['deleteDomain', () => account.deleteDomain('d-1'), () => sdk.domains.remove('d-1')],
    [
      'createSender',
      () => account.createSender({ domainId: 'd-1', fromAddress: 'a@acme.test', mark: MARK }),
      async () => {
        await sdk.apiKeys.list({ limit: 100 });
        await sdk.apiKeys.remove('k-1');
        await sdk.apiKeys.create({ name: MARK, permission: 'sending_access', domain_id: 'd-1' });
      },
    ],
    [
      'deleteSenders',
      () => account.deleteSenders?.({ mark: MARK, fromAddress: 'a@mail.acme.test' }),
      async () => {
        await sdk.apiKeys.list({ limit: 100 });
        await sdk.apiKeys.remove('k-1');
      },
    ],
    [
      'sendEmail',
      () => account.sendEmail({ from, ...email, mark: MARK, intentId: 'e1' }, { idempotencyKey }),
      () =>
        sdk.emails.send(
          {
            from: 'Acme <a@acme.test>',
            to: ['ada@inbox.test'],
            subject: 'Welcome',
            text: 'It works.',
            tags: [
              { name: 'sendoff', value: MARK },
              { name: 'sendoff_intent', value: 'e1' },
            ],
          },
          { idempotencyKey },
        ),
    ],
    ['listWebhooks', () => account.accountWebhooks?.list(), () => sdk.webhooks.list({ limit: 100 })],
    [
      'createWebhook',
      () => account.accountWebhooks?.create('https://a.example/webhooks/provider/resend'),
      () =>
        sdk.webhooks.create({
          endpoint: 'https://a.example/webhooks/provider/resend',
          events: [
            ...(['email.sent', 'email.delivered', 'email.delivery_delayed', 'email.bounced'] as const),
            ...(['email.suppressed', 'domain.updated'] as const),
          ],
        }),
    ],
    ['deleteWebhook', () => account.accountWebhooks?.delete('w-1'), () => sdk.webhooks.remove('w-1')],
    ['getEmail', () => account.getEmail('e-1', { mark: MARK }), () => sdk.emails.get('e-1')],
  ])('%s', async (_, ours, theirs) => {
    await ours()?.catch(() => undefined);
    const requests = sent();
    await theirs();
    expect(requests).not.toHaveLength(0);
    expect(requests).toEqual(sent());
  });
});

describe('the SDK reads what the fake answers', () => {
  let fake: FakeResend;
  let sdk: Resend;
  beforeEach(async () => {
    fake = await startFakeResend();
    sdk = new Resend(FAKE_KEY, { baseUrl: fake.baseUrl });
  });
  afterEach(() => fake.close());

  test('of a domain, its key and an email', async () => {
    const { data: domain } = await sdk.domains.create({ name: 'mail.acme.test' });
    const id = domain?.id ?? '';
    expect(domain).toMatchObject({ name: 'mail.acme.test', status: 'not_started' });
    expect(domain?.records.map(({ record, name, type }) => [record, type, name])).toEqual([
      ['SPF', 'MX', 'send.mail'],
      ['SPF', 'TXT', 'send.mail'],
      ['DKIM', 'TXT', 'resend._domainkey.mail'],
    ]);
    expect(domain?.records[0]).toMatchObject({
      priority: 10,
      value: expect.stringContaining('amazonses.com') as string,
    });
    for (const { value } of domain?.records ?? []) expect(value).toEqual(expect.any(String));
    expect((await sdk.domains.verify(id)).data).toEqual({ object: 'domain', id });
    expect((await sdk.domains.get(id)).data).toMatchObject({ id, status: 'verified' });
    expect((await sdk.domains.list()).data).toMatchObject({ has_more: false, data: [{ id, name: 'mail.acme.test' }] });
    const { data: key } = await sdk.apiKeys.create({ name: MARK, permission: 'sending_access', domain_id: id });
    expect(key).toEqual({ id: fake.keys[0]?.id, token: fake.keys[0]?.token });
    expect((await sdk.apiKeys.list()).data?.data).toMatchObject([{ id: key?.id, name: MARK }]);
    const message = { from: 'a@mail.acme.test', to: 'ada@inbox.test', subject: 's', text: 't' };
    const { data: sent } = await sdk.emails.send({ ...message, to: ['ada@inbox.test'] });
    expect((await sdk.emails.get(sent?.id ?? '')).data).toMatchObject({ id: sent?.id, last_event: 'delivered' });
    expect((await sdk.apiKeys.remove(key?.id ?? '')).error).toBeNull();
    expect((await sdk.domains.remove(id)).data).toMatchObject({ id, deleted: true });
  });

  test('of a webhook', async () => {
    const created = await sdk.webhooks.create({ endpoint: 'https://a.example', events: ['email.sent'] });
    const id = created.data?.id ?? '';
    expect(created.data).toMatchObject({
      object: 'webhook',
      signing_secret: expect.stringMatching(/^whsec_/) as string,
    });
    const listed = { id, endpoint: 'https://a.example', events: ['email.sent'], status: 'enabled' };
    expect((await sdk.webhooks.list()).data).toMatchObject({ object: 'list', has_more: false, data: [listed] });
    expect((await sdk.webhooks.remove(id)).data).toEqual({ object: 'webhook', id, deleted: true });
  });

  test('of a refusal', async () => {
    await sdk.domains.create({ name: 'acme.test' });
    const { error } = await sdk.domains.create({ name: 'acme.test' });
    expect(error).toMatchObject({ name: 'validation_error', statusCode: 403 });
    expect((await sdk.domains.get('none')).error).toMatchObject({ name: 'not_found', statusCode: 404 });
  });
});
