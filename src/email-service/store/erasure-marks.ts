// What an erasure leaves of a text: a keyed hash, by which a suppression and an Idempotency-Key still hold, while a reader of only
// the database cannot test guessed addresses against it. The key is random and one of the account, so that marks of two accounts cannot be
// compared; it is stored sealed, and so stays the same when the encryption key is replaced.
import { createHmac, randomBytes } from 'node:crypto';
import type { Sealer } from '../../lib/sealing.ts';
import { sealingContext } from './sealed-secrets.ts';

type Kind = 'address' | 'idempotency-key' | 'fingerprint';

export interface ErasureMarks {
  mark(kind: Kind, text: string): string;
  /** The hash of the mark: `markOf` makes the mark of it. */
  keyed(kind: Kind, text: string): string;
}

const PREFIX = 'erased:';
const KEY_BYTES = 32;

export const markOf = (keyed: string): string => PREFIX + keyed;

export const isErasureMark = (text: string): boolean => text.startsWith(PREFIX);

interface MarkedAccount {
  readonly id: string;
  readonly sealed_erasure_key: string;
}

export function erasureMarks(sealer: Sealer, { id, sealed_erasure_key: sealed }: MarkedAccount): ErasureMarks {
  const key = Buffer.from(sealer.open(sealed, sealingContext.erasureKey(id)), 'base64url');
  const keyed = (kind: Kind, text: string): string =>
    createHmac('sha256', key).update(`${kind}\n${text}`).digest('base64url');
  return { keyed, mark: (kind, text) => markOf(keyed(kind, text)) };
}

export const newSealedErasureKey = (sealer: Sealer, accountId: string): string =>
  sealer.seal(randomBytes(KEY_BYTES).toString('base64url'), sealingContext.erasureKey(accountId));
