// Postmark (https://postmarkapp.com/developer). The account token opens one server a tenant, whose token is the tenant's key, and owns the
// domains: every server of the account may send from each of them. Nothing honours an Idempotency-Key; an email is found by its metadata.
import { parseJson } from '../../../lib/parse-json.ts';
import { spaceCalls } from '../../../lib/timing/space-calls.ts';
import { errorFields, isOfProvider } from '../../answer-rows.ts';
import { unreadSuccess } from '../../answer-fields.ts';
import type { ProviderCallOptions, ProviderDomain } from '../../email-provider.ts';
import { exchange, type HttpAnswer, isSuccess, type Method, newAgent } from '../../http-exchange.ts';
import { mailboxText } from '../../mailbox-text.ts';
import type { MarkedTenant, OperatorAccount } from '../../operator-account.ts';
import { lookAfter, ProviderError, ProviderUnreachable, unless } from '../../provider-error.ts';
import { meaningOf } from './answer-table.ts';
import {
  INTENT_METADATA,
  readBounce,
  readDetails,
  readDomain,
  readDomains,
  readFound,
  readId,
  readNewServer,
  readProblem,
  readSent,
  readServer,
  readServers,
  readWebhooks,
  type Server,
  suppressed,
} from './read-answers.ts';

/** The stream that every server has. */
const STREAM = 'outbound';
const PAGE = 500;
/** 10,000 domains. */
const PAGES_MAX = 20;
/** Not published: how long an accepted email may be missing from the search by metadata. */
const SETTLE_MS = 5 * 60_000;

export interface PostmarkSettings {
  readonly accountToken: string;
  readonly baseUrl: string;
  readonly requestsPerSecond: number;
}

interface Call extends ProviderCallOptions {
  readonly body?: object;
  /** The token of a server; absent: the account's. */
  readonly serverToken?: string;
}

