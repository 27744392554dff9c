import type { FastifyRequest } from 'fastify';
import { setMaxListeners } from 'node:events';

/**
 * Calls back when the connection of a request is lost, at once if it has been. That is also known of a request that waits on its connection
 * behind another one, whose response tells nothing.
 * @returns ends that
 */
export function onHangUp({ raw: { socket } }: Pick<FastifyRequest, 'raw'>, then: () => void): () => void {
  // As many requests as a client has sent before their answers.
  setMaxListeners(0, socket);
  socket.once('close', then);
  if (socket.destroyed) then();
  return () => {
    socket.off('close', then);
  };
}
