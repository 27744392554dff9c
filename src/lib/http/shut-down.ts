// Without the delay, a load balancer would still send requests to a program that accepts none.
import type { FastifyInstance } from 'fastify';
import { setTimeout as pause } from 'node:timers/promises';

declare module 'fastify' {
  interface FastifyInstance {
    /** `begun` from the moment that the program is asked to stop. */
    shutdown: { begun: boolean };
  }
}

/** Sends `Connection: close` once the shutdown has begun: callers open their next connection at another instance. */
export function hangUpDuringShutdown(app: FastifyInstance): void {
  app.decorate('shutdown', { begun: false });
  app.addHook('preClose', async () => {
    app.shutdown.begun = true;
  });
  app.addHook('onSend', async (_request, reply) => {
    if (app.shutdown.begun) reply.header('connection', 'close');
  });
}

/**
 * Answers every request that is under way, then closes.
 *
 * @param delayMs how long new requests are answered too, while `/readyz` says that the program is stopping
 */
export async function shutDown(app: FastifyInstance, delayMs: number): Promise<void> {
  app.shutdown.begun = true;
  await pause(delayMs);
  await app.close();
}
