// Each request of an account to send awaits its turn, before its body is read, so that neighbours hardly notice a burst: what the account may
// send in a minute comes evenly over a minute. Then an account that is paused, or has sent as many emails as it may, is
// refused without a transaction. The exact count is that of the transaction that accepts an email (`countEmails`).
import type { FastifyRequest } from 'fastify';
import { setTimeout as pause } from 'node:timers/promises';
import { counted } from '../../lib/counted.ts';
import { ProblemError } from '../../lib/http/problem.ts';
import { createRequestSignals } from '../../lib/http/request-signals.ts';
import { createTurns } from '../../lib/timing/turns.ts';
import { withDeadline } from '../../lib/timing/with-deadline.ts';
import { type AccountCaller, accountCaller, accountOf } from '../auth/authentication.ts';
import { isRepetition } from '../idempotency/idempotency.ts';
import { rateLimitFields, type WindowUse } from '../resources/sending-limits.ts';
import type { AccountStanding } from '../store/api-keys.ts';
import { usesOf } from '../store/sending-limits.ts';
import { createSendingPace } from './sending-pace.ts';
import type { EmailServiceApp, ServiceParts } from './service-parts.ts';

/** Of a request for its turn, and again behind others of its account that are being accepted; it needs a time-out above both. */
const DELAY_MAX_MS = 5_000;
/** A shorter delay is left out, but counts for those that follow: to look again whether the account may send costs more. */
const DELAY_MIN_MS = 20;
const RETRY_AFTER_SECONDS = 5;
/** Of each account, so that one that sends many leaves the processor and the connections of the database to others; a second would only wait for its count. */
const ACCEPTED_AT_ONCE = 1;
/** Those that have had their turns may all have many emails, which only their bodies tell. */
const BETWEEN_MAX_MS = 1_000;
/** How long a pause or a revocation may take to hold for a request whose body arrives meanwhile. */
const JUDGED_FOR_MS = 1_000;

declare module 'fastify' {
  interface FastifyRequest {
    /** When its caller was last found to be one that may send; of `performance.now()`. */
    judgedAt: number;
  }
}

export interface SendingTurns {
  /** A hook that waits, and throws `account_paused` or `too_many_emails`, unless the request is a repetition. */
  readonly awaitTurn: (request: FastifyRequest) => Promise<void>;
  /**
   * Accepts the requests of an account that had their turns one after the other, and each that follows many emails some time later. Throws
   * as the hook, if the account may not send any more since its turn, or if many are before it.
   */
  readonly acceptAlone: <Result>(
    request: FastifyRequest,
    accept: (countAll: CountAll) => Promise<Result>,
  ) => Promise<Result>;
}

/**
 * Counts the emails of a request that had its turn as one; throws `too_many_emails` if several are more than the account may still send.
 * The count of the transaction decides, but it takes any first one of an account.
 */
export type CountAll = (emails: number) => void;

