// Requests to Amazon SES (API v2, JSON) and to SNS (query API, XML), signed with the operator's access key.
import type { SignatureV4 } from '@smithy/signature-v4';
import { createHash, createHmac } from 'node:crypto';
import { parseJson } from '../../../lib/parse-json.ts';
import type { ProviderCallOptions } from '../../email-provider.ts';
import { textIn } from '../../answer-fields.ts';
import { errorFields } from '../../answer-rows.ts';
import { exchange, type HttpAnswer, isSuccess, type Method, newAgent } from '../../http-exchange.ts';
import { type Meaning, ProviderError, ProviderUnreachable } from '../../provider-error.ts';
import { meaningOf } from './answer-table.ts';

const SNS_VERSION = '2010-03-31';

export const snsUrl = (region: string): string => `https://sns.${region}.amazonaws.com`;
export const sesUrl = (region: string): string => `https://email.${region}.amazonaws.com`;

export interface SesSettings {
  /** `eu-west-1` */
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** The token of temporary credentials. */
  readonly sessionToken?: string | undefined;
  /** Replaces the endpoints of both services in the region; without a slash at its end. */
  readonly baseUrl?: string | undefined;
  /** The host that requests to SES are signed for, if a relay at `baseUrl` passes them on. @default that of `baseUrl` */
  readonly signedFor?: string | undefined;
}

interface SesCall extends ProviderCallOptions {
  readonly body?: object;
  /** The meaning of a refusal, `refused` or `gone`, that has several causes. */
  readonly look?: (refusal: Meaning) => Promise<Meaning>;
}

export interface SesClient {
  /** Returns the content of a 2xx. Throws ProviderError, ProviderUnreachable. @param path its parts encoded */
  readonly ses: (method: Method, path: string, call?: SesCall) => Promise<unknown>;
  /** Returns the XML of a 2xx. Throws as `ses` does. */
  readonly sns: (
    action: string,
    parameters: Readonly<Record<string, string>>,
    options?: ProviderCallOptions,
  ) => Promise<string>;
  readonly close: () => Promise<void>;
}

export function createSesClient({
  region,
  accessKeyId,
  secretAccessKey,
  sessionToken,
  baseUrl,
  signedFor,
}: SesSettings): SesClient {
  const agent = newAgent();
  const credentials = { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) };
  const urls = { ses: baseUrl ?? sesUrl(region), sns: baseUrl ?? snsUrl(region) };
  const signers: Partial<Record<'ses' | 'sns', Promise<SignatureV4>>> = {};
  const signerOf = (service: 'ses' | 'sns'): Promise<SignatureV4> =>
    // Only here, because the package takes half a second to load.
    (signers[service] ??= import('@smithy/signature-v4').then(
      ({ SignatureV4: Signer }) => new Signer({ service, region, credentials, sha256: Sha256 }),
    ));

  async function send(
    service: 'ses' | 'sns',
    name: string,
    {
      method,
      path,
      type,
      body,
      signal,
    }: { method: Method; path: string; type: string; body?: string } & ProviderCallOptions,
  ): Promise<HttpAnswer> {
    const url = new URL(urls[service] + path);
    const host = service === 'ses' && signedFor !== undefined ? signedFor : url.host;
    const signer = await signerOf(service);
    const { headers } = await signer.sign({
      ...{ method, protocol: url.protocol, hostname: url.hostname, path: url.pathname },
      headers: { host, ...(body !== undefined && { 'content-type': type }) },
      ...(body !== undefined && { body }),
    });
    return exchange(name, {
      ...{ agent, url: url.href, method, body, signal, urlSetting: 'SES_URL' },
      headers: { ...headers, 'user-agent': 'sendoff' },
      // The secret access key itself never leaves this machine.
      credential: sessionToken ?? accessKeyId,
    });
  }

  return {
    async ses(method, path, { body, signal, look } = {}) {
      const name = `${method} ${path}`;
      const answer = await send('ses', name, {
        ...{ method, path, type: 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...(signal !== undefined && { signal }),
      });
      const content = parseJson(answer.text);
      if (!isSuccess(answer)) throw await errorOf(name, answer, { ...jsonProblem(answer, content), look });
      // Deletions may answer without content.
      if (content !== undefined || answer.text === '') return content;
      throw new ProviderUnreachable(name, 'a success that is not JSON');
    },

    async sns(action, parameters, { signal } = {}) {
      const name = `SNS ${action}`;
      const body = new URLSearchParams({ Action: action, Version: SNS_VERSION, ...parameters }).toString();
      const answer = await send('sns', name, {
        ...{ method: 'POST', path: '/', type: 'application/x-www-form-urlencoded', body },
        ...(signal !== undefined && { signal }),
      });
      if (isSuccess(answer)) return answer.text;
      const { text } = answer;
      throw await errorOf(name, answer, { code: xmlText(text, 'Code'), detail: xmlText(text, 'Message') });
    },

    close: () => agent.close(),
  };
}

/** SHA-256 and its HMAC, as the signer asks for it. */
class Sha256 {
  readonly #hash: ReturnType<typeof createHash | typeof createHmac>;
  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(secret));
  }
  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(bytesOf(data));
  }
  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.#hash.digest());
  }
}

function bytesOf(data: string | ArrayBuffer | ArrayBufferView): Buffer {
  if (typeof data === 'string') return Buffer.from(data);
  return ArrayBuffer.isView(data) ? Buffer.from(data.buffer, data.byteOffset, data.byteLength) : Buffer.from(data);
}

/** The value of the first element of this name. */
export const xmlText = (xml: string, name: string): string | undefined =>
  new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1]?.replaceAll('&amp;', '&');

/** What is in each element of this name. */
export const elementsIn = (xml: string, name: string): string[] =>
  xml
    .split(`<${name}>`)
    .slice(1)
    .map((rest) => rest.split(`</${name}>`)[0] ?? '');

interface Problem {
  readonly code: string | undefined;
  readonly detail: string | undefined;
}

/** The header names the exception, and may add where it is defined: `BadRequestException:http://internal.amazon.com/…`. */
function jsonProblem({ headers }: HttpAnswer, content: unknown): Problem {
  const named = textIn(headers, 'x-amzn-errortype') ?? textIn(content, '__type') ?? textIn(content, 'code');
  return {
    code: named?.replace(/^.*#/, '').replace(/:.*$/, ''),
    detail: textIn(content, 'message') ?? textIn(content, 'Message'),
  };
}

async function errorOf(
  call: string,
  answer: HttpAnswer,
  { code, detail, look }: Problem & { readonly look?: SesCall['look'] | undefined },
): Promise<ProviderError> {
  const { meaning, denies } = meaningOf(code);
  const isLookedAt = look !== undefined && (meaning === 'refused' || meaning === 'gone');
  const requestId = answer.headers['x-amzn-requestid'];
  const fields = errorFields(answer, detail);
  return new ProviderError(call, {
    ...{ ...fields, code, denies },
    // A look that fails says nothing of the answer.
    meaning: isLookedAt ? await look(meaning).catch(() => 'transient' as const) : meaning,
    mayHaveActed: fields.mayHaveActed && code !== 'ConcurrentModificationException',
    requestId: typeof requestId === 'string' ? requestId : undefined,
  });
}
