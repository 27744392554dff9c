import { Agent, request } from 'undici';
import type {
  AccountProvider,
  CallOptions,
  CreateOptions,
  EmailProvider,
  ProviderDomain,
  ProviderEmail,
} from './email-provider.ts';
import { ProviderError, ProviderUnreachable } from './provider-error.ts';

/** One attempt of an Activity may take 20 s; these leave it time to report what happened. */
const CONNECT_TIMEOUT_MS = 5_000;
const ANSWER_TIMEOUT_MS = 10_000;
/** A domain with its records is under 10 kB; more than this is not an answer of the contract. */
const ANSWER_BYTES_MAX = 1_000_000;

export interface HttpEmailProvider extends EmailProvider {
  close(): Promise<void>;
}

/**
 * The HTTP client of the email API (`specs/transactional-email.md`). It does not retry: that is Temporal's work.
 *
 * @param baseUrl without a slash at its end
 * @param operatorToken may open accounts: the credential of POST /api-keys
 */
export function createHttpEmailProvider({
  baseUrl,
  operatorToken,
}: {
  baseUrl: string;
  operatorToken: string;
}): HttpEmailProvider {
  const agent = newAgent();
  const callWith = (token: string) => (method: Method, path: string, options?: CallOptions, body?: object) =>
    call({ agent, baseUrl, token, method, path, options, body });
  const operator = callWith(operatorToken);
  return {
    async createApiKey(requested, options) {
      const { id, token } = withFields(await operator('POST', '/api-keys', options, requested), ['id']) as {
        id: string;
        token?: string;
      };
      return { id, ...(token === undefined ? {} : { token }) };
    },
    async revokeApiKey(keyId, options) {
      await operator('DELETE', `/api-keys/${encodeURIComponent(keyId)}`, options);
    },
    withKey: (token) => accountProvider(callWith(token)),
    close: () => agent.close(),
  };
}

/** What somebody can look up who has an account's key and no operator credential. */
export interface AccountLookUps {
  /** Undefined when the account has no domain of this name. @param name lower case */
  findDomain(name: string, options?: CallOptions): Promise<ProviderDomain | undefined>;
  close(): Promise<void>;
}

/** @param baseUrl without a slash at its end */
export function createAccountLookUps({ baseUrl, token }: { baseUrl: string; token: string }): AccountLookUps {
  const agent = newAgent();
  const provider = accountProvider((method, path, options, body) =>
    call({ agent, baseUrl, token, method, path, options, body }),
  );
  return {
    async findDomain(name, options) {
      const path = `/domains?name=${encodeURIComponent(name)}`;
      const answer = await call({ agent, baseUrl, token, method: 'GET', path, options, body: undefined });
      const { data } = withFields(answer, [], ['data']) as { data: readonly { id: string; name: string }[] };
      // A provider that does not know the filter answers with all domains.
      const id = data.find((domain) => domain.name === name)?.id;
      return id === undefined ? undefined : provider.getDomain(id, options);
    },
    close: () => agent.close(),
  };
}

const newAgent = (): Agent =>
  new Agent({
    connect: { timeout: CONNECT_TIMEOUT_MS },
    headersTimeout: ANSWER_TIMEOUT_MS,
    bodyTimeout: ANSWER_TIMEOUT_MS,
  });

type Method = 'GET' | 'POST' | 'DELETE';
type Call = (method: Method, path: string, options?: CallOptions, body?: object) => Promise<unknown>;

function accountProvider(call: Call): AccountProvider {
  const at = (collection: string, id: string): string => `/${collection}/${encodeURIComponent(id)}`;
  return {
    async createWebhook(requested, options) {
      const answer = withFields(await call('POST', '/webhooks', options, requested), ['id']) as {
        id: string;
        signing_secret?: string;
      };
      return {
        id: answer.id,
        ...(answer.signing_secret === undefined ? {} : { signingSecret: answer.signing_secret }),
      };
    },
    async deleteWebhook(webhookId, options) {
      await call('DELETE', at('webhooks', webhookId), options);
    },
    async createDomain(requested, options) {
      return withFields(
        await call('POST', '/domains', options, requested),
        ['id', 'name', 'status'],
        ['records'],
      ) as ProviderDomain;
    },
    async getDomain(domainId, options) {
      return withFields(
        await call('GET', at('domains', domainId), options),
        ['id', 'name', 'status'],
        ['records'],
      ) as ProviderDomain;
    },
    async requestVerification(domainId, options) {
      try {
        await call('POST', `${at('domains', domainId)}/verify`, options);
      } catch (error) {
        // The specification does not know this call: a provider without it looks in its own time.
        if (!(error instanceof ProviderError && [404, 405].includes(error.httpStatus))) throw error;
      }
    },
    async deleteDomain(domainId, options) {
      await call('DELETE', at('domains', domainId), options);
    },
    async createSender({ fromAddress }, options) {
      return withFields(await call('POST', '/senders', options, { from_address: fromAddress }), ['id']) as {
        id: string;
      };
    },
    async deleteSender(senderId, options) {
      await call('DELETE', at('senders', senderId), options);
    },
    async sendEmail({ senderId, recipient, subject, body }, options) {
      const email = { sender_id: senderId, recipient, subject, body };
      return withFields(await call('POST', '/emails', options, email), ['id', 'status']) as {
        id: string;
        status: string;
      };
    },
    async getEmail(emailId, options) {
      return toEmail(withFields(await call('GET', at('emails', emailId), options), ['id', 'status']) as WireEmail);
    },
  };
}