/** @param settings.baseUrl without a slash at its end */
export function createPostmarkAccount({ accountToken, baseUrl, requestsPerSecond }: PostmarkSettings): OperatorAccount {
  const agent = newAgent();
  // Of this process; the Task Queue has the rate of all.
  const send = spaceCalls(requestsPerSecond, exchange);

  const ask = (method: Method, path: string, { body, serverToken, signal }: Call = {}): Promise<HttpAnswer> =>
    send(`${method} ${path}`, {
      ...{ agent, url: baseUrl + path, method, body, signal, urlSetting: 'POSTMARK_URL' },
      credential: serverToken ?? accountToken,
      headers: {
        accept: 'application/json',
        'user-agent': 'sendoff',
        ...(serverToken === undefined
          ? { 'x-postmark-account-token': accountToken }
          : { 'x-postmark-server-token': serverToken }),
      },
    });

  async function call<T>(
    [method, path, options]: [Method, string, (Call | undefined)?],
    read: (content: unknown) => T | undefined,
  ): Promise<T> {
    const name = `${method} ${path}`;
    const answer = await ask(method, path, options);
    const content = parseJson(answer.text);
    if (!isSuccess(answer) || readProblem(content) !== undefined) throw errorOf(name, answer, content);
    const result = read(content);
    if (result === undefined) throw unreadSuccess(name, method);
    return result;
  }

  async function findServer({ mark }: MarkedTenant, options?: ProviderCallOptions): Promise<Server | undefined> {
    // The name is searched, not compared.
    const query = new URLSearchParams({ name: mark, count: '100', offset: '0' });
    return (await call(['GET', `/servers?${query}`, options], readServers)).find(({ name }) => name === mark);
  }

  async function requireToken(tenant: MarkedTenant, options?: ProviderCallOptions): Promise<string> {
    const token = tenant.token ?? (await findServer(tenant, options))?.token;
    if (token !== undefined) return token;
    throw serverMissing(tenant);
  }

  /** With the tenant's token. A person may have replaced it: then once more, with the current one. */
  async function asServer<T>(
    tenant: MarkedTenant,
    options: ProviderCallOptions | undefined,
    use: (serverToken: string) => Promise<T>,
  ): Promise<T> {
    const token = await requireToken(tenant, options);
    try {
      return await use(token);
    } catch (error) {
      if (!(error instanceof ProviderError && error.denies === 'credential')) throw error;
      const current = (await lookAfter(error, findServer(tenant, options)))?.token;
      if (current !== undefined && current !== token) return asServer({ ...tenant, token: current }, options, use);
      throw new ProviderError(error.call, {
        ...{ meaning: 'transient', mayHaveActed: false, httpStatus: error.httpStatus, code: 'server_token' },
        denies: 'credential',
        detail: `Postmark refuses the token of the server ${tenant.mark}: create another one in Postmark, or cancel the onboarding`,
      });
    }
  }

  /** A person may have renamed the server, and given it another use. @param tenant.id of the server that was opened */
  async function closeRenamed(
    { mark, id }: MarkedTenant & { readonly id?: string },
    options?: ProviderCallOptions,
  ): Promise<{ id: string | null; kept?: string }> {
    if (id === undefined) return { id: null };
    const server = await unless('gone', call(['GET', `/servers/${encodeURIComponent(id)}`, options], readServer));
    if (server === undefined) return { id: null };
    return {
      id,
      kept: `the server ${mark} (ID ${id}) is now named ${server.name}: delete it in Postmark if it is not used`,
    };
  }

  const remove = (path: string, options?: Call): Promise<true> => call(['DELETE', path, options], () => true);
  /** Just listed: if it is gone, an earlier deletion has reached Postmark. */
  const removeListed = (path: string, options?: Call) => unless('gone', remove(path, options));

  const getDomain = (domainId: string, options?: ProviderCallOptions): Promise<ProviderDomain> =>
    call(['GET', `/domains/${encodeURIComponent(domainId)}`, options], readDomain);

  async function findDomain(name: string, options?: ProviderCallOptions): Promise<ProviderDomain | undefined> {
    for (let page = 0; page < PAGES_MAX; page++) {
      const domains = await call(['GET', `/domains?count=${PAGE}&offset=${page * PAGE}`, options], readDomains);
      const found = domains.find((domain) => domain.name === name);
      if (found !== undefined) return getDomain(found.id, options);
      if (domains.length < PAGE) return undefined;
    }
    throw new ProviderUnreachable('GET /domains', `more than ${PAGE * PAGES_MAX} domains`);
  }

  async function createDomain(name: string, options?: ProviderCallOptions): Promise<ProviderDomain> {
    const body = { Name: name, ReturnPathDomain: `pm-bounces.${name}` };
    try {
      return await call(['POST', '/domains/', { ...options, body }], readDomain);
    } catch (error) {
      const found = isAnswer(error, 'look') ? await lookAfter(error, findDomain(name, options)) : undefined;
      if (found === undefined || !(error instanceof ProviderError)) throw error;
      throw new ProviderError(error.call, {
        ...{ meaning: 'exists', existingId: found.id, detail: `the account has ${name} already` },
        ...{ mayHaveActed: false, httpStatus: error.httpStatus, code: error.code },
      });
    }
  }

  return {
    facts: {
      sendOnce: { kind: 'look-up', settleMs: SETTLE_MS },
      delivery: { poll: true },
      requestsPerSecond,
      requestsOfStep: { most: 3, average: 2 },
    },

    async examine(options) {
      const answer = await ask('GET', '/servers?count=1&offset=0', options);
      const content = parseJson(answer.text);
      if (answer.httpStatus === 200) return [];
      if (answer.httpStatus !== 401 || !isOfProvider(content)) throw errorOf('GET /servers', answer, content);
      const { httpStatus } = await ask('GET', '/server', { ...options, serverToken: accountToken });
      const remedy =
        httpStatus === 200
          ? 'POSTMARK_ACCOUNT_TOKEN is the token of a server, which cannot create others. Set it to the account token (https://account.postmarkapp.com/api_tokens)'
          : 'Postmark refuses POSTMARK_ACCOUNT_TOKEN. Set it to the account token of your account (https://account.postmarkapp.com/api_tokens)';
      return [{ code: httpStatus === 200 ? 'server_token' : (readProblem(content)?.code ?? 'http_401'), remedy }];
    },

    accounts: {
      async open(tenant, options) {
        try {
          return await call(['POST', '/servers', { ...options, body: { Name: tenant.mark } }], readNewServer);
        } catch (error) {
          const found = isAnswer(error, 'exists') ? await lookAfter(error, findServer(tenant, options)) : undefined;
          if (found === undefined) throw error;
          if (found.token === undefined) throw serverMissing(tenant);
          return { id: found.id, token: found.token };
        }
      },
      async find(tenant, options) {
        const found = await findServer(tenant, options);
        return found?.token === undefined ? undefined : { id: found.id, token: found.token };
      },
      async close(tenant, options) {
        const { id = null } = (await findServer(tenant, options)) ?? {};
        if (id === null) return closeRenamed(tenant, options);
        try {
          await removeListed(`/servers/${id}`, options);
          return { id };
        } catch (error) {
          if (!isAnswer(error, 'unsupported')) throw error;
          const kept = `Postmark lets the account delete servers by API only once its support has granted that (ErrorCode ${error.code}): delete the server ${tenant.mark} in Postmark`;
          return { id, kept };
        }
      },
    },

    webhooks: {
      async create({ url, headers }, tenant, options) {
        const body = {
          Url: url,
          MessageStream: STREAM,
          HttpHeaders: Object.entries(headers).map(([Name, Value]) => ({ Name, Value })),
          Triggers: { Delivery: { Enabled: true }, Bounce: { Enabled: true, IncludeContent: false } },
        };
        return asServer(tenant, options, (serverToken) =>
          call(['POST', '/webhooks', { ...options, body, serverToken }], readId),
        );
      },
      async delete(url, tenant, options) {
        // Not with the token at hand: a person may have deleted the server, or replaced its token.
        const serverToken = (await findServer(tenant, options))?.token;
        if (serverToken === undefined) return [];
        const path = `/webhooks?messageStream=${STREAM}`;
        const webhooks = await call(['GET', path, { ...options, serverToken }], readWebhooks);
        const ids = webhooks.filter((webhook) => webhook.url === url).map(({ id }) => id);
        for (const id of ids) await removeListed(`/webhooks/${id}`, { ...options, serverToken });
        return ids;
      },
    },

    createDomain: ({ name }, options) => createDomain(name, options),
    findDomain,
    getDomain,
    async requestVerification(domainId, options) {
      const path = `/domains/${encodeURIComponent(domainId)}`;
      await call(['PUT', `${path}/verifyDKIM`, options], readDomain);
      return call(['PUT', `${path}/verifyReturnPath`, options], readDomain);
    },
    deleteDomain: async (domainId, options) => {
      await remove(`/domains/${encodeURIComponent(domainId)}`, options);
    },

    /** Nothing at Postmark: each server of the account may send from each verified domain. */
    async createSender({ domainId, fromAddress }, options) {
      const { name = domainId, status } = await getDomain(domainId, options);
      if (status === 'verified') return { id: fromAddress };
      throw new ProviderError(`GET /domains/${domainId}`, {
        ...{ meaning: 'notVerified', mayHaveActed: false, httpStatus: 200, code: 'domain_not_verified' },
        detail: `${name} is ${status}`,
      });
    },

    async sendEmail({ from, recipient, subject, body, intentId, ...tenant }, { signal }) {
      const options = signal && { signal };
      const email = {
        ...{ From: mailboxText(from), To: recipient, Subject: subject, TextBody: body },
        ...{ MessageStream: STREAM, Metadata: { [INTENT_METADATA]: intentId } },
      };
      try {
        return await asServer(tenant, options, (serverToken) =>
          call(['POST', '/email', { ...options, body: email, serverToken }], readSent),
        );
      } catch (error) {
        if (isAnswer(error, 'bounced')) return { id: null, bounce: suppressed };
        throw error;
      }
    },
    async findEmail({ intentId, ...tenant }, options) {
      const query = new URLSearchParams({ [`metadata_${INTENT_METADATA}`]: intentId, count: '100', offset: '0' });
      const found = await asServer(tenant, options, (serverToken) =>
        call(['GET', `/messages/outbound?${query}`, { ...options, serverToken }], (content) =>
          readFound(content, intentId),
        ),
      );
      return found ?? undefined;
    },
    getEmail: (emailId, tenant, options) =>
      asServer(tenant, options, async (serverToken) => {
        const path = `/messages/outbound/${encodeURIComponent(emailId)}/details`;
        const { id, status, deliveredAt, bounceId, last } = await call(
          ['GET', path, { ...options, serverToken }],
          readDetails,
        );
        const bounced =
          bounceId === undefined
            ? undefined
            : await call(['GET', `/bounces/${bounceId}`, { ...options, serverToken }], readBounce);
        if (bounced?.bounce != null)
          return { id, status: 'bounced', deliveredAt: null, bounce: bounced.bounce, lastAttempt: last };
        if (deliveredAt !== undefined) return { id, status: 'delivered', deliveredAt, bounce: null, lastAttempt: last };
        return { id, status, deliveredAt: null, bounce: null, lastAttempt: bounced?.type ?? last };
      }),
    close: () => agent.close(),
  };
}

