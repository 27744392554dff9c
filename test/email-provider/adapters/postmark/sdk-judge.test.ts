// Postmark's own SDK judges the adapter's requests and the fake's answers.
/* eslint-disable @typescript-eslint/no-unsafe-class-instance-assignment -- the SDK's classes are shapes, for which its own examples pass objects */
import { AccountClient, ServerClient } from 'postmark';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  FAKE_ACCOUNT_TOKEN,
  FAST_POSTMARK,
  type FakePostmark,
  startFakePostmark,
} from '../../../../src/conformance/fakes/fake-postmark.ts';
import { postmarkRecords } from '../../../../src/conformance/fakes/postmark-shapes.ts';
import { createPostmarkAccount } from '../../../../src/email-provider/adapters/postmark/postmark-account.ts';
import type { OperatorAccount } from '../../../../src/email-provider/operator-account.ts';
import { type AnswerServer, sendJson, startAnswerServer } from '../../../support/answer-server.ts';

const MARK = 'so-0123456789abcdef0123456789abcdef';
const tenant = { mark: MARK, token: '3f2504e0-4f89-41d3-9a0c-0305e82c3301' } as const;
const clientOptions = (url: string) => ({ useHttps: false, requestHost: url.replace('http://', '') });
const webhook = { url: 'https://sendoff.test/webhooks/acme', headers: { 'x-secret': 'a-secret' } };
const webhookRequest = {
  Url: webhook.url,
  MessageStream: 'outbound',
  HttpHeaders: [{ Name: 'x-secret', Value: 'a-secret' }],
  Triggers: { Delivery: { Enabled: true }, Bounce: { Enabled: true, IncludeContent: false } },
};
const message = {
  From: 'Acme <a@acme.test>',
  To: 'ada@inbox.test',
  Subject: 'Welcome',
  TextBody: 'It works.',
  MessageStream: 'outbound',
  Metadata: { sendoff: 'e1' },
};

