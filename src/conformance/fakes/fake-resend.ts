// A Resend with state, as its document and its SDK describe it; sdk-judge.test.ts holds its answers against the SDK.
import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import {
  type Body,
  type FaultRules,
  noFaults,
  ok,
  on,
  readBody,
  removed,
  type Reply,
  type Route,
  serveFake,
} from './serve-fake.ts';

interface FakeDomain {
  readonly id: string;
  readonly name: string;
  status: string;
}
interface FakeKey {
  readonly id: string;
  readonly name: string;
  readonly token: string;
  readonly domainId?: string;
}
interface FakeEmail {
  readonly id: string;
  readonly to: string;
  readonly from: string;
  readonly key: string;
  readonly content: string;
  lastEvent: string;
}
interface FakeWebhook {
  readonly id: string;
  readonly endpoint: string;
  readonly events: readonly string[];
  status: string;
}
export const FAKE_KEY = 're_test_full_access';
/** Settings of an account whose requests need not wait. */
export const FAST = { apiKey: FAKE_KEY, requestsPerSecond: 1_000 };

/** What a test changes. */
export interface ResendRules extends FaultRules {
  /** Whether a check of the DNS finds the records. */
  isPublished: (domain: string) => boolean;
  lastEvent: (recipient: string) => string;
}

export async function startFakeResend(overrides: Partial<ResendRules> = {}) {
  const rules: ResendRules = {
    ...noFaults,
    isPublished: () => true,
    lastEvent: () => 'delivered',
    ...overrides,
  };
  const domains: FakeDomain[] = [];
  const keys: FakeKey[] = [];
  const emails: FakeEmail[] = [];
  const webhooks: FakeWebhook[] = [];

  const shown = ({ id, name, status }: FakeDomain): object => ({
    ...{ id, name, status, created_at: '2026-11-24 12:00:00.000000+00', region: 'us-east-1' },
    records: recordsOf(name),
  });
  const page = (items: readonly { readonly id: string }[], query: URLSearchParams): Reply => {
    const from = items.findIndex(({ id }) => id === query.get('after')) + 1;
    const limit = Number(query.get('limit') ?? 20);
    const data = items.slice(from, from + limit).map((item) => ({ ...item, created_at: '2026-11-24' }));
    return ok({ object: 'list', has_more: from + limit < items.length, data });
  };

  const routes: readonly Route<{ id: string; body: Body; query: URLSearchParams; key: string }>[] = [
    on(/^POST \/domains$/, ({ body }) => {
      const name = String(body['name']);
      if (domains.some((domain) => domain.name === name))
        return refused(403, 'validation_error', `The ${name} domain has been registered already.`);
      const domain = { id: randomUUID(), name, status: 'not_started' };
      domains.push(domain);
      return { status: 201, body: shown(domain) };
    }),
    on(/^GET \/domains$/, ({ query }) => page(domains, query)),
    on(/^GET \/domains\/[^/]+$/, ({ id }) => {
      const domain = domains.find((one) => one.id === id);
      if (domain?.status === 'pending' && rules.isPublished(domain.name)) domain.status = 'verified';
      return domain === undefined ? notFound('Domain') : ok({ object: 'domain', ...shown(domain) });
    }),
    on(/^POST \/domains\/[^/]+\/verify$/, ({ id }) => {
      const domain = domains.find((one) => one.id === id);
      if (domain === undefined) return notFound('Domain');
      domain.status = 'pending';
      return ok({ object: 'domain', id });
    }),
    on(/^DELETE \/domains\/[^/]+$/, ({ id }) =>
      removed(domains, 'id', id) ? ok({ object: 'domain', id, deleted: true }) : notFound('Domain'),
    ),
    on(/^POST \/api-keys$/, ({ body }) => {
      const name = String(body['name']);
      if (name.length > 50) return refused(422, 'validation_error', 'The name must have at most 50 characters.');
      const key = { id: randomUUID(), name, token: `re_${randomUUID()}`, domainId: String(body['domain_id']) };
      keys.push(key);
      return { status: 201, body: { id: key.id, token: key.token } };
    }),
    on(/^GET \/api-keys$/, ({ query }) =>
      page(
        keys.map(({ id, name }) => ({ id, name })),
        query,
      ),
    ),
    on(/^DELETE \/api-keys\/[^/]+$/, ({ id }) => (removed(keys, 'id', id) ? ok({}) : notFound('API key'))),
    on(/^POST \/webhooks$/, ({ body }) => {
      const { endpoint, events } = body as { endpoint: string; events: string[] };
      const webhook = { id: randomUUID(), endpoint, events, status: 'enabled' };
      webhooks.push(webhook);
      const secret = `whsec_${randomBytes(32).toString('base64')}`;
      return { status: 201, body: { object: 'webhook', id: webhook.id, signing_secret: secret } };
    }),
    // Pages of two, so that a client that reads only the first is found out.
    on(/^GET \/webhooks$/, ({ query }) => page(webhooks, new URLSearchParams([...query, ['limit', '2']].toReversed()))),
    on(/^DELETE \/webhooks\/[^/]+$/, ({ id }) =>
      removed(webhooks, 'id', id) ? ok({ object: 'webhook', id, deleted: true }) : notFound('Webhook'),
    ),
    on(/^POST \/emails$/, ({ body, key }) => {
      const content = JSON.stringify(body);
      const earlier = emails.find((email) => email.key !== '' && email.key === key);
      if (earlier !== undefined)
        return earlier.content === content
          ? ok({ id: earlier.id })
          : refused(409, 'invalid_idempotent_request', 'The payload differs.');
      const from = String(body['from']);
      const of = /@([^\s>]+)>?$/.exec(from)?.[1];
      if (!domains.some(({ name, status }) => name === of && status === 'verified'))
        return refused(403, 'validation_error', `The ${of} domain is not verified.`);
      const to = String((body['to'] as string[])[0]);
      const email = { id: randomUUID(), to, from, key, content, lastEvent: 'queued' };
      emails.push(email);
      return ok({ id: email.id });
    }),
    on(/^GET \/emails\/[^/]+$/, ({ id }) => {
      const email = emails.find((one) => one.id === id);
      if (email === undefined) return notFound('Email');
      const { to, from } = email;
      return ok({ object: 'email', id, to: [to], from, subject: 's', last_event: rules.lastEvent(to) });
    }),
  ];

  const server = await serveFake(rules, (request, { url, headers, content }) => {
    if (headers.authorization !== `Bearer ${FAKE_KEY}`)
      return refused(401, 'restricted_api_key', 'This API key is restricted to only send emails.');
    const route = routes.find((one) => one.request.test(request));
    const id = decodeURIComponent(url.pathname.split('/')[2] ?? '');
    const key = String(headers['idempotency-key'] ?? '');
    return route?.handle({ id, body: readBody(content), query: url.searchParams, key }) ?? notFound('Path');
  });
  return { ...server, rules, domains, keys, emails, webhooks };
}

