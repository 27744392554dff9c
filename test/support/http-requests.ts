import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { expect } from 'vitest';
import { type ProblemCode, problemCodes } from '../../src/lib/http/problem-codes.ts';

export const API_TOKEN = 'a-token-of-the-backend-long-enough';
export const authorization = `Bearer ${API_TOKEN}`;

/** Sends a request with the API's token, and its body as JSON. */
export const request = (
  app: FastifyInstance,
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  url: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<LightMyRequestResponse> =>
  app.inject({
    method,
    url,
    headers: { authorization, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  });

export function expectProblem(answer: LightMyRequestResponse, code: ProblemCode): void {
  expect(answer.headers['content-type']).toBe('application/problem+json; charset=utf-8');
  expect(answer.json()).toMatchObject({ code, status: problemCodes[code].status, title: problemCodes[code].title });
  expect(answer.statusCode).toBe(problemCodes[code].status);
}

/** The fields that the API has refused. */
export const pointersOf = (answer: LightMyRequestResponse): string[] =>
  answer.json<{ errors: { pointer: string }[] }>().errors.map(({ pointer }) => pointer);
