// Secrets at rest: AES-256-GCM (NIST SP 800-38D) with a random 96-bit nonce per seal.
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

const VERSION = 'v1';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export interface Sealer {
  /** `context` names the secret (`domain/dom_1/dkim`); a sealed value opens only in the context it was sealed in. */
  seal(plaintext: string, context: string): string;
  /** Throws UnsealError if no key opens it: wrong key, wrong context or altered bytes. */
  open(sealed: string, context: string): string;
  /** HMAC-SHA-256 (RFC 2104) of a text that is not secret, by each key: make the first one known, accept all. */
  macs(text: string, context: string): readonly Buffer[];
}

export interface SealedValue {
  readonly sealed: string;
  readonly context: string;
}

/** Names the context, never the value. */
export class UnsealError extends Error {
  override readonly name = 'UnsealError';
  constructor(context: string) {
    super(`cannot open the secret of ${context}: no configured key fits, or it was altered`);
  }
}

/** `keys`: 32 bytes each. The first seals; all open, so that keys can be rotated. */
export function createSealer(keys: readonly Buffer[]): Sealer {
  const [sealingKey] = keys;
  if (sealingKey === undefined) throw new Error('createSealer needs at least one key');
  return {
    seal(plaintext, context) {
      return `${VERSION}.${encrypt(Buffer.from(plaintext), sealingKey, context).toString('base64url')}`;
    },
    open(sealed, context) {
      const [version, encoded = ''] = sealed.split('.');
      if (version !== VERSION) throw new UnsealError(context);
      const bytes = Buffer.from(encoded, 'base64url');
      for (const key of keys) {
        try {
          return decrypt(bytes, key, context).toString('utf8');
        } catch {
          // The next key may fit.
        }
      }
      throw new UnsealError(context);
    },
    macs: (text, context) =>
      keys.map((key) =>
        createHmac('sha256', Buffer.from(hkdfSync('sha256', key, '', `mac/${context}`, 32)))
          .update(text)
          .digest(),
      ),
  };
}

/** Nonce, ciphertext and tag. @param context authenticated as well */
export function encrypt(plaintext: Uint8Array, key: Buffer, context: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
  return Buffer.concat([nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

/** Throws if the key or the context is another one, or the bytes were altered. */
export function decrypt(bytes: Buffer, key: Buffer, context: string): Buffer {
  if (bytes.length < NONCE_BYTES + TAG_BYTES) throw new Error('too short to be encrypted');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES))
    .setAAD(Buffer.from(context))
    .setAuthTag(bytes.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
}

/** Undefined if no configured key opens the value, which the operator can fix. */
export function openIfPossible(sealer: Sealer, { sealed, context }: SealedValue): string | undefined {
  try {
    return sealer.open(sealed, context);
  } catch (error) {
    if (error instanceof UnsealError) return undefined;
    throw error;
  }
}

/** Whether a key of the sealer opens the value. */
export const opens = (sealer: Sealer, value: SealedValue): boolean => openIfPossible(sealer, value) !== undefined;
