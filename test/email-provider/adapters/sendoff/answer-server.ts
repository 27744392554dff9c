import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A provider that answers every request in one way. */
export interface AnswerServer {
  readonly baseUrl: string;
  answer: Answer;
  close(): Promise<void>;
}

export async function startAnswerServer(): Promise<AnswerServer> {
  const server: Server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      running.answer(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const running: AnswerServer = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answer: (_request, response) => response.writeHead(500).end(),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return running;
}
