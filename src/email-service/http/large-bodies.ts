// A body with attachments is megabytes in memory until it is stored, so only a few are read at once. A request waits for its turn with its body on
// the wire, where it costs nothing: a refusal would come too early for callers that send some together. One account gets not all turns, and a slow
// line none that another account waits for: a turn is for the memory of a body, not for the time that its sender takes.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { onHangUp } from '../../lib/http/on-hang-up.ts';
import { ProblemError } from '../../lib/http/problem.ts';
import { createTurns } from '../../lib/timing/turns.ts';
import { withDeadline } from '../../lib/timing/with-deadline.ts';
import { readableBy } from '../auth/authentication.ts';
import type { EmailServiceApp, ServiceParts } from './service-parts.ts';

/** What a large text with its HTML has; smaller bodies need no turn. */
const LARGE_BYTES = 1_000_000;
const AT_ONCE = 2;
const OF_AN_ACCOUNT_AT_ONCE = 1;
/** Each costs a connection. */
const WAITING_MAX = 500;
/** With the seconds before it for the account's turn to send, half of the time that a request may take to arrive, which goes on meanwhile. */
const WAIT_MS = 10_000;
const RETRY_AFTER_SECONDS = 5;
const LOOKED_AT_EVERY_MS = 2_000;
/** 8 Mbit/s: 10 MB in base64 then arrive in half of the time that a request may take. */
const PACE_BYTES = LOOKED_AT_EVERY_MS * 1_000;

declare module 'fastify' {
  interface FastifyRequest {
    /** Call it when the content of a large body is no longer needed. */
    endLargeBody: (() => void) | null;
  }
}

/** A hook that waits for the turn of a large body, and throws `too_many_large_requests` if it takes too long. */
export function awaitTurnOfLargeBodies(
  app: EmailServiceApp,
  { largeBodyWaitMs = WAIT_MS }: Pick<ServiceParts, 'largeBodyWaitMs'>,
): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  app.decorateRequest('endLargeBody', null);
  const all = createTurns(AT_ONCE);
  const ofAccount = createTurns(OF_AN_ACCOUNT_AT_ONCE);
  let waiting = 0;
  /** Requests whose accounts have no large body that is being read. */
  let awaitedByOthers = 0;

  /** Ends the reading of a body that arrives too slowly, and with it its turn, as soon as another account waits for one. */
  function watchPace({ raw }: FastifyRequest, end: () => void): () => void {
    let read = raw.socket.bytesRead;
    const watch = setInterval(() => {
      const isSlow = raw.socket.bytesRead - read < PACE_BYTES;
      read = raw.socket.bytesRead;
      if (raw.complete) clearInterval(watch);
      else if (isSlow && awaitedByOthers > 0) {
        end();
        // Fastify answers it: the stream of a body that its sender breaks off has such an error, too.
        raw.emit('error', tooSlow());
      }
    }, LOOKED_AT_EVERY_MS);
    return () => {
      clearInterval(watch);
    };
  }

  return async (request, reply) => {
    // Absent, if the length is not known before.
    if (Number(request.headers['content-length'] ?? Infinity) <= LARGE_BYTES) return;
    if (waiting >= WAITING_MAX) throw tooMany();
    const { accountId } = readableBy(request);
    /** What ends its turns, and what goes on as long as it has them. */
    const turns: (() => void)[] = [];
    const gone = new AbortController();
    const end = (): void => {
      gone.abort();
      for (const endTurn of turns.splice(0)) endTurn();
    };
    request.endLargeBody = end;
    reply.raw.once('close', onHangUp(request, end));
    reply.raw.once('close', end);
    waiting += 1;
    try {
      await withDeadline(
        largeBodyWaitMs,
        async (signal) => {
          turns.push(await ofAccount.begin(accountId, signal));
          awaitedByOthers += 1;
          turns.push(await all.begin('', signal).finally(() => (awaitedByOthers -= 1)));
          turns.push(watchPace(request, end));
        },
        gone.signal,
      );
    } catch {
      end();
      throw tooMany();
    } finally {
      waiting -= 1;
    }
    // The caller has hung up in between.
    if (gone.signal.aborted) end();
  };
}

const tooMany = (): ProblemError =>
  new ProblemError(
    'too_many_large_requests',
    `This process is reading as many large bodies as it can hold. ${REPEAT}`,
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  );

const tooSlow = (): ProblemError =>
  new ProblemError(
    'too_many_large_requests',
    `This body arrived with less than 1 MB a second while other large ones waited. ${REPEAT}`,
    // The rest of it is not read.
    { retryAfterSeconds: RETRY_AFTER_SECONDS, headers: { connection: 'close' } },
  );

const REPEAT = `Send the request again in ${String(RETRY_AFTER_SECONDS)} seconds, with the same Idempotency-Key.`;
