// Judges that others have written: the SDKs of SES and SNS make the same requests, signed alike, and read the fake's answers; Amazon's own
// validator accepts the fake's messages.
import {
  CreateConfigurationSetCommand,
  CreateConfigurationSetEventDestinationCommand,
  CreateEmailIdentityCommand,
  CreateTenantCommand,
  CreateTenantResourceAssociationCommand,
  DeleteConfigurationSetCommand,
  DeleteEmailIdentityCommand,
  DeleteTenantCommand,
  DeleteTenantResourceAssociationCommand,
  EventType,
  GetAccountCommand,
  GetConfigurationSetEventDestinationsCommand,
  GetEmailIdentityCommand,
  GetTenantCommand,
  ListTenantResourcesCommand,
  PutEmailIdentityDkimSigningAttributesCommand,
  PutEmailIdentityMailFromAttributesCommand,
  SendEmailCommand,
  SESv2Client,
  UpdateConfigurationSetEventDestinationCommand,
} from '@aws-sdk/client-sesv2';
import {
  ConfirmSubscriptionCommand,
  GetTopicAttributesCommand,
  ListSubscriptionsByTopicCommand,
  SNSClient,
  SubscribeCommand,
  UnsubscribeCommand,
} from '@aws-sdk/client-sns';
import https from 'node:https';
import { Readable } from 'node:stream';
import MessageValidator from 'sns-validator';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  ACCESS_KEY_ID,
  FAST,
  type FakeSes,
  SECRET_ACCESS_KEY,
  startFakeSes,
} from '../../../../src/conformance/fakes/fake-ses.ts';
import { arnOf } from '../../../../src/conformance/fakes/fake-ses-resources.ts';
import { newCertificate, snsMessage, TOPIC_ARN } from '../../../../src/conformance/fakes/fake-sns.ts';
import { createSesAccount } from '../../../../src/email-provider/adapters/ses/ses-account.ts';
import { subscribedEvents } from '../../../../src/email-provider/adapters/ses/read-event.ts';
import type { OperatorAccount } from '../../../../src/email-provider/operator-account.ts';
import { type AnswerServer, startAnswerServer } from '../../../support/answer-server.ts';

const mark = 'so-0123456789abcdef0123456789abcdef' as const;
const Tags = [{ Key: 'sendoff', Value: mark }];
const EventDestination = {
  ...{ Enabled: true, MatchingEventTypes: [...subscribedEvents] },
  SnsDestination: { TopicArn: TOPIC_ARN },
};
const credentials = { accessKeyId: ACCESS_KEY_ID, secretAccessKey: SECRET_ACCESS_KEY, sessionToken: 'a+b/c==' };
const options = (endpoint: string) => ({ endpoint, region: FAST.region, credentials, maxAttempts: 1 });

/** Without the headers that only name the SDK and its attempt, before it signs. */
const withoutNames: Parameters<SESv2Client['middlewareStack']['addRelativeTo']> = [
  (next: (args: never) => Promise<never>) => (args: { request: { headers: Record<string, string> } }) => {
    const { headers } = args.request;
    for (const name of Object.keys(headers))
      if (/^(amz-sdk-|x-amz-user|content-length)/.test(name)) Reflect.deleteProperty(headers, name);
    return next(args as never);
  },
  { relation: 'before', toMiddleware: 'httpSigningMiddleware', name: 'withoutNames' },
] as never;

