import type { EmailOutcome } from '../../src/activities/onboarding/send-first-email.ts';
import type { DomainCheck } from '../../src/lib/dns/domain-check.ts';
import type { ExpectedRecord } from '../../src/lib/dns/expected-record.ts';
import type {
  AccountProvider,
  EmailProvider,
  ProviderDomain,
  ProviderEmail,
  ProviderRecord,
} from '../../src/email-provider/email-provider.ts';
import { errorAnswer } from '../../src/email-provider/adapters/sendoff/error-answer.ts';
import { type ProviderError, ProviderUnreachable } from '../../src/email-provider/provider-error.ts';

export type Call = keyof AccountProvider | 'createApiKey' | 'revokeApiKey';

const requestLines: Readonly<Record<Call, string>> = {
  createApiKey: 'POST /api-keys',
  revokeApiKey: 'DELETE /api-keys/key_1',
  createWebhook: 'POST /webhooks',
  deleteWebhook: 'DELETE /webhooks/whk_2',
  createDomain: 'POST /domains',
  getDomain: 'GET /domains/dom_3',
  requestVerification: 'POST /domains/dom_3/verify',
  deleteDomain: 'DELETE /domains/dom_3',
  createSender: 'POST /senders',
  renameSender: 'PATCH /senders/{id}',
  deleteSender: 'DELETE /senders/snd_4',
  sendEmail: 'POST /emails',
  getEmail: 'GET /emails/eml_5',
};

/** What the HTTP client throws when this call gets this answer. */
export const answeredWith = (call: Call, answer: Parameters<typeof errorAnswer>[1]): ProviderError =>
  errorAnswer(requestLines[call], answer);

/** The same for every call. */
export const answering =
  (answer: Parameters<typeof errorAnswer>[1]) =>
  (call: Call): ProviderError =>
    answeredWith(call, answer);

/** POST /senders or POST /emails for a domain that is not verified. */
export const notVerified = answering({ httpStatus: 422, code: 'domain_not_verified' });

/** What the HTTP client throws when this call gets none. */
export const noAnswer = (call: Call, reason = 'ECONNREFUSED'): ProviderUnreachable =>
  new ProviderUnreachable(requestLines[call], reason);

/** A `before` or `after` that makes a call fail, the first times or always. */
export function failing(failed: Call, fault: (call: Call) => Error, times = Infinity): (call: Call) => void {
  let left = times;
  return (call) => {
    if (call === failed && left-- > 0) throw fault(call);
  };
}

/** Of an outage of hours: a day is a hundred attempts, and without the Retry-After 1,440. */
export const downForHours = (call: Call): ProviderError =>
  answeredWith(call, { httpStatus: 503, retryAfterMs: 15 * 60_000 });

const EVERY_SCOPE: readonly string[] = ['send', 'read', 'manage'];

type DnsAnswers = 'published' | 'missing' | 'inconclusive';

/** Of an email whose recipient the receiver rejects. */
export const bounce = {
  category: 'recipient',
  permanentFor: 'address' as const,
  reason: 'The address does not exist',
  smtpCode: 550,
  enhancedCode: '5.1.1',
  diagnostic: '550 5.1.1 no such user',
  remoteMta: 'mx.inbox.test',
};

/** How the provider of a test behaves; everything goes well by default. */
export interface Script {
  /** Whether GET /domains says verified. */
  verified: (tenantId: string) => boolean | Promise<boolean>;
  /** When the provider says that it last checked the domain; undefined if it says nothing. */
  checkedAt: () => string | undefined;
  /** What GET /domains says about the record. */
  record: (domain: string) => Partial<ProviderRecord>;
  /** What the DNS looks like: everything published, nothing, or a name server that does not answer. */
  dns: (domain: string) => DnsAnswers | Promise<DnsAnswers>;
  /** Checks real zones instead. */
  checkRecords?: (domain: string, expected: readonly ExpectedRecord[]) => Promise<DomainCheck>;
  outcome: (recipient: string) => EmailOutcome | 'queued';
  /** Whether keys have scopes; without, each can do everything. */
  knowsScopes: () => boolean;
  /** Called before each call has its effect; throws to make it fail without one. */
  before: (call: Call, tenantId: string) => void | Promise<void>;
  /** Called when a call has had its effect; throws to lose the answer. */
  after: (call: Call, tenantId: string) => void | Promise<void>;
}

/**
 * The port of the email provider, in memory: idempotent by key, each tenant's key good until it is revoked, with a
 * ledger of every call and every secret.
 */