interface WireEmail {
  id: string;
  status: string;
  delivered_at?: string | null;
  bounce?: {
    category: string;
    reason: string;
    smtp_code?: number | null;
    enhanced_code?: string | null;
    diagnostic?: string | null;
    remote_mta?: string | null;
  } | null;
  attempts?: { outcome: string; diagnostic?: string | null }[];
}

function toEmail({ id, status, delivered_at, bounce, attempts }: WireEmail): ProviderEmail {
  const last = attempts?.at(-1);
  return {
    id,
    status,
    deliveredAt: delivered_at ?? null,
    bounce: bounce
      ? {
          category: bounce.category,
          reason: bounce.reason,
          smtpCode: bounce.smtp_code ?? null,
          enhancedCode: bounce.enhanced_code ?? null,
          diagnostic: bounce.diagnostic ?? null,
          remoteMta: bounce.remote_mta ?? null,
        }
      : null,
    lastAttempt: last === undefined ? null : [last.outcome, last.diagnostic].filter(Boolean).join(': '),
  };
}

/** An answer that lacks what the contract promises is no answer: the call is tried again, and ops read what was missing. */
function withFields(content: unknown, texts: readonly string[], lists: readonly string[] = []): unknown {
  const answer = (typeof content === 'object' && content !== null ? content : {}) as Record<string, unknown>;
  const wrong = [
    ...texts.filter((field) => typeof answer[field] !== 'string'),
    ...lists.filter((field) => !Array.isArray(answer[field])),
  ];
  if (wrong.length > 0) throw new ProviderUnreachable('the provider', `a success without ${wrong.join(', ')}`);
  return content;
}

interface Request {
  agent: Agent;
  baseUrl: string;
  token: string;
  method: Method;
  path: string;
  options: CallOptions | undefined;
  body: object | undefined;
}

async function call({ agent, baseUrl, token, method, path, options, body }: Request): Promise<unknown> {
  const name = `${method} ${path}`;
  const idempotencyKey =
    options !== undefined && 'idempotencyKey' in options ? (options as CreateOptions).idempotencyKey : undefined;
  let answer;
  try {
    const {
      statusCode,
      headers,
      body: stream,
    } = await request(baseUrl + path, {
      dispatcher: agent,
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(options?.signal === undefined ? {} : { signal: options.signal }),
    });
    // A provider that repeats the credential in its answer must not get it into a failure.
    answer = { httpStatus: statusCode, headers, text: (await readText(stream)).replaceAll(token, '[secret]') };
  } catch (error) {
    throw new ProviderUnreachable(name, reasonOf(error));
  }
  const content = parseJson(answer.text);
  if (answer.httpStatus < 200 || answer.httpStatus > 299) throw toProviderError(name, answer, content);
  if (answer.httpStatus !== 204 && content === undefined)
    throw new ProviderUnreachable(name, `status ${answer.httpStatus} without JSON`);
  return content;
}

async function readText(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > ANSWER_BYTES_MAX) throw new Error(`the answer is larger than ${ANSWER_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A code and a message of the connection; never headers, which hold the token. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  const code = 'code' in error && typeof error.code === 'string' ? `${error.code}: ` : '';
  return `${code}${error.message}`;
}

/** RFC 9457 problem details where the provider gives them; a bare status otherwise. */
function toProviderError(
  name: string,
  answer: { httpStatus: number; headers: Record<string, string | string[] | undefined>; text: string },
  content: unknown,
): ProviderError {
  const problem = (typeof content === 'object' && content !== null ? content : {}) as Record<string, unknown>;
  const word = (field: string): string | undefined => (typeof problem[field] === 'string' ? problem[field] : undefined);
  return new ProviderError(name, {
    httpStatus: answer.httpStatus,
    code: word('code') ?? `http_${answer.httpStatus}`,
    detail: word('detail')?.slice(0, 500),
    requestId: word('request_id'),
    existingId: word('existing_id'),
    retryAfterMs: retryAfterMs(answer.headers['retry-after']),
  });
}

/** RFC 9110 section 10.2.3: seconds or a date. */
function retryAfterMs(header: string | string[] | undefined): number | undefined {
  if (typeof header !== 'string') return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? Math.max(ms, 0) : undefined;
}
