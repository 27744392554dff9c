import type { FastifyRequest } from 'fastify';
import { UnsealError, type Sealer } from '../../lib/sealing.ts';
import { ProblemError } from '../http/errors.ts';
import { readIdempotencyKey, requestFingerprint } from './idempotency-key.ts';
import {
  claimIdempotencyKey,
  eraseExpiredSecrets,
  findIdempotencyKey,
  storeAnswer,
  type KeyPlace,
} from '../store/idempotency-keys.ts';
import type { Store, StoreTransaction } from '../store/open-store.ts';
import type { IdempotencyKeyTable } from '../store/schema.ts';
import { sealingContext } from '../store/sealed-secrets.ts';
import { createKeyedMutex } from './keyed-mutex.ts';

/** Long enough for a caller that crashed between answer and storing to come back; not longer, because it is a credential. */
const SECRET_REPLAY_MS = 24 * 60 * 60 * 1000;
/** What a caller is told to wait when the first request is still under way; that takes milliseconds as a rule. */
const IN_PROGRESS_RETRY_SECONDS = 1;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What POST /emails asks for; optional on every other POST. */
    idempotencyKey?: 'required';
  }
}

export interface Answer<Body extends object> {
  readonly status: 201 | 202;
  readonly body: Body;
  /** Fields of the answer that are shown once: replayed for a day, and stored sealed for no longer. */
  readonly secret?: Partial<Body>;
}

export interface Creation<Body extends object> {
  /** Everything that is written, in one transaction with the Idempotency-Key. Throws ProblemError to refuse. */
  readonly create: (transaction: StoreTransaction) => Promise<Answer<Body>>;
  readonly afterCommit?: () => void;
}

/** What is set of a reply here; the route itself returns the body, so that the compiler holds it against its schema. */
export interface AnswerHead {
  code(status: number): unknown;
  header(name: string, value: string): unknown;
}

/**
 * Answers a POST: creates once, however often the request comes with the same Idempotency-Key. Only what was created
 * is remembered: a refusal (4xx) stores nothing, so that the caller may mend the cause and use the same key again.
 *
 * `prepare` does what takes time and needs no transaction; it is not called for a replay.
 */
export type CreateOnce = <Body extends object>(
  request: FastifyRequest,
  reply: AnswerHead,
  prepare: Prepare<Body>,
) => Promise<Body>;

export type Prepare<Body extends object> = () => Creation<Body> | Promise<Creation<Body>>;

export interface CreateOnceParts {
  readonly store: Store;
  readonly sealer: Sealer;
  readonly now: () => Date;
  /** How long a request waits for another one with its key before it is answered `idempotency_in_progress`. */
  readonly waitMs: number;
}

export function createCreateOnce(parts: CreateOnceParts): CreateOnce {
  const turns = createKeyedMutex(parts.waitMs);
  return async (request, reply, prepare) => {
    const claim = claimOf(request);
    if (claim === undefined) {
      const { create, afterCommit } = await prepare();
      const answer = await parts.store.transaction().execute(create);
      afterCommit?.();
      return sendFirst(reply, answer);
    }
    const endTurn = await turns.take(JSON.stringify([claim.owner, claim.key]));
    if (endTurn === undefined) throw inProgress();
    try {
      return await createOrReplay(parts, claim, request, reply, prepare);
    } finally {
      endTurn();
    }
  };
}

async function createOrReplay<Body extends object>(
  parts: CreateOnceParts,
  claim: Claim,
  request: FastifyRequest,
  reply: AnswerHead,
  prepare: Prepare<Body>,
): Promise<Body> {
  const { store } = parts;
  const stored = await findIdempotencyKey(store, claim);
  if (stored !== undefined) return replay(parts, request, reply, claim, stored) as Body;
  const { create, afterCommit } = await prepare();
  const answer = await store.transaction().execute((transaction) => createWithClaim(parts, transaction, claim, create));
  if (answer !== undefined) {
    afterCommit?.();
    return sendFirst(reply, answer);
  }
  // Another process was faster; its transaction is over, or claiming would still be waiting for it.
  const first = await findIdempotencyKey(store, claim);
  if (first === undefined) throw inProgress();
  return replay(parts, request, reply, claim, first) as Body;
}

