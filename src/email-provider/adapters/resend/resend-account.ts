// Resend (https://resend.com/docs/api-reference): one team with one list of domains. Only POST /emails honours an Idempotency-Key.
import { parseJson } from '../../../lib/parse-json.ts';
import { shareReads } from '../../../lib/timing/share-reads.ts';
import { spaceCalls } from '../../../lib/timing/space-calls.ts';
import { errorFields, isOfProvider } from '../../answer-rows.ts';
import { unreadSuccess } from '../../answer-fields.ts';
import type { ProviderCallOptions, ProviderDomain } from '../../email-provider.ts';
import { exchange, type HttpAnswer, isSuccess, type Method, newAgent } from '../../http-exchange.ts';
import { domainOfAddress, mailboxText } from '../../mailbox-text.ts';
import type { LookOptions, MarkedTenant, OperatorAccount } from '../../operator-account.ts';
import { type Meaning, ProviderError, ProviderUnreachable, unless } from '../../provider-error.ts';
import { meaningOf } from './answer-table.ts';
import { INTENT_TAG, subscribedEvents } from './read-webhook.ts';
import {
  readDomain,
  readEmail,
  readId,
  readKey,
  readListed,
  readNewWebhook,
  readPage,
  readProblem,
  readWebhook,
} from './read-answers.ts';

const PAGE = 100;
/** 10,000 domains or keys. */
const PAGES_MAX = 100;
const DAY_MS = 86_400_000;
const RECENT_MS = 60_000;

export interface ResendSettings {
  readonly apiKey: string;
  readonly baseUrl: string;
  readonly requestsPerSecond: number;
}

/** What a refusal means that has one name for several causes. */
type Look = () => Promise<{ meaning: Meaning; existingId?: string }>;
/** For requests that are refused for one cause alone. */
const isOneRefusal: Look = () => Promise.resolve({ meaning: 'refused' });

interface Call extends ProviderCallOptions {
  readonly body?: object;
  readonly idempotencyKey?: string;
}

