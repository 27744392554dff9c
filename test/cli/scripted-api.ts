import type { IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { serveOnLoopback } from '../../src/dev/serve-on-loopback.ts';

export interface ApiRequest {
  /** `GET /agents-md-checks/acme` */
  readonly call: string;
  readonly authorization: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

export interface ApiAnswer {
  readonly status: number;
  readonly body?: unknown;
}

export interface ScriptedApi {
  readonly url: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly requests: ApiRequest[];
  /** The answers to a call in order; the last one repeats. Calls without an answer get 404. */
  answer(call: string, ...answers: (ApiAnswer | 'hang up')[]): void;
  calls(): string[];
  stop(): Promise<void>;
}

/** An HTTP API that returns scripted answers and records its requests. */
export async function startScriptedApi(): Promise<ScriptedApi> {
  const answers = new Map<string, (ApiAnswer | 'hang up')[]>();
  const requests: ApiRequest[] = [];
  const { url, stop } = await serveOnLoopback((request, response) => {
    void text(request).then((sent) => {
      const call = `${request.method ?? ''} ${request.url ?? ''}`;
      requests.push({
        call,
        authorization: request.headers.authorization,
        headers: request.headers,
        body: sent === '' ? undefined : (JSON.parse(sent) as unknown),
      });
      const [next, ...later] = answers.get(call) ?? [notFound];
      if (later.length > 0) answers.set(call, later);
      if (next === undefined || next === 'hang up') {
        request.socket.destroy();
        return;
      }
      response.writeHead(next.status, { 'content-type': 'application/json' });
      response.end(next.body === undefined ? undefined : JSON.stringify(next.body));
    });
  });
  return {
    url,
    environment: { SENDOFF_URL: url, SENDOFF_API_TOKEN: 'token' },
    requests,
    answer: (call, ...all) => void answers.set(call, all),
    calls: () => requests.map(({ call }) => call),
    stop,
  };
}

const notFound: ApiAnswer = { status: 404, body: { code: 'not_found', detail: 'Nothing is known of it' } };
