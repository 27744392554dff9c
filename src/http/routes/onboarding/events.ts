import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { HttpApp } from '../../../lib/http/create-http-app.ts';
import { ProblemError } from '../../../lib/http/problem.ts';
import type { OnboardingEvent } from '../../../onboarding/onboarding-events.ts';
import type { HttpDependencies } from '../../dependencies.ts';
import { createEventFeed, type EventFeed } from '../../event-feed.ts';
import { noOnboarding } from '../../no-onboarding.ts';
import { TenantParams } from '../../schemas/onboarding.ts';
import { problemResponses } from '../../schemas/problem-responses.ts';
import { described, strictObject } from '../../schemas/shared-schema.ts';

/** Each listener holds a connection. */
const STREAMS_MAX = 200;
/** Time after which a listener that takes no bytes is dropped; heartbeats are sent more often. */
const STALLED_MS = 60_000;
/** Proxies close a connection that is silent for a minute. */
const HEARTBEAT_MS = 15_000;
const RECONNECT_MS = 2_000;

const LastEventId = Type.Object({
  'last-event-id': Type.Optional(
    Type.String({ description: 'The `id` of the last event that the listener has; 0 for all that are kept.' }),
  ),
});

const Reset = strictObject({ lastEventId: Type.Integer(), oldest: Type.Integer(), latest: Type.Integer() });

const Events = {
  description: 'Server-Sent Events, until the listener or the server closes the connection.',
  content: {
    'text/event-stream': {
      schema: described('One event.', {
        id: Type.String(),
        event: Type.String({ description: 'The type of the event, `heartbeat` or `reset`.' }),
        data: Type.String({
          description:
            'JSON: of a change, an Event; of a reset, the range of events that are kept; of a heartbeat, an empty object.',
          contentMediaType: 'application/json',
          contentSchema: { anyOf: [{ $ref: 'Event#' }, Reset, { type: 'object', maxProperties: 0 }] },
        }),
      }),
    },
  },
};

/** Streams the events of one tenant and of all, resumable by Last-Event-ID (HTML, section 9.2). */
export function eventRoutes(
  app: HttpApp,
  { register, views }: Pick<HttpDependencies, 'register' | 'views'>,
  { stalledMs = STALLED_MS }: { readonly stalledMs?: number } = {},
): void {
  const feed = createEventFeed(register, (error) => {
    app.log.warn({ err: error }, 'cannot read events');
  });
  const open = new Set<AbortController>();
  app.addHook('preClose', async () => {
    feed.close();
    for (const stream of open) stream.abort();
  });

  app.get(
    '/onboardings/:tenantId/events',
    {
      exposeHeadRoute: false,
      schema: {
        operationId: 'streamOnboardingEvents',
        summary: 'The events of a tenant as they happen (Server-Sent Events)',
        params: TenantParams,
        headers: LastEventId,
        response: { 200: Events, ...problemResponses('withoutBody', 'not_found', 'too_many_streams') },
      },
    },
    async (request, reply) => {
      const { tenantId } = request.params;
      if ((await views.get(tenantId)) === undefined) return noOnboarding(tenantId);
      return stream(request, reply, tenantId);
    },
  );

  app.get(
    '/events',
    {
      exposeHeadRoute: false,
      schema: {
        operationId: 'streamEvents',
        summary: 'The events of all tenants as they happen (Server-Sent Events)',
        headers: LastEventId,
        response: { 200: Events, ...problemResponses('withoutBody', 'too_many_streams') },
      },
    },
    async (request, reply) => stream(request, reply, undefined),
  );

  async function stream(
    request: FastifyRequest,
    reply: FastifyReply,
    tenantId: string | undefined,
  ): Promise<FastifyReply> {
    const lastEventId = readLastEventId(request.headers['last-event-id']);
    if (open.size >= STREAMS_MAX) {
      const detail = `This server has ${STREAMS_MAX} open event streams.`;
      throw new ProblemError('too_many_streams', detail, { retryAfterSeconds: 30 });
    }
    const ended = new AbortController();
    open.add(ended);
    reply.raw.once('close', () => {
      ended.abort();
      open.delete(ended);
    });
    request.raw.socket.setTimeout(stalledMs);
    const range = await register.eventRange();
    // Read only as fast as the connection takes it.
    const stream = Readable.from(frames(feed, { lastEventId, range, tenantId, signal: ended.signal }));
    return (
      reply
        .type('text/event-stream')
        // An idle connection would delay the end of the server.
        .headers({ 'cache-control': 'no-store', 'x-accel-buffering': 'no', connection: 'close' })
        .send(stream)
    );
  }
}

interface Listener {
  /** Undefined: only what happens from now on. */
  readonly lastEventId: number | undefined;
  readonly range: { readonly oldest: number; readonly latest: number };
  readonly tenantId: string | undefined;
  readonly signal: AbortSignal;
}

async function* frames(feed: EventFeed, { lastEventId, range, tenantId, signal }: Listener): AsyncGenerator<string> {
  const { oldest, latest } = range;
  let position = lastEventId ?? latest;
  yield `retry: ${RECONNECT_MS}\n\n`;
  // Either end of what is kept: events were deleted, or the database was restored from an earlier backup.
  const isTooOld = position > 0 && position < oldest - 1;
  if (isTooOld || position > latest) {
    position = isTooOld ? oldest - 1 : latest;
    yield frame({ id: position, event: 'reset', data: { lastEventId, oldest, latest } });
  }
  // A listener that has no ID yet continues from here if its connection breaks before the first event.
  yield heartbeat(position);
  while (!signal.aborted) {
    const page = await feed.next({ after: position, tenantId, waitMs: HEARTBEAT_MS, signal });
    ({ position } = page);
    for (const event of page.events) yield frame({ id: event.id, event: event.type, data: contentOf(event) });
    // The ID of a heartbeat moves a listener on past the events of other tenants.
    if (page.events.length === 0) yield heartbeat(position);
  }
}

const heartbeat = (position: number): string => frame({ id: position, event: 'heartbeat', data: {} });

const frame = ({ id, event, data }: { id: number; event: string; data: object }): string =>
  `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

const contentOf = ({ eventId, tenantId, attemptId, type, at, data }: OnboardingEvent) => ({
  ...{ eventId, tenantId, attemptId, type, at, data },
});

function readLastEventId(header: string | string[] | undefined): number | undefined {
  if (header === undefined) return undefined;
  if (typeof header === 'string' && /^\d{1,15}$/.test(header)) return Number(header);
  const detail = `Last-Event-ID must be the id of an event, a number; found ${JSON.stringify(header).slice(0, 80)}.`;
  throw new ProblemError('malformed_request', detail);
}
