import { context, propagation } from '@opentelemetry/api';
import type { Agent } from 'undici';
import { retryAfterMs } from '../../../lib/http/retry-after.ts';
import { parseJson } from '../../../lib/parse-json.ts';
import type { CreateOptions } from '../../email-provider.ts';
import { addressIn, exchange, type HttpAnswer, isSuccess, type Method } from '../../http-exchange.ts';
import { type ProviderError, ProviderUnreachable } from '../../provider-error.ts';
import { errorAnswer } from './error-answer.ts';
import { readProblem } from './read-problem.ts';

const DETAIL_CHARACTERS_MAX = 500;
/** Any other 2xx comes from a proxy in between. */
const SUCCESSES = [200, 201, 202, 204];

export interface CallTarget {
  readonly agent: Agent;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly token: string;
}

export type HttpCall = [
  Method,
  path: string,
  options?: (Partial<CreateOptions> & { readonly body?: object }) | undefined,
];

/** Resolves with the parsed body of a success, undefined if it is empty. Throws ProviderError or ProviderUnreachable. */
export async function httpCall(
  { agent, baseUrl, token }: CallTarget,
  [method, path, { body, idempotencyKey, waitSeconds, signal } = {}]: HttpCall,
): Promise<unknown> {
  const name = `${method} ${path}`;
  const headers: Record<string, string> = {
    authorization: `Bearer ${token}`,
    ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    ...(waitSeconds !== undefined && { prefer: `wait=${waitSeconds}` }),
  };
  // Adds nothing unless the call is part of a trace.
  propagation.inject(context.active(), headers);
  const answer = await exchange(name, {
    ...{ agent, url: baseUrl + path, method, headers, credential: token, body, signal },
    urlSetting: 'EMAIL_PROVIDER_URL',
  });
  const content = parseJson(answer.text);
  if (!isSuccess(answer)) throw toProviderError(name, answer, content);
  if (!SUCCESSES.includes(answer.httpStatus) || (answer.text !== '' && content === undefined)) {
    throw new ProviderUnreachable(name, `status ${answer.httpStatus} without JSON of the API`);
  }
  // A creation may answer with the address of what it created instead of its content (RFC 9110 section 15.3.2).
  return content === undefined && method === 'POST' ? idAt(answer.headers['location'], baseUrl + path) : content;
}

/** The last part of the address, as the answer to a creation that has no content. */
function idAt(location: string | string[] | undefined, url: string): { id: string } | undefined {
  const parts = addressIn(location, url)?.pathname.split('/') ?? [];
  const [collection, id = ''] = parts.slice(-2);
  if (id === '' || !new URL(url).pathname.endsWith(`/${collection}`)) return undefined;
  try {
    return { id: decodeURIComponent(id) };
  } catch {
    return undefined;
  }
}

/** From the RFC 9457 problem details, or the error object of another shape. */
function toProviderError(name: string, answer: HttpAnswer, content: unknown): ProviderError {
  const problem = readProblem(content);
  return errorAnswer(name, {
    httpStatus: answer.httpStatus,
    code: problem.code ?? (answer.httpStatus === 422 && name === 'POST /senders' ? 'domain_not_verified' : undefined),
    detail: problem.detail?.slice(0, DETAIL_CHARACTERS_MAX),
    requestId: problem.requestId?.slice(0, DETAIL_CHARACTERS_MAX),
    existingId: problem.existingId,
    retryAfterMs: retryAfterMs(answer.headers['retry-after'], Date.now()),
  });
}
