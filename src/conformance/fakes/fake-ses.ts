// An Amazon SES and SNS with state, as their documents and SDKs describe them; sdk-judge.test.ts holds its answers against the SDKs, and its
// messages against Amazon's own validator.
import { randomUUID } from 'node:crypto';
import {
  ACCOUNT,
  answerSns,
  type FakeSubscription,
  CERTIFICATE_PATH,
  certificateOfProcess,
  REGION,
  snsMessage,
  TOPIC_ARN,
} from './fake-sns.ts';
import {
  arnOf,
  type FakeState,
  notFound,
  refused,
  type ResourceRules,
  resourceRoutes,
  type SesRoute,
} from './fake-ses-resources.ts';
import {
  type Body,
  type FakeRequest,
  type FaultRules,
  noFaults,
  ok,
  on,
  readBody,
  type Reply,
  serveFake,
} from './serve-fake.ts';

interface FakeEmail {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly tenant: string;
  readonly tags: Readonly<Record<string, readonly string[]>>;
}

export const ACCESS_KEY_ID = 'AKIAIOSFODNN7EXAMPLE';
/** Amazon's own example. */
export const SECRET_ACCESS_KEY = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';

/** Settings of an account whose requests need not wait. */
export const FAST = {
  ...{ region: REGION, topicArn: TOPIC_ARN, requestsPerSecond: 1_000 },
  ...{ accessKeyId: ACCESS_KEY_ID, secretAccessKey: SECRET_ACCESS_KEY },
};

/** What a test changes. */
export interface SesRules extends ResourceRules, FaultRules {
  /** The events that SES publishes about an email after its Send event: each event's word and the field that explains it. */
  outcome: (recipient: string) => readonly (readonly [string, object])[];
  /** Receives what SNS posts, and whether it was accepted. */
  deliver: (body: string) => Promise<boolean>;
  /** The fields that GetAccount returns. */
  account: Readonly<Record<string, unknown>>;
}