describe('the adapter sends what the SDK sends', () => {
  /** Enough for each call to go on to its next request. */
  const answers: readonly [RegExp, object][] = [
    [/^GET \/servers/, { Servers: [{ ID: 1, Name: MARK, ApiTokens: [tenant.token] }] }],
    [/^GET \/webhooks/, { Webhooks: [{ ID: 2, Url: webhook.url }] }],
    [/^GET \/domains\?/, { Domains: [{ ID: 3, Name: 'acme.test' }] }],
    [
      /\/domains\/3/,
      { ID: 3, Name: 'acme.test', DKIMPendingHost: 'k._domainkey.acme.test', DKIMPendingTextValue: 'p=' },
    ],
    [
      /^GET \/messages\/outbound\/.*details/,
      { MessageID: 'e-1', Status: 'Sent', MessageEvents: [{ Type: 'Bounced', Details: { BounceID: 4 } }] },
    ],
  ];
  let server: AnswerServer;
  let account: OperatorAccount;
  let ofAccount: AccountClient;
  let ofServer: ServerClient;
  beforeAll(async () => {
    server = await startAnswerServer((request, response) =>
      sendJson(response, 200, answers.find(([call]) => call.test(request.call))?.[1] ?? {}),
    );
    account = createPostmarkAccount({ baseUrl: server.baseUrl, ...FAST_POSTMARK });
    ofAccount = new AccountClient(FAKE_ACCOUNT_TOKEN, clientOptions(server.baseUrl));
    ofServer = new ServerClient(tenant.token, clientOptions(server.baseUrl));
  });
  afterAll(async () => {
    await account.close();
    await server.close();
  });
  /** What the server has received since the last time. The parameters of a query have no order. */
  const sent = () =>
    server.requests.splice(0).map(({ call, headers, body }) => {
      const [path = '', query = ''] = call.split('?');
      return {
        ...{ path, query: [...new URLSearchParams(query)].map((parameter) => parameter.join('=')).toSorted() },
        ...{ account: headers['x-postmark-account-token'], server: headers['x-postmark-server-token'] },
        accept: headers.accept,
        ...(body !== '' && { content: JSON.parse(body) as unknown, type: headers['content-type'] }),
      };
    });

  test.each<[string, () => Promise<unknown> | undefined, () => Promise<unknown>[]]>([
    ['examine', () => account.examine(), () => [ofAccount.getServers({ count: 1, offset: 0 })]],
    ['accounts.open', () => account.accounts?.open(tenant), () => [ofAccount.createServer({ Name: MARK })]],
    ['accounts.find', () => account.accounts?.find(tenant), () => [ofAccount.getServers({ name: MARK })]],
    [
      'accounts.close',
      () => account.accounts?.close(tenant),
      () => [ofAccount.getServers({ name: MARK }), ofAccount.deleteServer(1)],
    ],
    [
      'webhooks.create',
      () => account.webhooks?.create(webhook, tenant),
      () => [ofServer.createWebhook(webhookRequest)],
    ],
    [
      'webhooks.delete',
      () => account.webhooks?.delete(webhook.url, tenant),
      () => [
        ofAccount.getServers({ name: MARK }),
        ofServer.getWebhooks({ messageStream: 'outbound' }),
        ofServer.deleteWebhook(2),
      ],
    ],
    [
      'createDomain',
      () => account.createDomain({ name: 'acme.test', ...tenant }),
      () => [ofAccount.createDomain({ Name: 'acme.test', ReturnPathDomain: 'pm-bounces.acme.test' })],
    ],
    [
      'findDomain',
      () => account.findDomain('acme.test'),
      () => [ofAccount.getDomains({ count: 500, offset: 0 }), ofAccount.getDomain(3)],
    ],
    ['getDomain', () => account.getDomain('3'), () => [ofAccount.getDomain(3)]],
    [
      'requestVerification',
      () => account.requestVerification?.('3'),
      () => [ofAccount.verifyDomainDKIM(3), ofAccount.verifyDomainReturnPath(3)],
    ],
    ['deleteDomain', () => account.deleteDomain('3'), () => [ofAccount.deleteDomain(3)]],
    [
      'createSender',
      () => account.createSender({ domainId: '3', fromAddress: 'a@acme.test', ...tenant }),
      () => [ofAccount.getDomain(3)],
    ],
    [
      'sendEmail',
      () =>
        account.sendEmail(
          {
            from: { address: 'a@acme.test', name: 'Acme' },
            ...{ recipient: 'ada@inbox.test', subject: 'Welcome', body: 'It works.', intentId: 'e1' },
            ...tenant,
          },
          { idempotencyKey: 'k' },
        ),
      () => [ofServer.sendEmail(message)],
    ],
    [
      'findEmail',
      () => account.findEmail?.({ intentId: 'e1', since: '2026-11-24T12:00:00Z', ...tenant }),
      () => [ofServer.getOutboundMessages({ metadata_sendoff: 'e1', count: 100, offset: 0 })],
    ],
    [
      'getEmail',
      () => account.getEmail('e-1', tenant),
      () => [ofServer.getOutboundMessageDetails('e-1'), ofServer.getBounce(4)],
    ],
  ])('%s', async (_, ours, theirs) => {
    await ours()?.catch(() => undefined);
    const requests = sent();
    for (const each of theirs()) await each;
    expect(requests).not.toHaveLength(0);
    expect(requests).toEqual(sent());
  });
});

