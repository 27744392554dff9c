// A provider that is the specification and nothing else: seven endpoints, and what the specification does not show varied at random.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { serveOnLoopback } from '../../src/dev/serve-on-loopback.ts';
import type { Chances } from './seeded-chances.ts';

/** What one tenant's provider does where the specification says nothing. */
const openChoices = {
  envelope: ['none', 'data', 'result', 'name', 'nameInData'],
  spelling: ['snake_case', 'camelCase'],
  ids: ['text', 'numbers'],
  created: [200, 201, 202],
  key: ['id and token', 'token', 'key as text', 'apiKey'],
  keepsIdempotencyKeys: [true, false],
  webhook: [
    'without secret',
    'without id',
    'no content',
    'signed',
    'refused',
    'down',
    'html 404',
    'json 405',
    'silent 501',
  ],
  deletes: ['html 404', 'json 404', 'empty 404', '405', '501', '204', 'object'],
  verify: ['html 404', 'json 404', '405', '500', '403'],
  records: ['list', 'dns_records', 'by purpose', 'in the domain'],
  recordNames: ['absolute', 'with dot', 'relative'],
  recordFields: ['type name value', 'recordType hostname content', 'type host data'],
  recordsAfterVerification: [true, false],
  answersName: [true, false],
  statusOfCreated: [true, false],
  notVerified: ['pending', 'not_verified', 'verifying'],
  refusesSenderOnce: [true, false],
  error: ['code', 'error.code', 'error', 'errors', 'name', 'message', 'none', 'html'],
  outcome: ['delivered', 'bounced', 'bounced without reason', 'bounced with text'],
  end: ['itself', 'cancelled'],
} as const;

/** What it adds to, or does instead of, the answer that its choices make. Undefined: it has answered, or never will. */
export type Behaviour = (call: string, answer: WireAnswer, exchange: Exchange) => WireAnswer | undefined;

export interface WireAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

export type OpenChoices = { readonly [Name in keyof typeof openChoices]: (typeof openChoices)[Name][number] };

/** The first choice of each: close to the reading of the specification that this repository's own service has. */
export const usualChoices = Object.fromEntries(
  Object.entries(openChoices).map(([name, [first]]) => [name, first]),
) as OpenChoices;

/** One of each. */
export function chosen(chances: Chances): OpenChoices {
  const entries = Object.entries(openChoices).map(([name, values]: [string, readonly unknown[]]) => [
    name,
    chances.pick(values),
  ]);
  return Object.fromEntries(entries) as OpenChoices;
}

interface Tenant {
  readonly choices: OpenChoices;
  readonly behaviour: Behaviour;
  readonly answers: Map<string, unknown>;
  readonly emails: Map<string, string>;
  webhooks: number;
  webhookDeletions: number;
  created: number;
  gets: number;
  senderRefusals: number;
  domain: string;
}

export interface SevenEndpoints {
  readonly baseUrl: string;
  readonly add: (tenantId: string, choices: OpenChoices, behaviour?: Behaviour) => void;
  readonly of: (tenantId: string) => Tenant;
  readonly close: () => Promise<void>;
}

/** As many looks until the domain is verified. */
const VERIFIED_AFTER = 3;

export async function startSevenEndpoints(): Promise<SevenEndpoints> {
  const tenants = new Map<string, Tenant>();
  const of = (tenantId: string): Tenant => {
    const tenant = tenants.get(tenantId);
    if (tenant === undefined) throw new Error(`no tenant ${tenantId}`);
    return tenant;
  };
  const { url: baseUrl, stop: close } = await serveOnLoopback((request, response) => {
    void text(request).then((sent) => {
      const body = (sent === '' ? {} : JSON.parse(sent)) as Record<string, string>;
      const token = /^Bearer token-of-(.+)$/.exec(request.headers.authorization ?? '')?.[1];
      // A deletion of a key names no account: the tenants come one after the other.
      const tenantId = token ?? body['account'] ?? [...tenants.keys()].at(-1) ?? '';
      answer(of(tenantId), tenantId, { request, response, body });
    });
  });
  return {
    baseUrl,
    add: (tenantId, choices, behaviour = (_call, usual) => usual) =>
      tenants.set(tenantId, {
        choices,
        behaviour,
        answers: new Map(),
        emails: new Map(),
        ...{ webhooks: 0, webhookDeletions: 0, created: 0, gets: 0, senderRefusals: 0, domain: '' },
      }),
    of,
    close,
  };
}

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: Record<string, string>;
}

