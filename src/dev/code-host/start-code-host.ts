import type { IncomingHttpHeaders } from 'node:http';
import type { HostUrls } from '../../agents-md/code-host.ts';
import {
  answerRequest,
  API,
  type CodeHostResponse,
  type HostedRepository,
  organizationIn,
  RAW,
  WEB,
} from './answer-request.ts';
import { serveOnLoopback } from '../serve-on-loopback.ts';

export interface CodeHostOptions {
  readonly repositories: readonly HostedRepository[];
  /** Organizations whose first requests receive 429 (RFC 6585 section 4). @default none */
  readonly throttles?: readonly Throttle[];
}

export interface Throttle {
  readonly organization: string;
  /** The number of refused requests. */
  readonly times: number;
  readonly retryAfterSeconds: number;
}

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  /** Undefined if the path contains none. */
  readonly organization: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly status: number;
}

export interface CodeHostServer {
  /** In place of github.com's. */
  readonly urls: HostUrls;
  /** In the order of arrival. */
  requests(): readonly ReceivedRequest[];
  stop(): Promise<void>;
}

/** A code host on loopback that answers as github.com does and records every request. */
export async function startCodeHost({ repositories, throttles = [] }: CodeHostOptions): Promise<CodeHostServer> {
  const requests: ReceivedRequest[] = [];
  const refusals = new Map(throttles.map(({ organization, times }) => [organization.toLowerCase(), times]));
  const refuse = (organization = ''): CodeHostResponse | undefined => {
    const left = refusals.get(organization.toLowerCase()) ?? 0;
    if (left === 0) return undefined;
    refusals.set(organization.toLowerCase(), left - 1);
    const throttle = throttles.find((one) => one.organization.toLowerCase() === organization.toLowerCase());
    return {
      status: 429,
      headers: { 'retry-after': String(throttle?.retryAfterSeconds ?? 1), 'content-type': 'text/plain; charset=utf-8' },
      body: '429: Too Many Requests',
    };
  };
  const { url: base, stop } = await serveOnLoopback((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const organization = organizationIn(url);
    const { 'if-none-match': ifNoneMatch } = request.headers;
    const { status, headers, body } = refuse(organization) ?? answerRequest(repositories, { url, ifNoneMatch });
    const { method = '', headers: sent } = request;
    requests.push({ method, path: url.pathname + url.search, organization, headers: sent, status });
    response.writeHead(status, headers).end(body);
  });
  return {
    urls: { raw: base + RAW, api: base + API, web: base + WEB },
    requests: () => requests,
    stop,
  };
}
