// A Postmark with state, as its documents and its SDK describe it; sdk-judge.test.ts holds its answers against the SDK.
import { randomUUID } from 'node:crypto';
import {
  bounceIdOf,
  eventOf,
  type FakeDomain,
  type FakeEmail,
  type FakeServer,
  NOW,
  shownBounce,
  shownDomain,
  shownEmail,
  shownServer,
  shownWebhook,
  summaryOf,
} from './postmark-shapes.ts';
import {
  type Body,
  type FaultRules,
  noFaults,
  ok,
  readBody,
  removed,
  type Reply,
  type Route,
  serveFake,
} from './serve-fake.ts';

interface FakeWebhook {
  readonly id: number;
  readonly server: number;
  readonly url: string;
  readonly secret: string;
  readonly content: Body;
}
export const FAKE_ACCOUNT_TOKEN = '0f2c6b7e-1111-4222-8333-444455556666';
/** Settings of an account whose requests need not wait. */
export const FAST_POSTMARK = { accountToken: FAKE_ACCOUNT_TOKEN, requestsPerSecond: 1_000 };

interface At {
  readonly id: string;
  readonly body: Body;
  readonly query: URLSearchParams;
  /** The ID of the server whose token the request has. */
  readonly server: number;
}
type TokenRoute = Route<At> & { readonly needs: 'account' | 'server' };

const ofAccount = (request: RegExp, handle: TokenRoute['handle']): TokenRoute => ({
  ...{ needs: 'account', request, handle },
});
const ofServer = (request: RegExp, handle: TokenRoute['handle']): TokenRoute => ({
  ...{ needs: 'server', request, handle },
});

/** What a test changes. */
export interface PostmarkRules extends FaultRules {
  /** Whether a check of the DNS finds the records. */
  isPublished: (domain: string) => boolean;
  /** The outcome of an email: `Delivered`, `Transient`, or a type of bounce; undefined: none yet. */
  ending: (recipient: string) => string | undefined;
  /** Whether an address is suppressed when the email is posted. */
  isSuppressed: (recipient: string) => boolean;
  /** Whether the support has granted the deletion of servers by API. */
  deletesServers: boolean;
  /** Whether the search shows an accepted email. */
  isListed: (recipient: string) => boolean;
}

