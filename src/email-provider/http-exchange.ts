import { promisify } from 'node:util';
import { brotliDecompress, unzip } from 'node:zlib';
import { Agent, buildConnector, request } from 'undici';
import { limitAnswers } from '../lib/http/limit-answers.ts';
import { readBeginning } from '../lib/http/read-beginning.ts';
import { withDeadline } from '../lib/timing/with-deadline.ts';
import { ProviderUnreachable } from './provider-error.ts';

/** An attempt of an Activity takes at most 20 s; these leave it time to report the result. */
const CONNECT_TIMEOUT_MS = 5_000;
const ANSWER_TIMEOUT_MS = 10_000;
/** The whole exchange: an answer that trickles is never silent for long. */
const EXCHANGE_TIMEOUT_MS = 15_000;
/** A domain with its records is under 10 kB; a larger answer is not of the contract. */
const ANSWER_BYTES_MAX = 1_000_000;
const REDIRECTS_MAX = 3;
/** Those that keep the method and the body (RFC 9110 section 15.4). */
const REPEATING_REDIRECTS = [307, 308];
/** After the others a GET stays one. */
const REDIRECTS = [301, 302, 303, ...REPEATING_REDIRECTS];
/** No request asks for one; a proxy in between may compress all the same. */
const CODINGS: ReadonlyMap<string, Decode> = new Map([
  ['gzip', promisify(unzip)],
  ['deflate', promisify(unzip)],
  ['br', promisify(brotliDecompress)],
]);
/** Failures to connect: nothing of the request was sent. */
const NOT_CONNECTED: ReadonlySet<string> = new Set([
  ...['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'],
]);

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export const newAgent = (): Agent =>
  new Agent({
    connect: limitAnswers(buildConnector({ timeout: CONNECT_TIMEOUT_MS }), ANSWER_BYTES_MAX),
    headersTimeout: ANSWER_TIMEOUT_MS,
    bodyTimeout: ANSWER_TIMEOUT_MS,
  });

export interface Exchange {
  readonly agent: Agent;
  readonly url: string;
  readonly method: Method;
  readonly headers: Readonly<Record<string, string>>;
  /** Removed from the answer: if the provider repeats it, it must not enter a failure. */
  readonly credential: string | undefined;
  /** An object is sent as JSON; a text needs its own `content-type`. */
  readonly body?: object | string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The setting that has the provider's address. */
  readonly urlSetting: string;
  /** For the request, its redirects and the whole answer. @default 15 seconds */
  readonly timeoutMs?: number | undefined;
}

export interface HttpAnswer {
  readonly httpStatus: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

export const isSuccess = ({ httpStatus }: HttpAnswer): boolean => httpStatus >= 200 && httpStatus <= 299;

/**
 * One request and its answer, of any status. It does not retry: Temporal does. Throws ProviderUnreachable.
 *
 * @param name of the call, for the error: `GET /domains/dom_1`
 */
export const exchange = (name: string, { timeoutMs = EXCHANGE_TIMEOUT_MS, ...call }: Exchange): Promise<HttpAnswer> =>
  withDeadline(timeoutMs, (signal) => exchangeOnce(name, { ...call, signal }), call.signal);

async function exchangeOnce(name: string, call: Exchange, redirects = 0): Promise<HttpAnswer> {
  const { agent, url, method, headers, credential, body, signal, urlSetting } = call;
  let answer: HttpAnswer;
  try {
    const received = await request(url, {
      dispatcher: agent,
      method,
      headers: { ...(typeof body === 'object' && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...(signal !== undefined && { signal }),
    });
    const isError = received.statusCode > 299;
    const text = await readText(received.body, { coding: received.headers['content-encoding'], isError });
    answer = {
      httpStatus: received.statusCode,
      headers: received.headers,
      text: credential === undefined ? text : text.replaceAll(credential, '[secret]'),
    };
  } catch (error) {
    throw new ProviderUnreachable(name, reasonOf(error), { mayHaveActed: !NOT_CONNECTED.has(codeOf(error)) });
  }
  const target = REDIRECTS.includes(answer.httpStatus) ? addressIn(answer.headers['location'], url) : undefined;
  if (target === undefined || redirects === REDIRECTS_MAX) return answer;
  const isRepeating = REPEATING_REDIRECTS.includes(answer.httpStatus);
  if (target.origin !== new URL(url).origin) {
    // The credential belongs to the configured server alone.
    throw new ProviderUnreachable(
      name,
      `a redirect to another origin, ${target.origin.slice(0, 200)}. Set ${urlSetting} to it if it is the provider`,
      // A form's answer sends the browser on like this.
      { mayHaveActed: !isRepeating },
    );
  }
  if (!isRepeating && method !== 'GET') return answer;
  return exchangeOnce(name, { ...call, url: target.href }, redirects + 1);
}

export function addressIn(location: string | string[] | undefined, base: string): URL | undefined {
  return typeof location === 'string' && URL.canParse(location, base) ? new URL(location, base) : undefined;
}

/** Without a byte order mark, which JSON must not have but some servers send. */
async function readText(
  stream: AsyncIterable<Buffer>,
  { coding, isError }: { coding: string | string[] | undefined; isError: boolean },
): Promise<string> {
  const { bytes: content, truncated } = await readBeginning(stream, ANSWER_BYTES_MAX);
  if (truncated) throw new Error(`the answer is larger than ${ANSWER_BYTES_MAX} bytes`);
  const decode = CODINGS.get(String(coding).toLowerCase().replace(/^x-/, ''));
  if (decode === undefined || content.length === 0) return new TextDecoder().decode(content);
  try {
    return new TextDecoder().decode(await decode(content, { maxOutputLength: ANSWER_BYTES_MAX }));
  } catch (error) {
    // The status of an error says enough.
    if (isError) return '';
    throw error;
  }
}

type Decode = (content: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

/** Never includes headers, which contain the credential. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  const code = codeOf(error);
  return `${code === '' ? '' : `${code}: `}${error.message}`;
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