export async function startFakeSes(overrides: Partial<SesRules> = {}) {
  const rules: SesRules = {
    ...noFaults,
    isPublished: () => true,
    outcome: () => [['Delivery', { smtpResponse: '250 2.0.0 OK', recipients: [] }]],
    deliver: () => Promise.resolve(true),
    account: { EnforcementStatus: 'HEALTHY', ProductionAccessEnabled: true, SendingEnabled: true },
    topic: { Owner: ACCOUNT, TopicArn: TOPIC_ARN, SignatureVersion: '2', SubscriptionsConfirmed: '1' },
    ...overrides,
  };
  const state: FakeState = { tenants: new Map(), sets: new Map(), identities: new Map() };
  const { tenants, sets, identities } = state;
  const emails: FakeEmail[] = [];
  const confirmed: string[] = [];
  const subscriptions: FakeSubscription[] = [];
  const published = new Set<Promise<void>>();

  const eventOf = (email: FakeEmail, word: string, detail: object): string => {
    const timestamp = new Date().toISOString();
    const field = word.charAt(0).toLowerCase() + word.slice(1);
    const mail = {
      ...{ timestamp, messageId: email.id, source: email.from, sendingAccountId: ACCOUNT, destination: [email.to] },
      tags: { 'ses:configuration-set': [email.tenant], ...email.tags },
    };
    return JSON.stringify({ eventType: word, mail, [field]: { timestamp, ...detail } });
  };

  /** To the topic of the set's destination, if it wants the event. SNS posts until a request is accepted, at most three times here. */
  async function publish(email: FakeEmail, word: string, detail: object): Promise<void> {
    const wanted = [...(sets.get(email.tenant)?.values() ?? [])].some(
      (destination) =>
        ((destination['SnsDestination'] ?? {}) as Body)['TopicArn'] === TOPIC_ARN &&
        (destination['MatchingEventTypes'] as string[]).includes(eventTypes[word] ?? ''),
    );
    if (!wanted) return;
    const body = JSON.stringify(snsMessage({ Message: eventOf(email, word, detail) }));
    for (let tries = 0; tries < 3 && !(await rules.deliver(body)); tries += 1);
  }

  const routes: readonly SesRoute[] = [
    ...resourceRoutes(state, rules),
    on(/^GET \/account$/, () => ok({ SendQuota: { Max24HourSend: 50_000, MaxSendRate: 14 }, ...rules.account })),
    on(/^POST \/outbound-emails$/, ({ body }) => {
      const email = readEmail(body);
      const domain = /@([^\s>]+)>?$/.exec(email.from)?.[1] ?? '';
      if (rules.account['SendingEnabled'] === false) return refused('SendingPausedException', 'Sending is paused.');
      if (identities.get(domain)?.dkim !== 'SUCCESS')
        return refused('MessageRejected', `Email address is not verified. The following identities failed: ${domain}`);
      const missing = [`identity/${domain}`, `configuration-set/${String(body['ConfigurationSetName'])}`]
        .map((resource) => arnOf(resource))
        .filter((arn) => tenants.get(email.tenant)?.resources.has(arn) !== true);
      if (missing.length > 0)
        return { ...refused('AccessDeniedException', `Not associated: ${missing.join(', ')}`), status: 403 };
      if (rules.account['ProductionAccessEnabled'] === false)
        return refused('MessageRejected', `Email address is not verified: ${email.to}`);
      emails.push(email);
      const publishing = (async () => {
        for (const [word, detail] of [['Send', {}] as const, ...rules.outcome(email.to)])
          await publish(email, word, detail);
      })().finally(() => published.delete(publishing));
      published.add(publishing);
      return ok({ MessageId: email.id });
    }),
  ];

  function answer(request: string, url: URL, headers: FakeRequest['headers'], sent: string): Reply {
    const topic = { attributes: rules.topic, confirm: (token: string) => confirmed.push(token), subscriptions };
    if (request === `GET ${CERTIFICATE_PATH}`) return { status: 200, body: certificateOfProcess().certificate };
    // Confirms a subscription without a credential.
    if (request === 'GET /') return answerSns(url.searchParams, topic);
    const service = request === 'POST /' ? 'sns' : 'ses';
    const credential = `AWS4-HMAC-SHA256 Credential=${ACCESS_KEY_ID}/`;
    const { authorization = '' } = headers;
    if (!authorization.startsWith(credential) || !authorization.includes(`/${REGION}/${service}/aws4_request`))
      return { ...refused('UnrecognizedClientException', 'The security token is invalid.'), status: 403 };
    if (service === 'sns') return answerSns(new URLSearchParams(sent), topic);
    const route = routes.find((one) => one.request.test(request));
    const [, , , , name = '', , part = ''] = url.pathname.split('/').map(decodeURIComponent);
    return route?.handle({ name, part, body: readBody(sent) }) ?? notFound('Path');
  }

  const server = await serveFake(
    rules,
    (request, { url, headers, content }) => {
      const reply = answer(request, url, headers, content);
      return { ...reply, headers: { 'x-amzn-requestid': randomUUID(), ...reply.headers } };
    },
    '/v2/email',
  );
  return {
    ...server,
    ...{ rules, tenants, sets, identities, emails, confirmed, subscriptions, eventOf },
    /** Resolves once the topic has posted what it has so far. */
    async settled(): Promise<void> {
      await Promise.all(published);
    },
  };
}

export type FakeSes = Awaited<ReturnType<typeof startFakeSes>>;

/** As an event destination names them. */
const eventTypes: Readonly<Record<string, string>> = {
  ...{ Send: 'SEND', Delivery: 'DELIVERY', Bounce: 'BOUNCE', Complaint: 'COMPLAINT', Reject: 'REJECT' },
  DeliveryDelay: 'DELIVERY_DELAY',
};

function readEmail(body: Body): FakeEmail {
  const [to = ''] = (body['Destination'] as { ToAddresses: string[] }).ToAddresses;
  const tags = (body['EmailTags'] as { Name: string; Value: string }[]).map(
    ({ Name, Value }) => [Name, [Value]] as const,
  );
  return {
    ...{ id: `0102${randomUUID()}-000000`, to, from: String(body['FromEmailAddress']) },
    ...{ tenant: String(body['TenantName']), tags: Object.fromEntries(tags) },
  };
}
