import { Agent, request } from 'undici';
import { retryAfterMs } from '../lib/http/retry-after.ts';
import { parseJson } from '../lib/parse-json.ts';
import type { CallOptions, CreateOptions } from './email-provider.ts';
import { readProblem } from './read-problem.ts';
import { ProviderError, ProviderUnreachable } from './provider-error.ts';

/** An attempt of an Activity takes at most 20 s; these leave it time to report the result. */
const CONNECT_TIMEOUT_MS = 5_000;
const ANSWER_TIMEOUT_MS = 10_000;
/** A domain with its records is under 10 kB; a larger answer is not of the contract. */
const ANSWER_BYTES_MAX = 1_000_000;
const DETAIL_CHARACTERS_MAX = 500;
/** Any other 2xx comes from a proxy in between. */
const SUCCESSES = [200, 201, 202, 204];

export type Method = 'GET' | 'POST' | 'DELETE';

/** Resolves with the parsed body of a success, undefined if it is empty. Throws ProviderError or ProviderUnreachable. */
export type Call = (method: Method, path: string, options?: CallOptions, body?: object) => Promise<unknown>;

/** @param target.baseUrl without a slash at its end */
export function callWith({ agent, baseUrl, token }: { agent: Agent; baseUrl: string; token: string }): Call {
  return async (method, path, options, body) => {
    const name = `${method} ${path}`;
    const answer = await exchange(name, { agent, url: baseUrl + path, token, method, options, body });
    const content = parseJson(answer.text);
    if (answer.httpStatus < 200 || answer.httpStatus > 299) throw toProviderError(name, answer, content);
    if (!SUCCESSES.includes(answer.httpStatus) || (answer.text !== '' && content === undefined)) {
      throw new ProviderUnreachable(name, `status ${answer.httpStatus} without JSON of the API`);
    }
    return content;
  };
}

export const newAgent = (): Agent =>
  new Agent({
    connect: { timeout: CONNECT_TIMEOUT_MS },
    headersTimeout: ANSWER_TIMEOUT_MS,
    bodyTimeout: ANSWER_TIMEOUT_MS,
  });

interface Exchange {
  readonly agent: Agent;
  readonly url: string;
  readonly token: string;
  readonly method: Method;
  readonly options: CallOptions | undefined;
  readonly body: object | undefined;
}

interface Answer {
  readonly httpStatus: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

async function exchange(name: string, { agent, url, token, method, options, body }: Exchange): Promise<Answer> {
  const { idempotencyKey, waitSeconds }: Partial<CreateOptions> = options ?? {};
  try {
    const answer = await request(url, {
      dispatcher: agent,
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
        ...(waitSeconds === undefined ? {} : { prefer: `wait=${waitSeconds}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(options?.signal === undefined ? {} : { signal: options.signal }),
    });
    const text = await readText(answer.body);
    // If the provider repeats the credential in its answer, it must not enter a failure.
    return { httpStatus: answer.statusCode, headers: answer.headers, text: text.replaceAll(token, '[secret]') };
  } catch (error) {
    throw new ProviderUnreachable(name, reasonOf(error));
  }
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

/** Never includes headers, which contain the token. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  const code = 'code' in error && typeof error.code === 'string' ? `${error.code}: ` : '';
  return `${code}${error.message}`;
}

/** From the RFC 9457 problem details, or the error object of another shape. */
function toProviderError(name: string, answer: Answer, content: unknown): ProviderError {
  const problem = readProblem(content);
  return new ProviderError(name, {
    httpStatus: answer.httpStatus,
    code: problem.code ?? (answer.httpStatus === 422 && name === 'POST /senders' ? 'domain_not_verified' : undefined),
    detail: problem.detail?.slice(0, DETAIL_CHARACTERS_MAX),
    requestId: problem.requestId?.slice(0, DETAIL_CHARACTERS_MAX),
    existingId: problem.existingId,
    retryAfterMs: retryAfterMs(answer.headers['retry-after'], Date.now()),
  });
}
