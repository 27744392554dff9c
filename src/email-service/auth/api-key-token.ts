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
 * What is wrong with the text of a token, or undefined when it could be one. Needs no look-up: a typo and a key cut
 * short are told apart from a key that is unknown.
 */
export function apiKeyTokenFault(token: string): string | undefined {
  if (!SHAPE.test(token)) {
    return `An API key is ${PREFIX} and ${SECRET_CHARS + CHECKSUM_CHARS} letters and digits; this token is not. Copy it whole.`;
  }
  const secret = token.slice(PREFIX.length, -CHECKSUM_CHARS);
  if (checksum(secret) !== token.slice(-CHECKSUM_CHARS)) {
    return 'The checksum at the end of this API key does not fit, so some character of it is wrong. Copy it again.';
  }
  return undefined;
}

/** SHA-256 in hex. Enough for a random 256-bit secret: there is nothing to guess that a slow hash would protect. */
export const sha256Hex = (text: string): string => createHash('sha256').update(text).digest('hex');

const checksum = (secret: string): string => base62(BigInt(crc32(PREFIX + secret)), CHECKSUM_CHARS);

function base62(number: bigint, length: number): string {
  let digits = '';
  for (let rest = number; digits.length < length; rest /= 62n) digits = (ALPHABET[Number(rest % 62n)] ?? '') + digits;
  return digits;
}
