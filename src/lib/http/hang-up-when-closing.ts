// Leaf library: what both HTTP programs do when they stop.
import type { FastifyInstance } from 'fastify';

/**
 * Answers what is under way with `Connection: close`. A client that keeps its connection for the next request would
 * otherwise keep the program from ending for as long as the keep-alive time-out.
 */
export function hangUpWhenClosing(app: FastifyInstance): void {
  let closing = false;
  app.addHook('preClose', async () => {
    closing = true;
  });
  app.addHook('onSend', async (_request, reply) => {
    if (closing) reply.header('connection', 'close');
  });
}
