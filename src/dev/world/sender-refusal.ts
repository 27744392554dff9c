import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { problemCodes } from '../../lib/http/problem-codes.ts';

export interface SenderRefusal {
  readonly url: string;
  stop(): Promise<void>;
}

/** Answers POST /senders as the email service does for a domain that is not verified; forwards every other request. */
export async function startSenderRefusal(emailServiceUrl: string): Promise<SenderRefusal> {
  const code = 'domain_not_verified';
  const { status, title, when } = problemCodes[code];
  const refusal = JSON.stringify({ code, status, title, detail: when, request_id: 'req_demo' });
  const server = createServer((asked, answer) => {
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
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}
