import type { IncomingHttpHeaders } from 'node:http';
import { onTestFinished } from 'vitest';
import { sendJson, startAnswerServer } from '../support/answer-server.ts';

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

/** An HTTP API that returns scripted answers and records its requests, until the test has ended. */
export async function startScriptedApi(): Promise<ScriptedApi> {
  const answers = new Map<string, (ApiAnswer | 'hang up')[]>();
  const requests: ApiRequest[] = [];
  const { baseUrl: url, close: stop } = await startAnswerServer(({ call, headers, body: sent }, response) => {
    const body: unknown = sent === '' ? undefined : JSON.parse(sent);
    requests.push({ call, authorization: headers.authorization, headers, body });
    const [next, ...later] = answers.get(call) ?? [notFound];
    if (later.length > 0) answers.set(call, later);
    if (next === undefined || next === 'hang up') response.destroy();
    else sendJson(response, next.status, next.body);
  });
  onTestFinished(stop);
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
