import { createHash } from 'node:crypto';

const CHECK_SUM_BYTES = 6;

/** A page token of Temporal as the cursor of a list. The server retries one it cannot read, so an altered one is found out here. */
export const cursorOf = (token: Uint8Array): string => Buffer.concat([checkSumOf(token), token]).toString('base64url');

/** Undefined when the cursor is none. */
export function tokenOf(cursor: string): Uint8Array | undefined {
  const bytes = Buffer.from(cursor, 'base64url');
  const token = bytes.subarray(CHECK_SUM_BYTES);
  return checkSumOf(token).equals(bytes.subarray(0, CHECK_SUM_BYTES)) ? token : undefined;
}

const checkSumOf = (token: Uint8Array): Buffer =>
  createHash('sha256').update(token).digest().subarray(0, CHECK_SUM_BYTES);