describe('the adapter sends what the SDKs send', () => {
  let server: AnswerServer;
  /** In place of the fake's answer. */
  let answer: ((path: string) => string) | undefined;
  let fake: FakeSes;
  let account: OperatorAccount;
  let ses: SESv2Client;
  let sns: SNSClient;
  beforeAll(async () => {
    server = await startAnswerServer(async ({ method, path, headers, body }, response) => {
      // By it, the SDK would correct its clock.
      response.sendDate = false;
      if (answer !== undefined) return response.writeHead(200).end(answer(path));
      const forwarded = await fetch(fake.baseUrl + path, {
        method,
        headers: { authorization: headers.authorization ?? '', 'content-type': headers['content-type'] ?? '' },
        ...(body !== '' && { body }),
      });
      const type = forwarded.headers.get('x-amzn-errortype');
      return response
        .writeHead(forwarded.status, type === null ? {} : { 'x-amzn-errortype': type })
        .end(await forwarded.text());
    });
  });
  afterAll(() => server.close());
  const signed = [
    'host',
    'content-type',
    'authorization',
    'x-amz-date',
    'x-amz-security-token',
    'x-amz-content-sha256',
  ];
  /** What the server has received since the last time. */
  const sent = () =>
    server.requests.splice(0).map(({ call, headers, body }) => {
      const content: unknown = body.startsWith('{') ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body));
      return { call, content, ...Object.fromEntries(signed.map((name) => [name, headers[name]])) };
    });
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    fake = await startFakeSes();
    account = createSesAccount({ ...FAST, ...credentials, baseUrl: server.baseUrl });
    ses = new SESv2Client(options(server.baseUrl));
    sns = new SNSClient(options(server.baseUrl));
    ses.middlewareStack.addRelativeTo(...withoutNames);
    sns.middlewareStack.addRelativeTo(
      ...(withoutNames as never as Parameters<SNSClient['middlewareStack']['addRelativeTo']>),
    );
  });
  afterEach(async () => {
    vi.useRealTimers();
    answer = undefined;
    await account.close();
    await fake.close();
  });

  const named = { ConfigurationSetName: mark, EventDestinationName: 'sendoff' };
  const [ConfigurationSetName, TenantName, EmailIdentity] = [mark, mark, 'mail.acme.test'];
  const setArn = arnOf(`configuration-set/${mark}`);
  const identityArn = arnOf(`identity/${EmailIdentity}`);
  const mailFrom = { MailFromDomain: 'send.mail.acme.test', BehaviorOnMxFailure: 'USE_DEFAULT_VALUE' } as const;
  const list = (type: string) => new ListTenantResourcesCommand({ TenantName, Filter: { RESOURCE_TYPE: type } });
  const sender = { mark, fromAddress: 'a@mail.acme.test' } as const;
  const open = async () => account.accounts?.open({ mark });
  const domain = () => account.createDomain({ name: EmailIdentity, mark });
  const openWithDomain = async () => {
    await open();
    await domain();
  };
  const openWithSender = async () => {
    await openWithDomain();
    await account.createSender({ domainId: EmailIdentity, ...sender });
  };
  const email = {
    ...{ from: { address: 'a@mail.acme.test', name: 'Müller & Söhne' }, recipient: 'ada@inbox.test' },
    ...{ subject: 'Willkommen ☀', body: 'It works.', mark, intentId: 'f'.repeat(32) },
  } as const;

  interface Case {
    /** Before, unrecorded. */
    readonly given?: () => Promise<unknown>;
    readonly when: () => Promise<unknown> | undefined;
    readonly commands: readonly object[];
  }
  const cases: Readonly<Record<string, Case>> = {
    examine: {
      when: () => account.examine(),
      commands: [new GetAccountCommand({}), new GetTopicAttributesCommand({ TopicArn: TOPIC_ARN })],
    },
    'accounts.open': {
      when: open,
      commands: [
        new CreateTenantCommand({ TenantName, Tags }),
        new CreateConfigurationSetCommand({ ConfigurationSetName, Tags }),
        new CreateConfigurationSetEventDestinationCommand({ ...named, EventDestination }),
        new CreateTenantResourceAssociationCommand({ TenantName, ResourceArn: setArn }),
      ],
    },
    'accounts.open of what exists': {
      given: open,
      when: open,
      commands: [
        new CreateTenantCommand({ TenantName, Tags }),
        new GetTenantCommand({ TenantName }),
        new CreateConfigurationSetCommand({ ConfigurationSetName, Tags }),
        new CreateConfigurationSetEventDestinationCommand({ ...named, EventDestination }),
        new UpdateConfigurationSetEventDestinationCommand({ ...named, EventDestination }),
        new CreateTenantResourceAssociationCommand({ TenantName, ResourceArn: setArn }),
      ],
    },
    'accounts.find': {
      given: open,
      when: () => account.accounts?.find({ mark }),
      commands: [
        new GetTenantCommand({ TenantName }),
        new GetConfigurationSetEventDestinationsCommand({ ConfigurationSetName }),
        list('CONFIGURATION_SET'),
      ],
    },
    'accounts.close': {
      given: open,
      when: () => account.accounts?.close({ mark }),
      commands: [new DeleteTenantCommand({ TenantName }), new DeleteConfigurationSetCommand({ ConfigurationSetName })],
    },
    createDomain: {
      given: open,
      when: domain,
      commands: [
        new CreateEmailIdentityCommand({ EmailIdentity, Tags, ConfigurationSetName }),
        new PutEmailIdentityMailFromAttributesCommand({ EmailIdentity, ...mailFrom }),
      ],
    },
    findDomain: {
      when: () => account.findDomain(EmailIdentity),
      commands: [new GetEmailIdentityCommand({ EmailIdentity })],
    },
    'findDomain of a name that is no path': {
      when: () => account.findDomain('a/b c?.test'),
      commands: [new GetEmailIdentityCommand({ EmailIdentity: 'a/b c?.test' })],
    },
    'requestVerification after a failure': {
      given: async () => {
        await openWithDomain();
        fake.rules.isPublished = () => false;
        const identity = fake.identities.get(EmailIdentity);
        if (identity?.mailFrom === undefined) throw new Error('no identity');
        identity.dkim = identity.mailFrom.status = 'FAILED';
      },
      when: () => account.requestVerification?.(EmailIdentity),
      commands: [
        new GetEmailIdentityCommand({ EmailIdentity }),
        new PutEmailIdentityMailFromAttributesCommand({ EmailIdentity, ...mailFrom }),
        new PutEmailIdentityDkimSigningAttributesCommand({ EmailIdentity, SigningAttributesOrigin: 'AWS_SES' }),
      ],
    },
    createSender: {
      given: openWithDomain,
      when: () => account.createSender({ domainId: EmailIdentity, ...sender }),
      commands: [
        new GetEmailIdentityCommand({ EmailIdentity }),
        new GetTenantCommand({ TenantName }),
        new CreateTenantResourceAssociationCommand({ TenantName, ResourceArn: identityArn }),
      ],
    },
    listWebhooks: {
      given: async () => {
        for (const endpoint of ['https://a.example', 'https://b.example'])
          fake.subscriptions.push({ endpoint, token: endpoint });
      },
      when: () => account.accountWebhooks?.list(),
      commands: [
        new ListSubscriptionsByTopicCommand({ TopicArn: TOPIC_ARN }),
        new ListSubscriptionsByTopicCommand({ TopicArn: TOPIC_ARN, NextToken: '1' }),
      ],
    },
    createWebhook: {
      when: () => account.accountWebhooks?.create('https://a.example/webhooks/provider/ses'),
      commands: [
        new SubscribeCommand({
          ...{ TopicArn: TOPIC_ARN, Protocol: 'https', Endpoint: 'https://a.example/webhooks/provider/ses' },
        }),
      ],
    },
    deleteWebhook: {
      when: () => account.accountWebhooks?.delete(`${TOPIC_ARN}:1`),
      commands: [new UnsubscribeCommand({ SubscriptionArn: `${TOPIC_ARN}:1` })],
    },
    findSender: { given: open, when: () => account.findSender?.(sender), commands: [list('EMAIL_IDENTITY')] },
    deleteSenders: {
      given: openWithSender,
      when: () => account.deleteSenders?.(sender),
      commands: [
        list('EMAIL_IDENTITY'),
        new DeleteTenantResourceAssociationCommand({ TenantName, ResourceArn: identityArn }),
      ],
    },
    deleteDomain: {
      when: () => account.deleteDomain(EmailIdentity),
      commands: [new DeleteEmailIdentityCommand({ EmailIdentity })],
    },
    sendEmail: {
      given: openWithSender,
      when: () => account.sendEmail(email, { idempotencyKey: 'k' }),
      commands: [
        new SendEmailCommand({
          FromEmailAddress: '=?UTF-8?B?TcO8bGxlciAmIFPDtmhuZQ==?= <a@mail.acme.test>',
          Destination: { ToAddresses: ['ada@inbox.test'] },
          Content: {
            Simple: {
              Subject: { Data: 'Willkommen ☀', Charset: 'UTF-8' },
              Body: { Text: { Data: 'It works.', Charset: 'UTF-8' } },
            },
          },
          EmailTags: [
            ...Tags.map(({ Key: Name, Value }) => ({ Name, Value })),
            { Name: 'sendoff_intent', Value: email.intentId },
          ],
          ...{ ConfigurationSetName, TenantName },
        }),
      ],
    },
  };
  test.each(Object.entries(cases))('%s', async (_, { given, when, commands }) => {
    await given?.();
    server.requests.length = 0;
    await when()?.catch(() => undefined);
    const ours = sent();
    answer = (path) => (path === '/' ? '<GetTopicAttributesResponse/>' : '{}');
    for (const command of commands) {
      const isOfSns = /topic|subscri/i.test(command.constructor.name);
      await (isOfSns ? sns.send(command as never) : ses.send(command as never)).catch(() => undefined);
    }
    expect(ours).toEqual(sent());
    expect(ours).toHaveLength(commands.length);
    expect(
      ours.map((request) => 'authorization' in request && String(request.authorization).length > 100),
    ).not.toContain(false);
  });

  test('the words of event types are those of the SDK', () => {
    expect(Object.values(EventType)).toEqual(expect.arrayContaining([...subscribedEvents]));
  });
});

