import { inTransaction } from '../../lib/sql/transactions.ts';
import type { FastifyRequest } from 'fastify';
import { UnsealError, type Sealer } from '../../lib/sealing.ts';
import { ProblemError } from '../../lib/http/problem.ts';
import { createTurns } from '../../lib/timing/turns.ts';
import { withDeadline } from '../../lib/timing/with-deadline.ts';
import { readIdempotencyKey } from '../../lib/http/read-idempotency-key.ts';
import { takeIdempotencyKey, findIdempotencyKey, storeAnswer, type KeyPlace } from '../store/idempotency-keys.ts';
import type { Store, StoreTransaction } from '../store/open-store.ts';
import type { IdempotencyKeyTable } from '../store/schema.ts';
import { sha256Hex } from '../auth/api-key-token.ts';
import { marksOf } from '../auth/authentication.ts';
import { type ErasureMarks, markOf } from '../store/erasure-marks.ts';
import { sealingContext } from '../store/sealed-secrets.ts';

/** Long enough for a caller that crashed before it stored the secret; not longer, because it is a credential. */
const SECRET_REPLAY_MS = 24 * 60 * 60 * 1000;
/** The first request usually takes milliseconds. */
const IN_PROGRESS_RETRY_SECONDS = 1;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set on POST /emails; every other POST accepts the header. */
    idempotencyKey?: 'required';
    /** Set where the answer to one API key must not be replayed to another key of its account. */
    idempotencyOwner?: 'key';
  }
}

interface CreationAnswer<Body extends object> {
  readonly status: 201 | 202;
  readonly body: Body;
  /** Fields that are shown once: stored sealed and replayed for a day. */
  readonly secret?: Partial<Body>;
  /** ID of the email that it created: the key is kept as long as the email. */
  readonly emailId?: string;
}

interface Creation<Body extends object> {
  /** All writes, in one transaction with the Idempotency-Key. Throws ProblemError to refuse. */
  readonly create: (transaction: StoreTransaction) => Promise<CreationAnswer<Body>>;
  readonly afterCommit?: (answer: CreationAnswer<Body>) => void;
}

/** The route returns the body itself, so that the compiler checks it against the schema. */
export interface AnswerHead {
  code(status: number): unknown;
  header(name: string, value: string): unknown;
}

/**
 * Answers a POST and creates once per Idempotency-Key, however often the request is repeated. A refusal (4xx) stores nothing,
 * so that the caller can fix the cause and use the same key again.
 *
 * `prepare` does slow work that needs no transaction; a replay skips it.
 */
export type CreateOnce = <Body extends object>(
  request: FastifyRequest,
  reply: AnswerHead,
  prepare: Prepare<Body>,
) => Promise<Body>;

type Prepare<Body extends object> = () => Creation<Body> | Promise<Creation<Body>>;

export interface CreateOnceParts {
  readonly store: Store;
  readonly sealer: Sealer;
  readonly now: () => Date;
  /** How long a request waits for another one with the same key before it gets `idempotency_in_progress`. */
  readonly waitMs: number;
}