export async function startFakePostmark(overrides: Partial<PostmarkRules> = {}) {
  const rules: PostmarkRules = {
    ...noFaults,
    isPublished: () => true,
    ending: () => 'Delivered',
    isSuppressed: () => false,
    deletesServers: true,
    isListed: () => true,
    ...overrides,
  };
  const servers: FakeServer[] = [];
  const domains: FakeDomain[] = [];
  const webhooks: FakeWebhook[] = [];
  const emails: FakeEmail[] = [];
  let lastId = 1_000;

  const domainOf = (id: string): FakeDomain | undefined => domains.find((domain) => String(domain.id) === id);
  const emailOf = ({ id, server }: At): FakeEmail | undefined =>
    emails.find((email) => email.id === id && email.server === server);

  const routes: readonly TokenRoute[] = [
    ofAccount(/^POST \/servers$/, ({ body }) => {
      const name = String(body['Name']);
      if (servers.some((server) => server.name === name)) return refused(603, 'This server name already exists.');
      const server = { id: ++lastId, name, token: randomUUID() };
      servers.push(server);
      return ok(shownServer(server));
    }),
    ofAccount(/^GET \/servers$/, ({ query }) => {
      const found = servers.filter(({ name }) => name.includes(query.get('name') ?? ''));
      return ok({ TotalCount: found.length, Servers: pageOf(found, query).map(shownServer) });
    }),
    ofAccount(/^DELETE \/servers\/\d+$/, ({ id }) => {
      if (!rules.deletesServers) return refused(604, "You don't have delete access.");
      return removed(servers, 'id', id)
        ? ok({ ErrorCode: 0, Message: 'Server removed.' })
        : refused(601, 'No such server.');
    }),
    ofAccount(/^POST \/domains\/?$/, ({ body }) => {
      const name = String(body['Name']);
      if (name === 'gmail.com') return refused(503, 'You cannot use a public domain.');
      if (domains.some((domain) => domain.name === name)) return refused(504, 'This domain already exists.');
      const state = { isSigned: false, isReturnPathVerified: false };
      const domain = { id: ++lastId, name, returnPath: textOf(body['ReturnPathDomain']), ...state };
      domains.push(domain);
      return ok(shownDomain(domain));
    }),
    ofAccount(/^GET \/domains$/, ({ query }) =>
      ok({
        TotalCount: domains.length,
        Domains: pageOf(domains, query).map((domain) => summaryOf(domain)),
      }),
    ),
    ofAccount(/^GET \/domains\/\d+$/, ({ id }) => {
      const domain = domainOf(id);
      return domain === undefined ? refused(510, 'This domain was not found.') : ok(shownDomain(domain));
    }),
    ofAccount(/^PUT \/domains\/\d+\/verify(DKIM|ReturnPath)$/i, ({ id, query }) => {
      const domain = domainOf(id);
      if (domain === undefined) return refused(510, 'This domain was not found.');
      const isSeen = rules.isPublished(domain.name);
      // A signature that was verified stays so after its record is gone.
      if (query.get('verified') === 'dkim') domain.isSigned ||= isSeen;
      else domain.isReturnPathVerified = isSeen;
      return ok(shownDomain(domain));
    }),
    ofAccount(/^DELETE \/domains\/\d+$/, ({ id }) =>
      removed(domains, 'id', id)
        ? ok({ ErrorCode: 0, Message: 'Domain removed.' })
        : refused(510, 'This domain was not found.'),
    ),
    ofServer(/^GET \/server$/, ({ server }) => {
      const own = servers.find(({ id }) => id === server);
      return own === undefined ? unauthorized : ok(shownServer(own));
    }),
    ofServer(/^POST \/webhooks$/, ({ body, server }) => {
      const [header] = (body['HttpHeaders'] as Body[] | undefined) ?? [];
      const webhook = { id: ++lastId, server, url: String(body['Url']), content: body };
      webhooks.push({ ...webhook, secret: String(header?.['Value']) });
      return ok({ ID: webhook.id, ...shownWebhook(body) });
    }),
    ofServer(/^GET \/webhooks$/, ({ server }) =>
      ok({
        Webhooks: webhooks
          .filter((webhook) => webhook.server === server)
          .map(({ id, content }) => ({ ID: id, ...shownWebhook(content) })),
      }),
    ),
    ofServer(/^DELETE \/webhooks\/\d+$/, ({ id }) =>
      removed(webhooks, 'id', id)
        ? ok({ ErrorCode: 0, Message: 'Webhook removed.' })
        : { status: 404, body: NOT_FOUND },
    ),
    ofServer(/^POST \/email$/, ({ body, server }) => {
      const [to, from] = [String(body['To']), String(body['From'])];
      const of = /@([^\s>]+)>?$/.exec(from)?.[1];
      if (!domains.some(({ name, isSigned }) => name === of && isSigned))
        return refused(400, `The From address ${from} is not a Sender Signature on your account.`);
      if (rules.isSuppressed(to))
        return refused(406, `You tried to send to recipients that have been marked as inactive: ${to}.`);
      const email = { id: randomUUID(), server, to, from, content: body };
      emails.push(email);
      return ok({ To: to, SubmittedAt: NOW, MessageID: email.id, ErrorCode: 0, Message: 'OK' });
    }),
    ofServer(/^GET \/messages\/outbound$/, ({ query, server }) => {
      const wanted = [...query].filter(([name]) => name.startsWith('metadata_'));
      const found = emails.filter(({ server: of, to, content }) => {
        const metadata = (content['Metadata'] ?? {}) as Body;
        const fits = wanted.every(([name, value]) => metadata[name.slice('metadata_'.length)] === value);
        return of === server && fits && rules.isListed(to);
      });
      return ok({ TotalCount: found.length, Messages: pageOf(found, query).map(shownEmail) });
    }),
    ofServer(/^GET \/messages\/outbound\/[^/]+\/details$/, (at) => {
      const email = emailOf(at);
      if (email === undefined) return refused(701, 'This message was not found.');
      const ending = rules.ending(email.to);
      const events = ending === undefined ? [] : [eventOf(email, ending)];
      return ok({ ...shownEmail(email), TextBody: email.content['TextBody'], Body: '', MessageEvents: events });
    }),
    ofServer(/^GET \/bounces\/\d+$/, (at) => {
      const email = emails.find(({ id, server }) => server === at.server && String(bounceIdOf(id)) === at.id);
      if (email === undefined) return { status: 404, body: NOT_FOUND };
      return ok(shownBounce(email, rules.ending(email.to) ?? ''));
    }),
  ];

  const fake = await serveFake(rules, (request, { url, headers, content }) => {
    const token = headers['x-postmark-server-token'];
    const server = servers.find((one) => one.token === token)?.id;
    const isAccount = headers['x-postmark-account-token'] === FAKE_ACCOUNT_TOKEN;
    const route = routes.find((one) => one.request.test(request));
    if (route === undefined) return { status: 404, body: NOT_FOUND };
    if (route.needs === 'account' ? !isAccount : server === undefined) return unauthorized;
    const id = decodeURIComponent(
      /\/messages\/outbound\/([^/]+)/.exec(url.pathname)?.[1] ?? url.pathname.split('/')[2] ?? '',
    );
    const query = new URLSearchParams(url.searchParams);
    if (/verifyDKIM$/i.test(url.pathname)) query.set('verified', 'dkim');
    return route.handle({ id, body: readBody(content), query, server: server ?? 0 });
  });
  return {
    ...fake,
    ...{ rules, servers, domains, webhooks, emails },
    /** As a domain has it whose records were found. */
    addVerified: (name: string): FakeDomain => {
      const verified = { isSigned: true, isReturnPathVerified: true };
      const domain = { id: ++lastId, name, returnPath: `pm-bounces.${name}`, ...verified };
      domains.push(domain);
      return domain;
    },
  };
}

export type FakePostmark = Awaited<ReturnType<typeof startFakePostmark>>;

const NOT_FOUND = { ErrorCode: 404, Message: 'Not found.' };
const unauthorized: Reply = {
  status: 401,
  body: { ErrorCode: 10, Message: 'No Account or Server API tokens were supplied.' },
};

function pageOf<Item>(items: readonly Item[], query: URLSearchParams): Item[] {
  const offset = Number(query.get('offset') ?? 0);
  return items.slice(offset, offset + Math.min(Number(query.get('count') ?? 100), 500));
}

const refused = (ErrorCode: number, Message: string): Reply => ({ status: 422, body: { ErrorCode, Message } });

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
