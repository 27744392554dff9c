import { promisify } from 'node:util';
import { brotliDecompress, unzip } from 'node:zlib';
import { Agent, request } from 'undici';
import { retryAfterMs } from '../lib/http/retry-after.ts';
import { parseJson } from '../lib/parse-json.ts';
import type { ProviderCallOptions, CreateOptions } from './email-provider.ts';
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
const REDIRECTS_MAX = 3;
/** Those that keep the method and the body (RFC 9110 section 15.4). */
const REDIRECTS = [307, 308];
/** No request asks for one; a proxy in between may compress all the same. */
const CODINGS: ReadonlyMap<string, Decode> = new Map([
  ['gzip', promisify(unzip)],
  ['deflate', promisify(unzip)],
  ['br', promisify(brotliDecompress)],
]);

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** Resolves with the parsed body of a success, undefined if it is empty. Throws ProviderError or ProviderUnreachable. */
export type HttpCall = (method: Method, path: string, options?: ProviderCallOptions, body?: object) => Promise<unknown>;

/** @param target.baseUrl without a slash at its end */
export function callWith({ agent, baseUrl, token }: { agent: Agent; baseUrl: string; token: string }): HttpCall {
  return async (method, path, options, body) => {
    const name = `${method} ${path}`;
    const answer = await exchange(name, { agent, url: baseUrl + path, token, method, options, body });
    const content = parseJson(answer.text);
    if (answer.httpStatus < 200 || answer.httpStatus > 299) throw toProviderError(name, answer, content);
    if (!SUCCESSES.includes(answer.httpStatus) || (answer.text !== '' && content === undefined)) {
      throw new ProviderUnreachable(name, `status ${answer.httpStatus} without JSON of the API`);
    }
    // A creation may answer with the address of what it created instead of its content (RFC 9110 section 15.3.2).
    return content === undefined && method === 'POST' ? idAt(answer.headers['location'], baseUrl + path) : content;
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
  readonly options: ProviderCallOptions | undefined;
  readonly body: object | undefined;
}

interface Answer {
  readonly httpStatus: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

async function exchange(name: string, call: Exchange, redirects = 0): Promise<Answer> {
  const { agent, url, token, method, options, body } = call;
  const { idempotencyKey, waitSeconds }: Partial<CreateOptions> = options ?? {};
  let answer: Answer;
  try {
    const received = await request(url, {
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
    const isError = received.statusCode > 299;
    const text = await readText(received.body, { coding: received.headers['content-encoding'], isError });
    // If the provider repeats the credential in its answer, it must not enter a failure.
    answer = { httpStatus: received.statusCode, headers: received.headers, text: text.replaceAll(token, '[secret]') };
  } catch (error) {
    throw new ProviderUnreachable(name, reasonOf(error));
  }
  const target = REDIRECTS.includes(answer.httpStatus) ? addressIn(answer.headers['location'], url) : undefined;
  if (target === undefined || redirects === REDIRECTS_MAX) return answer;
  if (target.origin !== new URL(url).origin) {
    // The credential belongs to the configured server alone.
    throw new ProviderUnreachable(
      name,
      `a redirect to another origin, ${target.origin.slice(0, 200)}. Set EMAIL_PROVIDER_URL to it if it is the provider`,
    );
  }
  return exchange(name, { ...call, url: target.href }, redirects + 1);
}

function addressIn(location: string | string[] | undefined, base: string): URL | undefined {
  return typeof location === 'string' && URL.canParse(location, base) ? new URL(location, base) : undefined;
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

/** Without a byte order mark, which JSON must not have but some servers send. */
async function readText(
  stream: AsyncIterable<Buffer>,
  { coding, isError }: { coding: string | string[] | undefined; isError: boolean },
): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > ANSWER_BYTES_MAX) throw new Error(`the answer is larger than ${ANSWER_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  const content = Buffer.concat(chunks);
  const decode = CODINGS.get(String(coding).toLowerCase().replace(/^x-/, ''));
  if (decode === undefined || bytes === 0) return new TextDecoder().decode(content);
  try {
    return new TextDecoder().decode(await decode(content, { maxOutputLength: ANSWER_BYTES_MAX }));
  } catch (error) {
    // The status of an error says enough.
    if (isError) return '';
    throw error;
  }
}

type Decode = (content: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

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