export function createSendingTurns(
  app: EmailServiceApp,
  { store, sealer, settings, authenticate }: Pick<ServiceParts, 'store' | 'sealer' | 'settings' | 'authenticate'>,
): SendingTurns {
  app.decorateRequest('judgedAt', 0);
  const pace = createSendingPace(DELAY_MAX_MS);
  const signalOf = createRequestSignals(app);
  const acceptTurns = createTurns(ACCEPTED_AT_ONCE);

  /** @returns whether the caller has hung up */
  async function waits(delayMs: number, request: FastifyRequest): Promise<boolean> {
    const { signal, end } = signalOf(request);
    await pause(delayMs, undefined, { signal }).catch(() => undefined);
    end();
    return request.raw.socket.destroyed;
  }

  const standingOf = ({ accountId, standing }: AccountCaller) => {
    const uses = usesOf(standing, settings.sendingLimits);
    const isFull = uses.some(({ used, limit }) => used >= limit);
    const refusal = accountPaused(standing) ?? (isFull ? tooManyEmails(uses) : undefined);
    const { limit: minuteLimit = 0 } = uses.find(({ name }) => name === 'minute') ?? {};
    return { uses, refusal, paced: { accountId, minuteLimit: refusal === undefined ? minuteLimit : 0 } };
  };

  /** As the account and its key stand now. */
  async function judgeAgain(request: FastifyRequest): Promise<ProblemError | undefined> {
    request.caller = await authenticate(request);
    request.judgedAt = performance.now();
    return standingOf(accountCaller(request)).refusal;
  }

  async function throwUnlessRepetition(request: FastifyRequest, refusal: ProblemError | undefined): Promise<void> {
    // What was accepted before stays repeatable.
    if (refusal !== undefined && !(await isRepetition({ store, sealer }, request))) throw refusal;
  }

  /** @returns the function that ends it */
  async function acceptTurn(request: FastifyRequest): Promise<() => void> {
    const accountId = accountOf(request);
    const { signal, end } = signalOf(request);
    return withDeadline(DELAY_MAX_MS, (inTime) => acceptTurns.begin(accountId, inTime), signal)
      .catch(() => {
        throw tooManyAtOnce();
      })
      .finally(end);
  }

  /** @returns how many milliseconds the turns of the emails take */
  function countAll(request: FastifyRequest, emails: number): number {
    if (emails === 1) return 0;
    const { uses, paced } = standingOf(accountCaller(request));
    if (uses.some(({ used, limit }) => used + emails > limit)) throw tooManyEmails(uses, emails);
    return pace.add(paced, emails - 1);
  }

  return {
    async awaitTurn(request) {
      request.judgedAt = performance.now();
      const { paced, ...atOnce } = standingOf(accountCaller(request));
      let { refusal } = atOnce;
      const delayMs = pace.take(paced);
      if (delayMs === undefined || delayMs >= DELAY_MIN_MS) {
        const isGone = await waits(delayMs ?? DELAY_MAX_MS, request);
        if (isGone && delayMs !== undefined) pace.giveBack(paced);
        if (isGone || delayMs === undefined) throw refusal ?? tooManyAtOnce();
        refusal = await judgeAgain(request);
      }
      await throwUnlessRepetition(request, refusal);
    },
    async acceptAlone(request, accept) {
      const endTurn = await acceptTurn(request);
      let takeMs = 0;
      try {
        if (performance.now() - request.judgedAt > JUDGED_FOR_MS)
          await throwUnlessRepetition(request, await judgeAgain(request));
        let countedMs = 0;
        const result = await accept((emails) => (countedMs = countAll(request, emails)));
        takeMs = Math.min(countedMs, BETWEEN_MAX_MS);
        return result;
      } finally {
        if (takeMs > 0) setTimeout(endTurn, takeMs).unref();
        else endTurn();
      }
    },
  };
}

const tooManyAtOnce = (): ProblemError =>
  new ProblemError(
    'too_many_emails',
    `This account sends faster than it may: so many of its requests wait in this process that the turn of this one would come later than in ${String(DELAY_MAX_MS / 1_000)} seconds. Send the request again in ${String(RETRY_AFTER_SECONDS)} seconds, with the same Idempotency-Key.`,
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  );

/** Not 202: a caller whose emails only pile up should hear of it. */
function accountPaused({ paused_at: at, pause_reason: reason }: AccountStanding): ProblemError | undefined {
  if (at === null) return undefined;
  return new ProblemError(
    'account_paused',
    `The operator must resume this account, paused at ${at}: ${String(reason)}`.replace(/[^.]$/, '$&.'),
  );
}

/**
 * Two requests at the limit can both be under it when they begin; the second one fails with its count.
 * One that asks for more than a whole window allows gets no Retry-After: no time lets it pass.
 */
export function tooManyEmails(uses: readonly WindowUse[], asked = 1): ProblemError {
  const headers = rateLimitFields(uses);
  const tooSmall = uses.filter(({ limit }) => asked > limit);
  if (tooSmall.length > 0) {
    const most = Math.min(...tooSmall.map(({ limit }) => limit));
    return new ProblemError(
      'too_many_emails',
      `The ${String(asked)} emails of this request exceed a whole limit of the account: ${limitsOf(tooSmall)}. Split it into requests of at most ${counted(most, 'email')}, each with an Idempotency-Key of its own.`,
      { headers },
    );
  }
  const full = uses.filter(({ used, limit }) => used + asked > limit);
  const retryAfterSeconds = Math.max(1, ...full.map(({ endsInSeconds }) => endsInSeconds));
  return new ProblemError(
    'too_many_emails',
    `${asked === 1 ? 'This account has sent as many emails as it may' : `The ${String(asked)} emails of this request are more than the account may still send`}: ${limitsOf(full)}. Send the request again in ${String(retryAfterSeconds)} seconds.`,
    { retryAfterSeconds, headers },
  );
}

const limitsOf = (uses: readonly WindowUse[]): string =>
  uses.map(({ limit, name }) => `${String(limit)} in a ${name}`.replace('a hour', 'an hour')).join(', ');