interface Claim extends KeyPlace {
  readonly fingerprint: string;
}

function claimOf(request: FastifyRequest): Claim | undefined {
  const key = readIdempotencyKey(request.headers['idempotency-key']);
  if (key === undefined) {
    if (request.routeOptions.config.idempotencyKey !== 'required') return undefined;
    throw new ProblemError(
      'idempotency_key_required',
      'Send an Idempotency-Key header that is new for every email and the same for every repeat of it.',
    );
  }
  const [path = ''] = request.url.split('?');
  return {
    owner: request.caller?.kind === 'account' ? request.caller.accountId : 'operator',
    key,
    fingerprint: requestFingerprint(request.method, path, request.body),
  };
}

/** Undefined when the key is taken. */
async function createWithClaim<Body extends object>(
  { sealer, now }: CreateOnceParts,
  transaction: StoreTransaction,
  claim: Claim,
  create: Creation<Body>['create'],
): Promise<Answer<Body> | undefined> {
  const claimedAt = now();
  if (!(await claimIdempotencyKey(transaction, claim, claim.fingerprint, claimedAt))) return undefined;
  const answer = await create(transaction);
  const { secret } = answer;
  if (secret !== undefined) await eraseExpiredSecrets(transaction, claimedAt);
  await storeAnswer(transaction, claim, {
    response_status: answer.status,
    response_body: JSON.stringify(answer.body),
    sealed_secret:
      secret === undefined ? null : sealer.seal(JSON.stringify(secret), sealingContext.oneTimeSecret(claim)),
    secret_expires_at: secret === undefined ? null : new Date(claimedAt.getTime() + SECRET_REPLAY_MS).toISOString(),
  });
  return answer;
}

function sendFirst<Body extends object>(reply: AnswerHead, { status, body, secret }: Answer<Body>): Body {
  reply.code(status);
  return { ...body, ...secret };
}

function replay(
  parts: CreateOnceParts,
  request: FastifyRequest,
  reply: AnswerHead,
  claim: Claim,
  stored: IdempotencyKeyTable,
): object {
  if (stored.fingerprint !== claim.fingerprint) {
    throw new ProblemError(
      'idempotency_key_reused',
      `This Idempotency-Key belongs to another request, first seen at ${stored.created_at}. Use a new key for a new request.`,
      { existingId: (JSON.parse(stored.response_body) as { id: string }).id },
    );
  }
  reply.code(stored.response_status);
  reply.header('idempotent-replayed', 'true');
  const body = JSON.parse(stored.response_body) as object;
  if (stored.secret_expires_at === null) return body;
  return { ...body, ...(openSecret(parts, request, stored) ?? { secret_unavailable: true }) };
}

function openSecret(
  { sealer, now }: CreateOnceParts,
  request: FastifyRequest,
  stored: IdempotencyKeyTable,
): object | undefined {
  const { sealed_secret: sealed, secret_expires_at: expiry } = stored;
  if (sealed === null || expiry === null || expiry <= now().toISOString()) return undefined;
  try {
    return JSON.parse(sealer.open(sealed, sealingContext.oneTimeSecret(stored))) as object;
  } catch (error) {
    // The key it was sealed with is no longer configured: the secret is lost, the rest of the answer is not.
    if (!(error instanceof UnsealError)) throw error;
    request.log.warn({ err: error }, 'a secret cannot be replayed');
    return undefined;
  }
}

const inProgress = (): ProblemError =>
  new ProblemError(
    'idempotency_in_progress',
    'The first request with this Idempotency-Key has not been answered yet. Send the same request again a little later.',
    { retryAfterSeconds: IN_PROGRESS_RETRY_SECONDS },
  );
