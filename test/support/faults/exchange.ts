import { request, type Dispatcher } from 'undici';
import type { JsonObject } from './fault.ts';

/** An HTTP request as it arrived, its body whole. */
export interface Call {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  /** In Node's form: names and values alternate, which preserves repetitions and spelling. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

/** A whole HTTP answer. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** RFC 9110 section 7.6.1: these belong to one connection; the others are set again for the next one. */
const HOP_BY_HOP = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
  ...['host', 'content-length', 'expect'],
]);

/** The server could not be reached or closed the connection. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

/** Passes a call on and reads its whole answer; redirects are the caller's to follow. Throws NoAnswer. */
export async function exchange(
  origin: string,
  { method, url, rawHeaders, body }: Call,
  options: { dispatcher: Dispatcher; signal: AbortSignal },
): Promise<Answer> {
  const headers = rawHeaders.flatMap((name, index) =>
    index % 2 === 0 && !HOP_BY_HOP.has(name.toLowerCase()) ? [name, rawHeaders[index + 1] ?? ''] : [],
  );
  try {
    const answer = await request(origin + url, {
      ...options,
      method,
      headers,
      body: body.length === 0 ? null : body,
    });
    return {
      status: answer.statusCode,
      headers: Object.fromEntries(Object.entries(answer.headers).filter(([name]) => !HOP_BY_HOP.has(name))),
      body: Buffer.from(await answer.body.arrayBuffer()),
    };
  } catch (cause) {
    throw new NoAnswer(`${origin} did not answer`, { cause });
  }
}

/** Undefined unless it is a JSON object. */
export function readJson(body: Buffer): JsonObject | undefined {
  try {
    const content: unknown = JSON.parse(body.toString('utf8'));
    return typeof content === 'object' && content !== null && !Array.isArray(content)
      ? (content as JsonObject)
      : undefined;
  } catch {
    return undefined;
  }
}

export const writeJson = (content: JsonObject): Buffer => Buffer.from(JSON.stringify(content), 'utf8');

/** Of a URL as Node has it, without the query. */
export const pathOf = (url: string): string => url.split('?', 1)[0] ?? '';

/** @param name in lower case; the first one counts */
export function headerOf({ rawHeaders }: Pick<Call, 'rawHeaders'>, name: string): string | undefined {
  const index = rawHeaders.findIndex((part, position) => position % 2 === 0 && part.toLowerCase() === name);
  return index < 0 ? undefined : rawHeaders[index + 1];
}
