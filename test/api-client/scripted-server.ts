import type { ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { type ReceivedRequest, startAnswerServer } from '../support/answer-server.ts';

/** An HTTP server for one test that answers its requests in order, the last answer again and again. */
export async function startScriptedServer(
  ...answers: ((response: ServerResponse, request: ReceivedRequest) => void)[]
) {
  const { baseUrl, requests, close } = await startAnswerServer((request, response) => {
    answers[Math.min(requests.length, answers.length) - 1]?.(response, request);
  });
  onTestFinished(close);
  return { baseUrl, requests };
}
