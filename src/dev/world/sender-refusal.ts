import { request } from 'node:http';
import { ProblemError, problemOf } from '../../lib/http/problem.ts';
import { problemCodes } from '../../lib/http/problem-codes.ts';
import { type LoopbackServer, serveOnLoopback } from '../serve-on-loopback.ts';

const code = 'domain_not_verified';
const { status, when } = problemCodes[code];
const refusal = JSON.stringify(problemOf(new ProblemError(code, when), 'req_demo'));

/** Answers POST /senders as the email service does for a domain that is not verified; forwards every other request. */
export const startSenderRefusal = (emailServiceUrl: string): Promise<LoopbackServer> =>
  serveOnLoopback((asked, answer) => {
    if (asked.method === 'POST' && asked.url === '/senders') {
      asked.resume();
      answer.writeHead(status, { 'content-type': 'application/problem+json' }).end(refusal);
      return;
    }
    const { method, headers } = asked;
    const forwarded = request(new URL(asked.url ?? '', emailServiceUrl), { method, headers }, (given) => {
      answer.writeHead(given.statusCode ?? 502, given.headers);
      given.pipe(answer);
    });
    forwarded.on('error', () => answer.destroy());
    asked.pipe(forwarded);
  });
