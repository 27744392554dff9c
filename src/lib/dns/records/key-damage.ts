import { createPublicKey } from 'node:crypto';

export interface KeyDamage {
  readonly kind:
    | 'same'
    | 'testing'
    | 'revoked'
    /** Its end is missing, or all of it. */
    | 'truncated'
    /** Its beginning or its middle is missing. */
    | 'partMissing'
    | 'reordered'
    | 'caseChanged'
    | 'surrounded'
    /** Characters in it are wrong. */
    | 'damaged'
    | 'otherKey'
    | 'notAKey';
  /** How many characters of the expected key are there, at most. */
  readonly foundCharacters: number;
  /** How many it has, without padding. */
  readonly characters: number;
}

/** Only the characters of base64, without padding. */
export const keyCharacters = (text: string): string => text.replace(/[^A-Za-z0-9+/]+/g, '');

/**
 * How a text without the expected key differs from it.
 * @param right the characters of the expected key
 * @param found those of the published one
 */
export function damageOf(right: string, found: string): KeyDamage {
  const start = sharedStart(right, found);
  const end = sharedStart(reversed(right), reversed(found));
  const share = sharedCharacters(right, found);
  const kind = ((): KeyDamage['kind'] => {
    if (found === '') return 'notAKey';
    if (found.toLowerCase() === right.toLowerCase()) return 'caseChanged';
    if (found.length === right.length && share > MEANT_MIN * right.length && isReordered(right, found))
      return 'reordered';
    if (start === found.length) return 'truncated';
    if (found.length < right.length && found.length > MEANT_MIN * right.length && start + end >= found.length)
      return 'partMissing';
    if (found.length > right.length && start + end >= right.length) return 'surrounded';
    if (share > MEANT_MIN * right.length) return 'damaged';
    return isPublicKey(found) ? 'otherKey' : 'notAKey';
  })();
  return { kind, foundCharacters: kind === 'notAKey' || kind === 'otherKey' ? 0 : share, characters: right.length };
}

/** Keys of one length have their first tenth in common. */
const MEANT_MIN = 0.3;
/** Short enough to be between two wrong characters, too long to occur by chance. */
const PIECE = 6;

/** The characters of the expected key that are in the text, in pieces. */
function sharedCharacters(right: string, found: string): number {
  let shared = 0;
  for (let at = 0; at < right.length; at += PIECE) {
    const piece = right.slice(at, at + PIECE);
    if (found.includes(piece)) shared += piece.length;
  }
  return shared;
}

/** Whether its parts have other places. Two letters that are swapped by typing are not parts. */
function isReordered(right: string, found: string): boolean {
  const moved = Array.from(right).filter((letter, at) => letter !== found[at]).length;
  return moved > PIECE && sorted(right) === sorted(found);
}

const sorted = (text: string): string => text.split('').sort().join('');

function sharedStart(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}

const reversed = (text: string): string => text.split('').reverse().join('');

/** RFC 6376 section 3.6.1 and RFC 8463 section 4.2: an RSA key in either form, or the 32 bytes of an Ed25519 key. */
function isPublicKey(digits: string): boolean {
  const key = Buffer.from(digits, 'base64');
  if (key.length === 32) return true;
  return (['spki', 'pkcs1'] as const).some((type) => {
    try {
      createPublicKey({ key, format: 'der', type });
      return true;
    } catch {
      return false;
    }
  });
}
