import { createHash } from 'node:crypto';

const CHECK_SUM_BYTES = 6;

/** A position in a list as an opaque cursor, with a checksum: an altered one would show another page, or none. */
export const cursorOf = (token: Uint8Array): string => Buffer.concat([checkSumOf(token), token]).toString('base64url');

/** Undefined if the cursor is invalid. */
export function tokenOf(cursor: string): Uint8Array | undefined {
  const bytes = Buffer.from(cursor, 'base64url');
  const token = bytes.subarray(CHECK_SUM_BYTES);
  return checkSumOf(token).equals(bytes.subarray(0, CHECK_SUM_BYTES)) ? token : undefined;
}

const checkSumOf = (token: Uint8Array): Buffer =>
  createHash('sha256').update(token).digest().subarray(0, CHECK_SUM_BYTES);