function answer(tenant: Tenant, tenantId: string, exchange: Exchange): void {
  const { request, response } = exchange;
  const call = `${request.method ?? ''} ${(request.url ?? '').split('?', 1)[0] ?? ''}`;
  const { status, content } = usualAnswer(tenant, tenantId, call, exchange);
  const isPage = typeof content === 'string';
  const usual = {
    status,
    headers: { 'content-type': isPage ? 'text/html' : 'application/json' },
    body: isPage ? content : content === undefined ? '' : JSON.stringify(content),
  };
  const shown = tenant.behaviour(call, usual, exchange);
  if (shown !== undefined) response.writeHead(shown.status, shown.headers).end(shown.body);
}

/** A text is a page. */
interface Content {
  readonly status: number;
  readonly content?: unknown;
}

function usualAnswer(tenant: Tenant, tenantId: string, call: string, { request, body }: Exchange): Content {
  const { choices } = tenant;
  const key = String(request.headers['idempotency-key']);
  const kind = /^\w+ \/(?:api-)?(\w+?)s(?:\/|$)/.exec(call)?.[1] ?? '';
  const create = (make: () => Record<string, unknown>): Content => {
    const isKept = choices.keepsIdempotencyKeys || kind === 'email';
    const content = (isKept ? tenant.answers.get(key) : undefined) ?? enveloped(tenant, kind, make());
    tenant.answers.set(key, content);
    return { status: choices.created, content };
  };
  const id = (): string | number => (choices.ids === 'numbers' ? ++tenant.created : `${kind}/${++tenant.created}`);

  if (call === 'POST /api-keys') return create(() => keyOf(choices, id(), `token-of-${tenantId}`));
  if (call === 'POST /webhooks') return createWebhook(tenant, create, id);
  if (call === 'POST /domains') {
    tenant.domain = body['name'] ?? '';
    return create(() => domainOf(tenant, id(), choices.statusOfCreated));
  }
  if (call.endsWith('/verify')) return missing(choices.verify);
  if (call.startsWith('GET /domains/')) {
    tenant.gets += 1;
    return { status: 200, content: enveloped(tenant, 'domain', domainOf(tenant, idIn(call), true)) };
  }
  if (call === 'POST /senders') {
    if (choices.refusesSenderOnce && tenant.senderRefusals++ === 0)
      return { status: 422, content: errorOf(choices.error) };
    return create(() => ({ id: id() }));
  }
  if (call === 'POST /emails') {
    tenant.emails.set(key, body['recipient'] ?? '');
    return create(() => ({ id: id(), status: 'queued' }));
  }
  if (call.startsWith('GET /emails/'))
    return { status: 200, content: enveloped(tenant, 'email', emailOf(choices, idIn(call))) };
  if (request.method === 'DELETE') {
    if (kind === 'webhook') tenant.webhookDeletions += 1;
    if (choices.deletes === '204') return { status: 204 };
    if (choices.deletes === 'object') return { status: 200, content: { id: idIn(call), deleted: true } };
    return missing(choices.deletes);
  }
  return { status: 404 };
}

const idIn = (call: string): string => decodeURIComponent(call.split('/')[2] ?? '');

function missing(how: string): Content {
  const status = Number(/\d+/.exec(how)?.[0]);
  if (how.startsWith('html')) return { status, content: '<html><h1>Not Found</h1></html>' };
  return how.startsWith('json') ? { status, content: { message: 'Cannot find this route' } } : { status };
}