export type FakeResend = Awaited<ReturnType<typeof startFakeResend>>;

/** RSA of 1,024 bits, as Resend's. */
const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 1_024 });
const DKIM_KEY = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');

interface FakeRecord {
  readonly record: string;
  readonly name: string;
  readonly type: 'MX' | 'TXT';
  readonly value: string;
  readonly priority?: number;
}

/** Names are relative to the registrable domain, which in these tests has two labels. */
export function recordsOf(name: string): FakeRecord[] {
  const prefix = name.split('.').slice(0, -2).join('.');
  const at = (label: string): string => (prefix === '' ? label : `${label}.${prefix}`);
  const common = { ttl: 'Auto', status: 'not_started' };
  return [
    {
      ...{ record: 'SPF', name: at('send'), type: 'MX', priority: 10, ...common },
      value: 'feedback-smtp.us-east-1.amazonses.com',
    },
    { record: 'SPF', name: at('send'), type: 'TXT', ...common, value: '"v=spf1 include:amazonses.com ~all"' },
    { record: 'DKIM', name: at('resend._domainkey'), type: 'TXT', ...common, value: `p=${DKIM_KEY}` },
  ];
}

const refused = (statusCode: number, name: string, message: string): Reply => ({
  status: statusCode,
  body: { statusCode, name, message },
});
const notFound = (what: string): Reply => refused(404, 'not_found', `${what} not found`);
