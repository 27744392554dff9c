import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { HttpApp } from '../lib/http/create-http-app.ts';

/** Time after which a listener that takes no bytes is dropped; heartbeats are sent more often. */
const STALLED_MS = 60_000;

/** The streams of Server-Sent Events (HTML, section 9.2) that one plugin holds open; they end with the server. */
export function createEventStreams(app: HttpApp, stalledMs = STALLED_MS) {
  const open = new Map<AbortController, string | undefined>();
  app.addHook('preClose', async () => {
    for (const stream of open.keys()) stream.abort();
  });

  return {
    /** How many are open: of the tenant, or all. */
    count: (tenantId?: string): number =>
      tenantId === undefined ? open.size : [...open.values()].filter((other) => other === tenantId).length,
    /** Counts the stream until its connection closes, and aborts then. */
    open(request: FastifyRequest, reply: FastifyReply, tenantId?: string): AbortSignal {
      const ended = new AbortController();
      open.set(ended, tenantId);
      reply.raw.once('close', () => {
        ended.abort();
        open.delete(ended);
      });
      request.raw.socket.setTimeout(stalledMs);
      return ended.signal;
    },
    /** Answers with the stream, which is read only as fast as the connection takes it. */
    send: (reply: FastifyReply, frames: AsyncIterable<string>): FastifyReply =>
      reply
        .type('text/event-stream')
        // An idle connection would delay the end of the server.
        .headers({ 'cache-control': 'no-store', 'x-accel-buffering': 'no', connection: 'close' })
        .send(Readable.from(frames)),
  };
}
