import type { RelayReply } from '../../../src/dev/relay.ts';
import { type ProblemCode, problemCodes } from '../../../src/lib/http/problem-codes.ts';

/** An error as the email service itself would answer it. */
export function problemAnswer(code: ProblemCode, retryAfterSeconds?: number): RelayReply {
  const { status, title, when } = problemCodes[code];
  return problem({ code, status, title, detail: when }, retryAfterSeconds);
}

/** RFC 6585 section 4. The email service has no limit of its own; other providers have. */
export const tooManyRequests = (retryAfterSeconds: number): RelayReply =>
  problem(
    { code: 'rate_limited', status: 429, title: 'Too many requests', detail: 'Ask again when Retry-After is over.' },
    retryAfterSeconds,
  );

/** What a gateway in front of a provider answers: no problem details, not even JSON. */
export const badGateway: RelayReply = {
  status: 502,
  headers: { 'content-type': 'text/html' },
  body: '<html><body><h1>502 Bad Gateway</h1></body></html>',
};

/** What anything between the orchestrator and the provider may answer: a log-in page, a block, a missing route. */
export const proxyPage = (status: number): RelayReply => ({
  status,
  headers: { 'content-type': 'text/html', ...(status >= 300 && status <= 399 ? { location: '/login' } : {}) },
  body: `<html><body><h1>${status}</h1></body></html>`,
});

/** RFC 9457. */
function problem(
  content: { code: string; status: number; title: string; detail: string },
  retryAfterSeconds: number | undefined,
): RelayReply {
  return {
    status: content.status,
    headers: {
      'content-type': 'application/problem+json',
      ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
    },
    body: JSON.stringify({ ...content, request_id: 'req_scripted' }),
  };
}