describe('the SDK reads what the fake answers', () => {
  let fake: FakePostmark;
  let ofAccount: AccountClient;
  beforeEach(async () => {
    fake = await startFakePostmark();
    ofAccount = new AccountClient(FAKE_ACCOUNT_TOKEN, clientOptions(fake.baseUrl));
  });
  afterEach(() => fake.close());

  test('of a server, its webhook, a domain and an email', async () => {
    const server = await ofAccount.createServer({ Name: MARK });
    expect(server).toMatchObject({ Name: MARK, ApiTokens: [fake.servers[0]?.token], DeliveryType: 'Live' });
    expect(await ofAccount.getServers({ name: MARK })).toMatchObject({ TotalCount: 1, Servers: [{ ID: server.ID }] });
    const ofServer = new ServerClient(server.ApiTokens[0] ?? '', clientOptions(fake.baseUrl));
    expect(await ofServer.getServer()).toMatchObject({ ID: server.ID });
    const { ID } = await ofServer.createWebhook(webhookRequest);
    expect(await ofServer.getWebhooks({ messageStream: 'outbound' })).toMatchObject({
      Webhooks: [{ ID, Url: webhook.url, HttpHeaders: webhookRequest.HttpHeaders, Triggers: webhookRequest.Triggers }],
    });

    const domain = await ofAccount.createDomain({ Name: 'acme.test', ReturnPathDomain: 'pm-bounces.acme.test' });
    const [dkim, returnPath] = postmarkRecords('acme.test');
    expect(domain).toMatchObject({
      ...{ DKIMVerified: false, DKIMPendingHost: dkim?.name, DKIMPendingTextValue: dkim?.value, DKIMHost: '' },
      ...{ ReturnPathDomain: returnPath?.name, ReturnPathDomainCNAMEValue: returnPath?.value },
    });
    expect(await ofAccount.verifyDomainDKIM(domain.ID)).toMatchObject({ DKIMVerified: true, DKIMHost: dkim?.name });
    expect(await ofAccount.verifyDomainReturnPath(domain.ID)).toMatchObject({ ReturnPathDomainVerified: true });
    expect(await ofAccount.getDomains()).toMatchObject({ TotalCount: 1, Domains: [{ ID: domain.ID }] });

    const sent = await ofServer.sendEmail(message);
    expect(sent).toMatchObject({ ErrorCode: 0, To: 'ada@inbox.test', MessageID: fake.emails[0]?.id });
    expect(await ofServer.getOutboundMessages({ metadata_sendoff: 'e1' })).toMatchObject({
      Messages: [{ MessageID: sent.MessageID, Metadata: { sendoff: 'e1' } }],
    });
    expect(await ofServer.getOutboundMessageDetails(sent.MessageID)).toMatchObject({
      Status: 'Sent',
      MessageEvents: [{ Type: 'Delivered', Recipient: 'ada@inbox.test', ReceivedAt: expect.any(String) as string }],
    });
    fake.rules.ending = () => 'HardBounce 550 5.1.1 user unknown';
    const { MessageEvents } = await ofServer.getOutboundMessageDetails(sent.MessageID);
    expect(MessageEvents[0]?.Type).toBe('Bounced');
    const { BounceID } = MessageEvents[0]?.Details as { BounceID: number };
    expect(await ofServer.getBounce(BounceID)).toMatchObject({
      ...{ Type: 'HardBounce', MessageID: sent.MessageID, Details: '550 5.1.1 user unknown' },
      Description: expect.any(String) as string,
    });

    await ofServer.deleteWebhook(ID);
    await ofAccount.deleteDomain(domain.ID);
    await ofAccount.deleteServer(server.ID);
    expect([fake.webhooks, fake.domains, fake.servers]).toEqual([[], [], []]);
  });

  test('of a refusal', async () => {
    const { ApiTokens } = await ofAccount.createServer({ Name: MARK });
    await expect(ofAccount.createServer({ Name: MARK })).rejects.toMatchObject({ statusCode: 422, code: 603 });
    await ofAccount.createDomain({ Name: 'acme.test' });
    await expect(ofAccount.createDomain({ Name: 'acme.test' })).rejects.toMatchObject({ code: 504 });
    await expect(ofAccount.createDomain({ Name: 'gmail.com' })).rejects.toMatchObject({ code: 503 });
    await expect(ofAccount.getDomain(1)).rejects.toMatchObject({ code: 510 });
    const ofServer = new ServerClient(ApiTokens[0] ?? '', clientOptions(fake.baseUrl));
    await expect(ofServer.sendEmail(message)).rejects.toMatchObject({ statusCode: 422, code: 400 });
    fake.addVerified('acme.test');
    fake.rules.isSuppressed = () => true;
    await expect(ofServer.sendEmail(message)).rejects.toMatchObject({ name: 'InactiveRecipientsError', code: 406 });
    const stranger = new AccountClient('another-token', clientOptions(fake.baseUrl));
    await expect(stranger.getServers()).rejects.toMatchObject({ name: 'InvalidAPIKeyError', code: 10 });
  });
});