export function scriptedProvider(overrides: Partial<Script> = {}) {
  const script: Script = {
    verified: () => true,
    checkedAt: () => undefined,
    record: () => ({}),
    dns: () => 'missing',
    outcome: () => ({ status: 'delivered', deliveredAt: '2026-01-02T03:04:05Z' }),
    knowsScopes: () => false,
    before: () => undefined,
    after: () => undefined,
    ...overrides,
  };
  const calls: { call: Call; tenantId: string }[] = [];
  const secrets: string[] = [];
  const answers = new Map<string, { answer: unknown; fingerprint: string }>();
  /** What exists: ids of keys, webhooks, domains, senders. */
  const existing = new Set<string>();
  const owners = new Map<string, string>();
  const keys = new Map<string, { id: string; tenantId: string; scopes: readonly string[] }>();
  const domains = new Map<string, { id: string; name: string }>();
  const senders = new Map<string, { id: string; fromAddress: string; name: string | undefined }>();
  const emails: { id: string; recipient: string }[] = [];
  let made = 0;

  const newId = (prefix: string, tenantId: string): string => {
    const id = `${prefix}_${++made}`;
    existing.add(id);
    owners.set(id, tenantId);
    return id;
  };

  /** One call: seen, perhaps refused, answered by its Idempotency-Key or carried out, and perhaps its answer lost. */
  async function answer<T>(
    call: Call,
    tenantId: string,
    { idempotencyKey, body }: { idempotencyKey?: string; body?: object },
    carryOut: () => T,
  ): Promise<T> {
    calls.push({ call, tenantId });
    await script.before(call, tenantId);
    const answered = idempotencyKey === undefined ? carryOut() : onceByKey(call, carryOut, idempotencyKey, body);
    await script.after(call, tenantId);
    return answered;
  }

  function onceByKey<T>(call: Call, carryOut: () => T, idempotencyKey: string, body: object = {}): T {
    const fingerprint = JSON.stringify(body);
    const first = answers.get(idempotencyKey);
    if (first !== undefined && first.fingerprint !== fingerprint) {
      const existingId = (first.answer as { id: string }).id;
      throw answeredWith(call, { httpStatus: 422, code: 'idempotency_key_reused', existingId });
    }
    const answered = first?.answer ?? carryOut();
    answers.set(idempotencyKey, { answer: answered, fingerprint });
    return answered as T;
  }

  const refuseExisting = (call: Call, known: { id: string } | undefined): void => {
    if (known === undefined || !existing.has(known.id)) return;
    throw answeredWith(call, { httpStatus: 409, code: 'already_exists', existingId: known.id });
  };
  const remove = (call: Call, tenantId: string, id: string): Promise<void> =>
    answer(call, tenantId, {}, () => {
      if (!existing.delete(id)) throw answeredWith(call, { httpStatus: 404, code: 'not_found' });
    });
  const domainOf = async (tenantId: string, id: string): Promise<ProviderDomain> => {
    const { name } = domains.get(id) ?? { name: 'unknown' };
    const lastCheckedAt = script.checkedAt();
    return {
      id,
      ...(lastCheckedAt !== undefined && { lastCheckedAt }),
      name,
      status: (await script.verified(tenantId)) ? 'verified' : 'pending',
      records: [
        {
          purpose: 'dkim',
          type: 'TXT',
          name: `k1._domainkey.${name}`,
          host: 'k1._domainkey',
          // Another domain object has another key, so that a test sees whether the tenant's records stay valid.
          value: `v=DKIM1; k=rsa; p=${id}`,
          required: true,
          status: 'missing',
          findings: [],
          ...script.record(name),
        },
      ],
    };
  };

  const accountOf = (tenantId: string): AccountProvider => ({
    createWebhook: (_request, { idempotencyKey }) =>
      answer('createWebhook', tenantId, { idempotencyKey }, () => {
        const signingSecret = `whsec_${Buffer.from(`signing secret ${secrets.length}`).toString('base64')}`;
        secrets.push(signingSecret);
        return { id: newId('whk', tenantId), signingSecret };
      }),
    deleteWebhook: (id) => remove('deleteWebhook', tenantId, id),
    async createDomain({ name }, { idempotencyKey }) {
      const { id } = await answer('createDomain', tenantId, { idempotencyKey }, () => {
        refuseExisting(
          'createDomain',
          [...domains.values()].find((domain) => domain.name === name && existing.has(domain.id)),
        );
        const domain = { id: newId('dom', tenantId), name };
        domains.set(domain.id, domain);
        return domain;
      });
      return domainOf(tenantId, id);
    },
    async getDomain(id) {
      await answer('getDomain', tenantId, {}, () => undefined);
      return domainOf(tenantId, id);
    },
    requestVerification: () => answer('requestVerification', tenantId, {}, () => undefined),
    deleteDomain: (id) => remove('deleteDomain', tenantId, id),
    createSender: ({ fromAddress, name }, { idempotencyKey }) =>
      answer('createSender', tenantId, { idempotencyKey, body: { fromAddress, name } }, () => {
        refuseExisting(
          'createSender',
          [...senders.values()].find((sender) => sender.fromAddress === fromAddress && existing.has(sender.id)),
        );
        const sender = { id: newId('snd', tenantId), fromAddress, name };
        senders.set(sender.id, sender);
        return sender;
      }),
    renameSender: () => Promise.reject(new Error('not in the specification')),
    deleteSender: (id) => remove('deleteSender', tenantId, id),
    sendEmail: (request, { idempotencyKey }) =>
      answer('sendEmail', tenantId, { idempotencyKey, body: request }, () => {
        const email = { id: `eml_${++made}`, recipient: request.recipient };
        emails.push(email);
        return emailOf(email.id, 'queued');
      }),
    async getEmail(id) {
      await answer('getEmail', tenantId, {}, () => undefined);
      const recipient = emails.find((email) => email.id === id)?.recipient ?? 'unknown';
      return emailOf(id, script.outcome(recipient));
    },
  });

  const provider: EmailProvider = {
    createApiKey: ({ account: tenantId, scopes = EVERY_SCOPE }, { idempotencyKey }) =>
      answer('createApiKey', tenantId, { idempotencyKey }, () => {
        const token = `so_live_secret${secrets.length}`;
        secrets.push(token);
        const id = newId('key', tenantId);
        keys.set(token, { id, tenantId, scopes });
        return { id, token, ...(script.knowsScopes() && { scopes }) };
      }),
    revokeApiKey: (id) => remove('revokeApiKey', owners.get(id) ?? 'unknown', id),
    withKey(token) {
      const key = keys.get(token);
      if (key === undefined || !existing.has(key.id)) {
        throw errorAnswer('GET /domains', { httpStatus: 401, code: 'invalid_api_key' });
      }
      const account = accountOf(key.tenantId);
      if (key.scopes.includes('manage')) return account;
      const refuse = async (): Promise<never> => {
        throw errorAnswer('GET /domains', { httpStatus: 403, code: 'insufficient_scope' });
      };
      const managed = Object.keys(account).filter((call) => call !== 'sendEmail' && call !== 'getEmail');
      return { ...account, ...Object.fromEntries(managed.map((call) => [call, refuse])) };
    },
  };

  const checkRecords = async (domain: string, expected: readonly ExpectedRecord[]): Promise<DomainCheck> => {
    if (script.checkRecords !== undefined) return script.checkRecords(domain, expected);
    const dns = await script.dns(domain);
    const status = { published: 'found', missing: 'missing', inconclusive: 'inconclusive' } as const;
    return {
      domain,
      zone: domain,
      verified: dns === 'published',
      conclusive: dns !== 'inconclusive',
      records: expected.map(({ purpose, type, name, value }) => ({
        purpose,
        type,
        name,
        host: name.replace(`.${domain}`, ''),
        zone: domain,
        nameServers: [{ name: `ns1.${domain}`, answered: true }],
        status: status[dns],
        found: [],
        findings:
          dns === 'missing'
            ? [
                {
                  ...{ code: 'not_published', severity: 'error', name, expected: value, found: [] },
                  fix: `Publish ${value} at ${name}.`,
                },
              ]
            : [],
      })),
    };
  };

  return {
    ...{ provider, checkRecords, script, secrets, emails, existing, senders, calls },
    count: (call: Call, tenantId?: string): number =>
      calls.filter((made) => made.call === call && (tenantId ?? made.tenantId) === made.tenantId).length,
    /** The ids of everything a tenant was ever given, whether it still exists or not. */
    createdFor: (tenantId: string): string[] => [...owners].flatMap(([id, owner]) => (owner === tenantId ? [id] : [])),
    /** The ids of what a tenant has at the provider. */
    existingOf: (tenantId: string): string[] => [...existing].filter((id) => owners.get(id) === tenantId),
  };
}

function emailOf(id: string, outcome: EmailOutcome | 'queued'): ProviderEmail {
  const queued = { id, status: 'queued', deliveredAt: null, bounce: null, lastAttempt: null };
  return outcome === 'queued' || outcome.status === 'gone' ? queued : { ...queued, ...outcome };
}

export type ScriptedProvider = ReturnType<typeof scriptedProvider>;

/** A secret store in memory. */
export function memorySecretStore() {
  const values = new Map<string, string>();
  return {
    values,
    put: async (ref: string, value: string): Promise<void> => {
      values.set(ref, value);
    },
    get: async (ref: string): Promise<string | undefined> => values.get(ref),
    delete: async (ref: string): Promise<void> => {
      values.delete(ref);
    },
    deleteIf: async (ref: string, matches: (value: string) => boolean): Promise<void> => {
      const value = values.get(ref);
      if (value !== undefined && matches(value)) values.delete(ref);
    },
  };
}