function errorOf(call: string, answer: HttpAnswer, content: unknown): ProviderError {
  const { httpStatus } = answer;
  const { code, message } = readProblem(content) ?? { code: `http_${httpStatus}`, message: undefined };
  // An email that was too large stays so.
  const meaning = isOfProvider(content) || httpStatus === 413 ? meaningOf(httpStatus, code) : 'transient';
  return new ProviderError(call, {
    ...errorFields(answer, message),
    meaning: meaning === 'look' || meaning === 'bounced' ? 'refused' : meaning,
    code,
    denies: (httpStatus === 401 && isOfProvider(content)) || code === '10' ? 'credential' : undefined,
  });
}

const serverMissing = ({ mark }: MarkedTenant): ProviderError =>
  new ProviderError(`GET /servers?name=${mark}`, {
    ...{ meaning: 'transient', mayHaveActed: false, httpStatus: 200, code: 'server_missing' },
    detail: `the account has no server ${mark}, or it has no token: create it in Postmark, or cancel the onboarding`,
  });

/** Whether Postmark answered with an error of this row of the table. */
const isAnswer = (error: unknown, meaning: ReturnType<typeof meaningOf>): error is ProviderError =>
  error instanceof ProviderError && meaningOf(error.httpStatus, error.code) === meaning;
