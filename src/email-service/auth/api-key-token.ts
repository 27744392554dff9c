import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const PREFIX = 'so_live_';
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_BYTES = 32;
/** 62^43 is the first power of 62 above 2^256. */
const SECRET_CHARS = 43;
/** 62^6 is the first power of 62 above 2^32. */
const CHECKSUM_CHARS = 6;
const SHAPE = new RegExp(`^${PREFIX}[0-9A-Za-z]{${SECRET_CHARS + CHECKSUM_CHARS}}$`);

/** `so_live_`, 256 random bits in base62, and their CRC32 in base62. */
export function newApiKeyToken(): string {
  const secret = base62(BigInt(`0x${randomBytes(SECRET_BYTES).toString('hex')}`), SECRET_CHARS);
  return `${PREFIX}${secret}${checksum(secret)}`;
}

/**
 * Distinguishes a mistyped or truncated token from an unknown one without reading the database.
 */
export function apiKeyTokenFault(token: string): string | undefined {
  if (!SHAPE.test(token)) {
    return `An API key is ${PREFIX} followed by ${SECRET_CHARS + CHECKSUM_CHARS} letters and digits; found ${token.length} characters in another form. Copy the whole key.`;
  }
  const secret = token.slice(PREFIX.length, -CHECKSUM_CHARS);
  if (checksum(secret) !== token.slice(-CHECKSUM_CHARS)) {
    return 'The checksum of this API key does not match, so at least one character is wrong. Copy the key again.';
  }
  return undefined;
}

/** A random 256-bit secret cannot be guessed, so it needs no slow hash. */
export const sha256Hex = (text: string): string => createHash('sha256').update(text).digest('hex');

const checksum = (secret: string): string => base62(BigInt(crc32(PREFIX + secret)), CHECKSUM_CHARS);

function base62(number: bigint, length: number): string {
  let digits = '';
  for (let rest = number; digits.length < length; rest /= 62n) digits = (ALPHABET[Number(rest % 62n)] ?? '') + digits;
  return digits;
}
