import type { FastifyInstance } from 'fastify';

/** Sends `Connection: close` while closing: an idle keep-alive connection would delay the end of the program. */
export function hangUpWhenClosing(app: FastifyInstance): void {
  let closing = false;
  app.addHook('preClose', async () => {
    closing = true;
  });
  app.addHook('onSend', async (_request, reply) => {
    if (closing) reply.header('connection', 'close');
  });
}
