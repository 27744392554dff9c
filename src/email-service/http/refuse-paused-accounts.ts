// An account that is paused, or has sent as many emails as it may, often goes on asking as fast as it is answered. So it is refused
// before the body of its request is read, without a transaction, and at a bounded rate. The exact count is that of the transaction that
// accepts an email (`countEmails`).
import type { FastifyRequest } from 'fastify';
import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { counted } from '../../lib/counted.ts';
import { ProblemError } from '../../lib/http/problem.ts';
import { callerOf } from '../auth/authentication.ts';
import { isRepetition } from '../idempotency/idempotency.ts';
import { rateLimitFields, reached, type WindowUse } from '../resources/sending-limits.ts';
import type { AccountStanding } from '../store/api-keys.ts';
import { usesOf } from '../store/sending-limits.ts';
import { createRefusalPace } from './refusal-pace.ts';
import type { EmailServiceApp, ServiceParts } from './service-parts.ts';

/** A hook that throws `account_paused` or `too_many_emails`, unless the request is a repetition. */
export function refuseAccountsThatMayNotSend(
  app: EmailServiceApp,
  { store, sealer, settings }: Pick<ServiceParts, 'store' | 'sealer' | 'settings'>,
): (request: FastifyRequest) => Promise<void> {
  const delayOf = createRefusalPace();
  const closing = new AbortController();
  // Each refusal that waits has one.
  setMaxListeners(0, closing.signal);
  app.addHook('preClose', async () => {
    closing.abort();
  });
  return async (request) => {
    const caller = callerOf(request);
    if (caller.kind === 'operator') return;
    const uses = usesOf(caller.standing, settings.sendingLimits);
    const refusal = accountPaused(caller.standing) ?? (reached(uses).length > 0 ? tooManyEmails(uses) : undefined);
    // What was accepted before stays repeatable.
    if (refusal === undefined || (await isRepetition({ store, sealer }, request))) return;
    const delayMs = delayOf(caller.accountId);
    if (delayMs > 0) await pause(delayMs, undefined, { signal: closing.signal }).catch(() => undefined);
    throw refusal;
  };
}

/**
 * Throws `too_many_emails` if several are more than the account may still send. The count of the transaction decides, but it takes any
 * first one of an account.
 */
export function refuseAboveLimit(
  request: FastifyRequest,
  count: number,
  { sendingLimits }: Pick<ServiceParts['settings'], 'sendingLimits'>,
): void {
  const caller = callerOf(request);
  if (count === 1 || caller.kind === 'operator') return;
  const uses = usesOf(caller.standing, sendingLimits);
  if (uses.some(({ used, limit }) => used + count > limit)) throw tooManyEmails(uses, count);
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