describe('the SDKs read what the fake answers', () => {
  let fake: FakeSes;
  let ses: SESv2Client;
  beforeEach(async () => {
    fake = await startFakeSes();
    ses = new SESv2Client(options(fake.baseUrl));
  });
  afterEach(() => fake.close());

  test('of a tenant, its set and identity, and an email', async () => {
    const [TenantName, ConfigurationSetName, EmailIdentity] = [mark, mark, 'acme.test'];
    const created = await ses.send(new CreateTenantCommand({ TenantName, Tags }));
    expect(created).toMatchObject({ TenantName, Tags, SendingStatus: 'ENABLED' });
    expect(created.TenantArn).toMatch(new RegExp(`^arn:aws:ses:eu-west-1:\\d{12}:tenant/${mark}/`));
    expect((await ses.send(new GetTenantCommand({ TenantName }))).Tenant).toMatchObject({ TenantName, Tags });
    await ses.send(new CreateConfigurationSetCommand({ ConfigurationSetName, Tags }));
    const named = { ConfigurationSetName, EventDestinationName: 'sendoff' };
    await ses.send(new CreateConfigurationSetEventDestinationCommand({ ...named, EventDestination }));
    await ses.send(new UpdateConfigurationSetEventDestinationCommand({ ...named, EventDestination }));
    const { EventDestinations } = await ses.send(
      new GetConfigurationSetEventDestinationsCommand({ ConfigurationSetName }),
    );
    expect(EventDestinations).toEqual([{ Name: 'sendoff', ...EventDestination }]);
    const identity = await ses.send(new CreateEmailIdentityCommand({ EmailIdentity, Tags, ConfigurationSetName }));
    expect(identity.DkimAttributes).toMatchObject({
      Status: 'PENDING',
      Tokens: [/./, /./, /./].map(() => expect.any(String) as unknown),
    });
    await ses.send(new PutEmailIdentityMailFromAttributesCommand({ EmailIdentity, MailFromDomain: 'send.acme.test' }));
    expect(await ses.send(new GetEmailIdentityCommand({ EmailIdentity }))).toMatchObject({
      ...{
        Tags,
        VerifiedForSendingStatus: true,
        DkimAttributes: { Status: 'SUCCESS', SigningHostedZone: expect.any(String) as unknown },
      },
      MailFromAttributes: { MailFromDomain: 'send.acme.test', MailFromDomainStatus: 'SUCCESS' },
    });
    for (const resource of [`configuration-set/${mark}`, 'identity/acme.test'])
      await ses.send(new CreateTenantResourceAssociationCommand({ TenantName, ResourceArn: arnOf(resource) }));
    const listed = await ses.send(
      new ListTenantResourcesCommand({ TenantName, Filter: { RESOURCE_TYPE: 'EMAIL_IDENTITY' } }),
    );
    expect(listed.TenantResources).toEqual([
      { ResourceType: 'EMAIL_IDENTITY', ResourceArn: arnOf('identity/acme.test') },
    ]);
    const { MessageId } = await ses.send(
      new SendEmailCommand({
        FromEmailAddress: 'a@acme.test',
        Destination: { ToAddresses: ['ada@inbox.test'] },
        Content: { Simple: { Subject: { Data: 's' }, Body: { Text: { Data: 't' } } } },
        ...{ EmailTags: [{ Name: 'sendoff', Value: mark }], ConfigurationSetName, TenantName },
      }),
    );
    expect(fake.emails.map(({ id }) => id)).toEqual([MessageId]);
    expect(await ses.send(new GetAccountCommand({}))).toMatchObject({
      ProductionAccessEnabled: true,
      SendingEnabled: true,
    });
    const ResourceArn = arnOf('identity/acme.test');
    await ses.send(new DeleteTenantResourceAssociationCommand({ TenantName, ResourceArn }));
    await ses.send(new DeleteEmailIdentityCommand({ EmailIdentity }));
    await ses.send(new DeleteTenantCommand({ TenantName }));
    await ses.send(new DeleteConfigurationSetCommand({ ConfigurationSetName }));
    expect([fake.tenants.size, fake.sets.size, fake.identities.size]).toEqual([0, 0, 0]);
  });

  test('of refusals', async () => {
    await ses.send(new CreateTenantCommand({ TenantName: mark, Tags }));
    await expect(ses.send(new CreateTenantCommand({ TenantName: mark, Tags }))).rejects.toMatchObject({
      name: 'AlreadyExistsException',
    });
    await expect(ses.send(new GetEmailIdentityCommand({ EmailIdentity: 'none' }))).rejects.toMatchObject({
      name: 'NotFoundException',
    });
  });

  test('of a topic', async () => {
    const sns = new SNSClient(options(fake.baseUrl));
    const { Attributes } = await sns.send(new GetTopicAttributesCommand({ TopicArn: TOPIC_ARN }));
    expect(Attributes).toEqual(fake.rules.topic);
    const TopicArn = TOPIC_ARN;
    const Endpoint = 'https://a.example/?a=1&b=2';
    await sns.send(new SubscribeCommand({ TopicArn, Protocol: 'https', Endpoint }));
    const listed = async () => (await sns.send(new ListSubscriptionsByTopicCommand({ TopicArn }))).Subscriptions;
    expect(await listed()).toMatchObject([{ Endpoint, SubscriptionArn: 'PendingConfirmation', Protocol: 'https' }]);
    const { token: Token = '' } = fake.subscriptions[0] ?? {};
    await sns.send(new ConfirmSubscriptionCommand({ TopicArn, Token }));
    const [{ SubscriptionArn = '' } = {}] = (await listed()) ?? [];
    expect(SubscriptionArn).toMatch(/^arn:/);
    await sns.send(new UnsubscribeCommand({ SubscriptionArn }));
    expect(await listed()).toEqual([]);
    const confirmed = await sns.send(new ConfirmSubscriptionCommand({ TopicArn: TOPIC_ARN, Token: 't' }));
    expect(confirmed.SubscriptionArn).toContain(TOPIC_ARN);
    await expect(sns.send(new GetTopicAttributesCommand({ TopicArn: `${TOPIC_ARN}x` }))).rejects.toMatchObject({
      name: 'NotFoundException',
    });
  });
});

