import { decode, type DecodedPacket } from 'dns-packet';

/** No set of records of a zone in use has as many. */
const RECORDS_MAX = 500;

/** A writer of a name points to labels; chance makes short chains in keys and signatures. */
const POINTERS_IN_A_ROW_MAX = 16;

/**
 * Reads a DNS message, RFC 1035 section 4. Any server may send one: names that share a long chain of pointers would hold up the process.
 *
 * @throws Error if it cannot be read
 */
export function decodeMessage(message: Buffer): DecodedPacket {
  if (message.length < 12) throw new Error('Cannot decode message (no header)');
  const records = [4, 6, 8, 10].reduce((sum, offset) => sum + message.readUInt16BE(offset), 0);
  if (records > RECORDS_MAX) throw new Error('Cannot decode message (too many records)');
  if (hasPointerChain(message)) throw new Error('Cannot decode message (chain of pointers)');
  return decode(message);
}

/** Looks at every place, because a pointer may lead to any. */
function hasPointerChain(message: Buffer): boolean {
  const rows = new Uint8Array(message.length);
  for (let at = 0; at + 1 < message.length; at++) {
    const word = message.readUInt16BE(at);
    if (word < 0xc000) continue;
    const target = word - 0xc000;
    if (target >= at) continue;
    const row = (rows[target] ?? 0) + 1;
    if (row > POINTERS_IN_A_ROW_MAX) return true;
    rows[at] = row;
  }
  return false;
}