/** @param settings.baseUrl without a slash at its end */
export function createResendAccount({ apiKey, baseUrl, requestsPerSecond }: ResendSettings): OperatorAccount {
  const agent = newAgent();
  // Of this process; the Task Queue has the rate of all. A step makes several requests at once.
  const send = spaceCalls(requestsPerSecond, exchange);

  async function ask(method: Method, path: string, { body, idempotencyKey, signal }: Call = {}): Promise<HttpAnswer> {
    return send(`${method} ${path}`, {
      ...{ agent, url: baseUrl + path, method, body, signal, credential: apiKey, urlSetting: 'RESEND_URL' },
      headers: {
        authorization: `Bearer ${apiKey}`,
        // Requests without one are refused.
        'user-agent': 'sendoff',
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      },
    });
  }

  async function call<T>(
    [method, path, options]: [Method, string, (Call | undefined)?],
    read: (content: unknown) => T | undefined,
    look?: Look,
  ): Promise<T> {
    const name = `${method} ${path}`;
    const answer = await ask(method, path, options);
    const content = parseJson(answer.text);
    if (!isSuccess(answer)) throw await errorOf(name, answer, content, look);
    const result = read(content);
    if (result !== undefined) return result;
    throw unreadSuccess(name, method);
  }

  async function list<Item extends { readonly id: string }>(
    path: string,
    read: (item: unknown) => Item | undefined,
    options?: ProviderCallOptions,
  ): Promise<Item[]> {
    const found: Item[] = [];
    let after = '';
    for (let page = 0; page < PAGES_MAX; page++) {
      const { items, hasMore } = await call(['GET', `${path}?limit=${PAGE}${after}`, options], (content) =>
        readPage(content, read),
      );
      found.push(...items);
      const last = items.at(-1);
      if (!hasMore || last === undefined) return found;
      after = `&after=${encodeURIComponent(last.id)}`;
    }
    throw new ProviderUnreachable(`GET ${path}`, `more than ${PAGE * PAGES_MAX} items`);
  }

  // Resend finds nothing by its name, and each hundred tenants of an account are one more request for a list.
  const domains = shareReads(() => list('/domains', readListed));
  const keys = shareReads(() => list('/api-keys', readListed));
  /** An earlier answer of this tenant may have been lost, unless it is the first look: Resend refuses a domain that it has since. */
  const newestFor = (isFirst: boolean): number => performance.now() - (isFirst ? RECENT_MS : 0);

  const getDomain = (domainId: string, options?: ProviderCallOptions): Promise<ProviderDomain> =>
    call(['GET', `/domains/${encodeURIComponent(domainId)}`, options], readDomain);

  async function findDomain(
    name: string,
    { isFirst = false, ...options }: LookOptions = {},
  ): Promise<ProviderDomain | undefined> {
    const found = (await domains(newestFor(isFirst))).find((item) => item.name.toLowerCase() === name);
    return found && getDomain(found.id, options);
  }

  /** A lost answer may have left more than one. */
  async function deleteSenders({ mark }: MarkedTenant, options?: ProviderCallOptions): Promise<string[]> {
    const ids = (await keys(newestFor(false))).flatMap(({ id, name }) => (name === mark ? [id] : []));
    for (const id of ids) {
      const deletion = call(['DELETE', `/api-keys/${encodeURIComponent(id)}`, options], () => true);
      // Just listed: an earlier deletion has reached Resend.
      await unless('gone', deletion);
    }
    return ids;
  }

  const isVerified = (domain: ProviderDomain | undefined): Meaning =>
    domain?.status === 'verified' ? 'refused' : 'notVerified';

  return {
    facts: {
      sendOnce: { kind: 'key', lifetimeMs: DAY_MS },
      delivery: { poll: true },
      requestsPerSecond,
      // It looks, and creates.
      requestsOfStep: { most: 2, average: 1.5 },
    },

    async examine(options) {
      const answer = await ask('GET', '/domains?limit=1', options);
      if (answer.httpStatus === 200) return [];
      const content = parseJson(answer.text);
      const { name } = readProblem(content);
      if (isOfProvider(content) && (answer.httpStatus === 401 || answer.httpStatus === 403)) {
        const isRestricted = name === 'restricted_api_key';
        const remedy = isRestricted
          ? 'RESEND_API_KEY may only send. Set it to an API key with full access (https://resend.com/api-keys)'
          : 'Resend refuses RESEND_API_KEY. Set it to an API key of your account with full access (https://resend.com/api-keys)';
        return [{ code: name ?? `http_${answer.httpStatus}`, remedy }];
      }
      throw await errorOf('GET /domains', answer, content);
    },

    accountWebhooks: {
      secretSetting: 'RESEND_WEBHOOK_SECRET',
      list: (options) => list('/webhooks', readWebhook, options),
      create: (url, options) =>
        call(['POST', '/webhooks', { ...options, body: { endpoint: url, events: subscribedEvents } }], readNewWebhook),
      delete: async (id, options) => {
        await call(['DELETE', `/webhooks/${encodeURIComponent(id)}`, options], () => true);
      },
    },

    createDomain: ({ name }, options) =>
      call(['POST', '/domains', { ...options, body: { name } }], readDomain, async () => {
        const found = await findDomain(name, options);
        return found === undefined ? { meaning: 'refused' } : { meaning: 'exists', existingId: found.id };
      }),
    findDomain,
    getDomain,
    async requestVerification(domainId, options) {
      await call(['POST', `/domains/${encodeURIComponent(domainId)}/verify`, options], readId);
      return undefined;
    },
    deleteDomain: async (domainId, options) => {
      await call(['DELETE', `/domains/${encodeURIComponent(domainId)}`, options], () => true);
    },

    async createSender({ domainId, mark }, { isFirst = false, ...options } = {}) {
      const mayHaveOne = !isFirst || (await keys(newestFor(true))).some(({ name }) => name === mark);
      if (mayHaveOne) await deleteSenders({ mark }, options);
      return call(
        ['POST', '/api-keys', { ...options, body: { name: mark, permission: 'sending_access', domain_id: domainId } }],
        readKey,
        async () => ({ meaning: isVerified(await getDomain(domainId, options)) }),
      );
    },
    deleteSenders,

    async sendEmail({ from, recipient, subject, body, mark, intentId }, { idempotencyKey, ...options }) {
      const { address } = from;
      const email = {
        from: mailboxText(from),
        to: [recipient],
        subject,
        text: body,
        tags: [
          { name: 'sendoff', value: mark },
          { name: INTENT_TAG, value: intentId },
        ],
      };
      const id = await call(['POST', '/emails', { ...options, body: email, idempotencyKey }], readId, async () => ({
        meaning: isVerified(await findDomain(domainOfAddress(address), options)),
      }));
      return { id };
    },
    getEmail: (emailId, _tenant, options) =>
      call(['GET', `/emails/${encodeURIComponent(emailId)}`, options], readEmail),
    close: () => agent.close(),
  };
}

async function errorOf(
  call: string,
  answer: HttpAnswer,
  content: unknown,
  look: Look = isOneRefusal,
): Promise<ProviderError> {
  const { httpStatus } = answer;
  const { name, message } = readProblem(content);
  const meaning = isOfProvider(content) ? meaningOf(httpStatus, name) : 'transient';
  // A look that fails says nothing of the answer.
  const looked = meaning === 'look' ? await look().catch(() => ({ meaning: 'transient' as const })) : { meaning };
  const isKey =
    (httpStatus === 401 && isOfProvider(content)) || name === 'invalid_api_key' || name === 'restricted_api_key';
  // Neither of what the look knows: no tenant is the cause.
  const isBlocked = httpStatus === 403 && looked.meaning === 'refused';
  return new ProviderError(call, {
    ...errorFields(answer, message),
    ...looked,
    ...(isBlocked && { meaning: 'accountBlocked' }),
    code: name,
    denies: isKey ? 'credential' : undefined,
  });
}