export function createCreateOnce(parts: CreateOnceParts): CreateOnce {
  // Only saves work: the unique index on (owner, key) decides between processes, and a second request waits for the commit of the first,
  // then replays its answer.
  const turns = createTurns(1);
  const awaitTurn = (name: string) =>
    withDeadline(parts.waitMs, (inTime) => turns.begin(name, inTime)).catch(() => {
      throw inProgress();
    });
  return async (request, reply, prepare) => {
    const claim = claimOf(parts.sealer, request);
    if (claim === undefined) {
      const { create, afterCommit } = await prepare();
      const answer = await inTransaction(parts.store, create);
      afterCommit?.(answer);
      return sendFirst(reply, answer);
    }
    const name = JSON.stringify([claim.owner, claim.key]);
    const endTurn = turns.take(name) ?? (await awaitTurn(name));
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
  const answer = await inTransaction(store, (transaction) => createWithClaim(parts, transaction, claim, create));
  if (answer !== undefined) {
    afterCommit?.(answer);
    return sendFirst(reply, answer);
  }
  // Another process took the key first, and has committed: until then the insert above would wait.
  const first = await findIdempotencyKey(store, claim);
  if (first === undefined) throw inProgress();
  return replay(parts, request, reply, claim, first) as Body;
}

/** Whether the request has been answered before; needs only its head. Throws if a key that it needs is missing. */
export async function isRepetition(
  { store, sealer }: Pick<CreateOnceParts, 'store' | 'sealer'>,
  request: FastifyRequest,
): Promise<boolean> {
  const place = keyPlaceOf(request, ownMarks(sealer, request));
  return place !== undefined && (await findIdempotencyKey(store, place)) !== undefined;
}

interface Claim extends KeyPlace {
  readonly fingerprint: string;
}

function claimOf(sealer: Sealer, request: FastifyRequest): Claim | undefined {
  const marks = ownMarks(sealer, request);
  const place = keyPlaceOf(request, marks);
  if (place === undefined) return undefined;
  const [path = ''] = request.url.split('?');
  const fingerprint = requestFingerprint(request.method, path, request.body);
  return { ...place, fingerprint: marks?.keyed('fingerprint', fingerprint) ?? fingerprint };
}

/** The order of an object's fields does not change the fingerprint. */
export const requestFingerprint = (method: string, path: string, body: unknown): string =>
  sha256Hex(`${method}\n${path}\n${canonicalJson(body)}`);

/** Only for bodies that passed a schema, which limits their depth. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const fields = Object.entries(value)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, field]) => `${JSON.stringify(name)}:${canonicalJson(field)}`);
  return `{${fields.join(',')}}`;
}

/** Undefined for the operator's keys, which no erasure marks. */
const ownMarks = (sealer: Sealer, request: FastifyRequest): ErasureMarks | undefined =>
  request.caller?.kind === 'account' ? marksOf(sealer, request) : undefined;

function keyPlaceOf(request: FastifyRequest, marks: ErasureMarks | undefined): KeyPlace | undefined {
  const key = readIdempotencyKey(request.headers['idempotency-key']);
  if (key === undefined) {
    if (request.routeOptions.config.idempotencyKey !== 'required') return undefined;
    throw new ProblemError(
      'idempotency_key_required',
      'The Idempotency-Key header is missing. Send a new key with every email, and the same key when you repeat a request.',
    );
  }
  return { owner: ownerOf(request), key, mark: marks?.mark('idempotency-key', key) };
}

function ownerOf({ caller, routeOptions: { config } }: FastifyRequest): string {
  if (caller?.kind !== 'account') return 'operator';
  return config.idempotencyOwner === 'key' ? caller.keyId : caller.accountId;
}

/** Undefined if the key is taken. */
async function createWithClaim<Body extends object>(
  { sealer, now }: CreateOnceParts,
  transaction: StoreTransaction,
  claim: Claim,
  create: Creation<Body>['create'],
): Promise<CreationAnswer<Body> | undefined> {
  const claimedAt = now();
  if (!(await takeIdempotencyKey(transaction, claim, claim.fingerprint, claimedAt))) return undefined;
  const answer = await create(transaction);
  const { secret } = answer;
  await storeAnswer(transaction, claim, {
    response_status: answer.status,
    response_body: JSON.stringify(answer.body),
    sealed_secret:
      secret === undefined ? null : sealer.seal(JSON.stringify(secret), sealingContext.oneTimeSecret(claim)),
    secret_expires_at: secret === undefined ? null : new Date(claimedAt.getTime() + SECRET_REPLAY_MS).toISOString(),
    email_id: answer.emailId ?? null,
  });
  return answer;
}

function sendFirst<Body extends object>(reply: AnswerHead, { status, body, secret }: CreationAnswer<Body>): Body {
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
  if (stored.fingerprint !== claim.fingerprint && stored.fingerprint !== markOf(claim.fingerprint)) {
    throw new ProblemError(
      'idempotency_key_reused',
      `This Idempotency-Key was used for a different request at ${stored.created_at}. Use a new key for a new request.`,
      { existingId: firstIdOf(JSON.parse(stored.response_body) as Answer) },
    );
  }
  reply.code(stored.response_status);
  reply.header('idempotent-replayed', 'true');
  const body = JSON.parse(stored.response_body) as object;
  if (stored.secret_expires_at === null) return body;
  return { ...body, ...(openSecret(parts, request, stored) ?? { secret_unavailable: true }) };
}

interface Answer {
  readonly id?: string;
  /** Of a batch. */
  readonly emails?: readonly [{ readonly id: string }];
}

/** Undefined of an import of suppressions. */
const firstIdOf = ({ id, emails }: Answer): string | undefined => id ?? emails?.[0].id;

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
    // The encryption key is no longer configured; only the secret is lost, so the rest is still replayed.
    if (!(error instanceof UnsealError)) throw error;
    request.log.warn({ err: error }, 'cannot replay a one-time secret: no configured encryption key decrypts it');
    return undefined;
  }
}

const inProgress = (): ProblemError =>
  new ProblemError(
    'idempotency_in_progress',
    'The first request with this Idempotency-Key is still in progress. Repeat the request after the time in Retry-After.',
    { retryAfterSeconds: IN_PROGRESS_RETRY_SECONDS },
  );
