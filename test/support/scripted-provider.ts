import type { EmailOutcome } from '../../src/activities/first-email.ts';
import type { DomainLook } from '../../src/dns/domain-look.ts';
import type { ExpectedRecord } from '../../src/dns/expected-record.ts';
import type { AccountProvider, EmailProvider, ProviderDomain } from '../../src/email-provider/email-provider.ts';
import { ProviderError } from '../../src/email-provider/provider-error.ts';

export type Call = keyof AccountProvider | 'createApiKey' | 'revokeApiKey';

type DnsAnswers = 'published' | 'missing' | 'inconclusive';

/** How the provider of a test behaves; everything goes well by default. */
export interface Script {
  /** Whether GET /domains says verified. */
  verified: () => boolean | Promise<boolean>;
  /** What the DNS looks like: everything published, nothing, or a name server that does not answer. */
  dns: () => DnsAnswers | Promise<DnsAnswers>;
  outcome: () => EmailOutcome | 'queued';
  /** Called before each call is answered; throws to make it fail. */
  before: (call: Call) => void | Promise<void>;
}

/** The port of the email provider, in memory: idempotent by key, with a ledger of every call and every secret. */
export function scriptedProvider(overrides: Partial<Script> = {}) {
  const script: Script = {
    verified: () => true,
    dns: () => 'missing',
    outcome: () => ({ status: 'delivered', deliveredAt: '2026-01-02T03:04:05Z' }),
    before: () => undefined,
    ...overrides,
  };
  const calls: Call[] = [];
  const secrets: string[] = [];
  const answers = new Map<string, { answer: unknown; fingerprint: string }>();
  /** What exists: ids of keys, webhooks, domains, senders. */
  const existing = new Set<string>();
  const emails: { id: string; recipient: string }[] = [];
  let made = 0;

  async function answer<T>(call: Call, idempotencyKey: string | undefined, create: () => T, body?: object): Promise<T> {
    calls.push(call);
    await script.before(call);
    if (idempotencyKey === undefined) return create();
    const fingerprint = JSON.stringify(body ?? {});
    const first = answers.get(idempotencyKey);
    if (first !== undefined && first.fingerprint !== fingerprint) {
      const existingId = (first.answer as { id: string }).id;
      throw new ProviderError(call, { httpStatus: 422, code: 'idempotency_key_reused', existingId });
    }
    const made = first?.answer ?? create();
    answers.set(idempotencyKey, { answer: made, fingerprint });
    return made as T;
  }
  const newId = (prefix: string): string => {
    const id = `${prefix}_${++made}`;
    existing.add(id);
    return id;
  };
  const remove = async (call: Call, id: string): Promise<void> => {
    await answer(call, undefined, () => undefined);
    if (!existing.delete(id)) throw new ProviderError(call, { httpStatus: 404, code: 'not_found' });
  };
  const domains = new Map<string, { id: string; name: string }>();
  const domainOf = async (id: string): Promise<ProviderDomain> => ({
    ...(domains.get(id) ?? { id, name: 'unknown' }),
    status: (await script.verified()) ? 'verified' : 'pending',
    records: [
      {
        purpose: 'dkim',
        type: 'TXT',
        name: 'k1._domainkey.acme.test',
        host: 'k1._domainkey',
        value: 'v=DKIM1; k=rsa; p=AAAA',
        required: true,
        status: 'missing',
        findings: [],
      },
    ],
  });

  const account: AccountProvider = {
    createWebhook: (_request, { idempotencyKey }) =>
      answer('createWebhook', idempotencyKey, () => {
        const signingSecret = `whsec_${Buffer.from(`signing secret ${secrets.length}`).toString('base64')}`;
        secrets.push(signingSecret);
        return { id: newId('whk'), signingSecret };
      }),
    deleteWebhook: (id) => remove('deleteWebhook', id),
    async createDomain({ name }, { idempotencyKey }) {
      const known = [...domains.values()].find((domain) => domain.name === name && existing.has(domain.id));
      if (known !== undefined && !answers.has(idempotencyKey)) {
        calls.push('createDomain');
        throw new ProviderError('POST /domains', { httpStatus: 409, code: 'already_exists', existingId: known.id });
      }
      const { id } = await answer('createDomain', idempotencyKey, () => {
        const domain = { id: newId('dom'), name };
        domains.set(domain.id, domain);
        return domain;
      });
      return domainOf(id);
    },
    getDomain: async (id) => {
      await answer('getDomain', undefined, () => undefined);
      return domainOf(id);
    },
    requestVerification: () => answer('requestVerification', undefined, () => undefined),
    deleteDomain: (id) => remove('deleteDomain', id),
    createSender: (_request, { idempotencyKey }) =>
      answer('createSender', idempotencyKey, () => ({ id: newId('snd') })),
    deleteSender: (id) => remove('deleteSender', id),
    sendEmail: (request, { idempotencyKey }) =>
      answer(
        'sendEmail',
        idempotencyKey,
        () => {
          const email = { id: `eml_${++made}`, recipient: request.recipient };
          emails.push(email);
          return { id: email.id, status: 'queued' };
        },
        request,
      ),
    async getEmail(id) {
      await answer('getEmail', undefined, () => undefined);
      const outcome = script.outcome();
      if (outcome === 'queued') return { id, status: 'queued', deliveredAt: null, bounce: null, lastAttempt: null };
      return {
        id,
        status: outcome.status,
        deliveredAt: outcome.status === 'delivered' ? outcome.deliveredAt : null,
        bounce: outcome.status === 'bounced' ? outcome.bounce : null,
        lastAttempt: null,
      };
    },
  };

  const provider: EmailProvider = {
    createApiKey: (_request, { idempotencyKey }) =>
      answer('createApiKey', idempotencyKey, () => {
        const token = `so_live_secret${secrets.length}`;
        secrets.push(token);
        return { id: newId('key'), token };
      }),
    revokeApiKey: (id) => remove('revokeApiKey', id),
    withKey: () => account,
  };

  const lookAtRecords = async (domain: string, expected: readonly ExpectedRecord[]): Promise<DomainLook> => {
    const dns = await script.dns();
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
        status: status[dns],
        found: [],
        findings:
          dns === 'missing'
            ? [
                {
                  code: 'not_published',
                  severity: 'error',
                  name,
                  expected: value,
                  found: [],
                  fix: `Publish ${value} at ${name}.`,
                },
              ]
            : [],
      })),
    };
  };

  return {
    provider,
    lookAtRecords,
    script,
    secrets,
    emails,
    existing,
    calls,
    count: (call: Call): number => calls.filter((made) => made === call).length,
  };
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
  };
}