function createWebhook(
  tenant: Tenant,
  create: (make: () => Record<string, unknown>) => Content,
  id: () => unknown,
): Content {
  const { webhook } = tenant.choices;
  if (webhook === 'refused') return { status: 422, content: { code: 'validation_failed' } };
  if (webhook === 'down') return { status: 500, content: { message: 'internal' } };
  if (/\d/.test(webhook)) return missing(webhook);
  if (webhook === 'no content') {
    tenant.webhooks += 1;
    return { status: 204 };
  }
  return create(() => {
    tenant.webhooks += 1;
    return {
      ...(webhook !== 'without id' && { id: id() }),
      event: 'email.delivered',
      ...(webhook === 'signed' && { signing_secret: `whsec_${Buffer.alloc(24, 7).toString('base64')}` }),
    };
  });
}

function keyOf({ key }: OpenChoices, id: unknown, token: string): Record<string, unknown> {
  if (key === 'token') return { token };
  if (key === 'key as text') return { key: token };
  return key === 'apiKey' ? { id, api_key: token } : { id, token };
}

function domainOf(tenant: Tenant, id: unknown, showsStatus: boolean): Record<string, unknown> {
  const { choices, domain } = tenant;
  const isVerified = tenant.gets >= VERIFIED_AFTER;
  return {
    id,
    ...(choices.answersName && { name: domain }),
    ...(showsStatus && { status: isVerified ? 'verified' : choices.notVerified }),
    ...(isVerified && !choices.recordsAfterVerification ? {} : recordsOf(choices, domain)),
  };
}

function recordsOf(choices: OpenChoices, domain: string): Record<string, unknown> {
  const record = (name: string, value: string): Record<string, string> => {
    const shown = { absolute: `${name}.${domain}`, 'with dot': `${name}.${domain}.`, relative: name }[
      choices.recordNames
    ];
    const [typeName = '', nameName = '', valueName = ''] = choices.recordFields.split(' ');
    return { [typeName]: 'TXT', [nameName]: shown, [valueName]: value };
  };
  const dkim = record('k1._domainkey', 'v=DKIM1; k=rsa; p=MIIB');
  const spf = record('bounce', 'v=spf1 include:provider.test -all');
  if (choices.records === 'list') return { records: [spf, dkim] };
  if (choices.records === 'dns_records') return { dns_records: [spf, dkim] };
  return choices.records === 'by purpose' ? { records: { spf, dkim: [dkim] } } : { spf, dkim };
}

function emailOf({ outcome }: OpenChoices, id: string): Record<string, unknown> {
  if (outcome === 'delivered') return { id, status: 'delivered' };
  const bounce = {
    bounced: { bounce: { reason: 'no such user' } },
    'bounced without reason': {},
    'bounced with text': { bounce_reason: 'no such user' },
  }[outcome];
  return { id, status: 'bounced', ...bounce };
}

function errorOf(shape: OpenChoices['error']): unknown {
  const code = 'domain_not_verified';
  return {
    code: { code },
    'error.code': { error: { code, message: 'Not verified' } },
    error: { error: code },
    errors: { errors: [{ code }] },
    name: { statusCode: 422, name: code },
    message: { message: 'The domain is not verified' },
    none: undefined,
    html: '<html>422</html>',
  }[shape];
}

/** A numeric id stays a number in the answer to a GET. */
function enveloped({ choices }: Tenant, kind: string, fields: Record<string, unknown>): unknown {
  const id = choices.ids === 'numbers' && typeof fields['id'] === 'string' ? Number(fields['id']) : fields['id'];
  const content = spelled({ ...fields, ...(id !== undefined && { id }) }, choices.spelling);
  switch (choices.envelope) {
    case 'none':
      return content;
    case 'data':
    case 'result':
      return { [choices.envelope]: content, ok: true };
    case 'name':
      return { [kind]: content };
    case 'nameInData':
      return { data: { [kind]: content }, requestId: 'req_1' };
  }
}

function spelled(value: unknown, spelling: OpenChoices['spelling']): unknown {
  if (spelling === 'snake_case' || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => spelled(item, spelling));
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      spelled(field, spelling),
    ]),
  );
}