describe("Amazon's validator", () => {
  let fake: FakeSes;
  beforeEach(async () => {
    fake = await startFakeSes();
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await fake.close();
  });

  const verdict = (message: object): Promise<string> =>
    new Promise((resolve) => {
      vi.spyOn(https, 'get').mockImplementation(((_url: string, use: (answer: object) => void) => {
        void fetch(fake.baseUrl + new URL(_url).pathname)
          .then((answer) => answer.text())
          .then((pem) => {
            use(Object.assign(Readable.from([Buffer.from(pem)]), { statusCode: 200 }));
          });
        return { on: () => undefined };
      }) as never);
      new MessageValidator().validate(message as never, (error) => {
        resolve(error === null ? 'authentic' : error.message);
      });
    });

  test('accepts the messages of the fake, and no other', async () => {
    const notification = snsMessage({ Message: 'a\nb', Subject: 'Amazon SES' });
    expect(await verdict({ ...notification })).toBe('authentic');
    expect(await verdict({ ...notification, Message: 'a\nc' })).toMatch(/invalid/);
    const confirmation = {
      Type: 'SubscriptionConfirmation',
      Token: 't',
      SubscribeURL: 'https://sns.eu-west-1.amazonaws.com/',
    };
    expect(await verdict(snsMessage(confirmation))).toBe('authentic');
    expect(newCertificate().certificate).not.toBe(newCertificate().certificate);
  });
});
