// What an account sends has its turn before the body of the request is read: as fast as its limit of a minute allows twice, so that its
// neighbours hardly notice a burst. Then an account that is paused, or has sent as many emails as it may, is refused without a
// transaction. The exact count is that of the transaction that accepts an email (`countEmails`).
import type { FastifyRequest } from 'fastify';
import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { counted } from '../../lib/counted.ts';
import { ProblemError } from '../../lib/http/problem.ts';
import { type AccountCaller, callerOf } from '../auth/authentication.ts';
import { isRepetition } from '../idempotency/idempotency.ts';
import { rateLimitFields, reached, type WindowUse } from '../resources/sending-limits.ts';
import type { AccountStanding } from '../store/api-keys.ts';
import { usesOf } from '../store/sending-limits.ts';
import { createSendingPace } from './sending-pace.ts';
import type { EmailServiceApp, ServiceParts } from './service-parts.ts';

export interface SendingTurns {
  /** A hook that waits, and throws `account_paused` or `too_many_emails`, unless the request is a repetition. */
  readonly awaitTurn: (request: FastifyRequest) => Promise<void>;
  /**
   * Counts the emails of a request that had its turn as one; throws `too_many_emails` if several are more than the account may still send.
   * The count of the transaction decides, but it takes any first one of an account.
   */
  readonly countAll: (request: FastifyRequest, emails: number) => void;
}

export function createSendingTurns(
  app: EmailServiceApp,
  { store, sealer, settings, authenticate }: Pick<ServiceParts, 'store' | 'sealer' | 'settings' | 'authenticate'>,
): SendingTurns {
  const delayOf = createSendingPace();
  const closing = new AbortController();
  // Each request that waits has one.
  setMaxListeners(0, closing.signal);
  app.addHook('preClose', async () => {
    closing.abort();
  });

  const standingOf = ({ standing }: AccountCaller) => {
    const uses = usesOf(standing, settings.sendingLimits);
    return {
      uses,
      minuteLimit: uses.find(({ name }) => name === 'minute')?.limit ?? 0,
      refusal: accountPaused(standing) ?? (reached(uses).length > 0 ? tooManyEmails(uses) : undefined),
    };
  };

  return {
    async awaitTurn(request) {
      const caller = callerOf(request);
      if (caller.kind === 'operator') return;
      const { accountId } = caller;
      const { minuteLimit, refusal: atOnce } = standingOf(caller);
      const delayMs = delayOf({ accountId, minuteLimit: atOnce === undefined ? minuteLimit : 0, emails: 1 });
      let refusal = atOnce;
      if (delayMs > 0) {
        await pause(delayMs, undefined, { signal: closing.signal }).catch(() => undefined);
        // The account may be paused now, or the key revoked.
        const now = (request.caller = await authenticate(request));
        if (now.kind === 'account') ({ refusal } = standingOf(now));
      }
      // What was accepted before stays repeatable.
      if (refusal === undefined || (await isRepetition({ store, sealer }, request))) return;
      throw refusal;
    },
    countAll(request, emails) {
      const caller = callerOf(request);
      if (emails === 1 || caller.kind === 'operator') return;
      const { accountId } = caller;
      const { uses, minuteLimit } = standingOf(caller);
      delayOf({ accountId, minuteLimit, emails: emails - 1 });
      if (uses.some(({ used, limit }) => used + emails > limit)) throw tooManyEmails(uses, emails);
    },
  };
}

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
