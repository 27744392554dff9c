import { TypeID, typeid } from 'typeid-js';

/** Each names a kind of resource: `dom_01h45ytscbebyvny4gc8cr8ma2` is a domain's id. */
export const idPrefixes = ['acc', 'key', 'dom', 'snd', 'eml', 'whk', 'evt', 'sup', 'ers', 'req'] as const;
export type IdPrefix = (typeof idPrefixes)[number];

/** The time of a UUIDv7 has 48 bits (RFC 9562 section 5.7). */
const UUID_TIME_MAX = 2 ** 48 - 1;

/** A TypeID: prefix, underscore and a UUIDv7 in Crockford's base32, so that ids of one kind sort by creation. */
export const newId = (prefix: IdPrefix): string => typeid(prefix).toString();

/** The least id that could be made at a time: ids of one prefix sort by it. */
export function firstIdAt(prefix: IdPrefix, time: Date, offsetMs = 0): string {
  const hex = Math.min(Math.max(time.getTime() + offsetMs, 0), UUID_TIME_MAX)
    .toString(16)
    .padStart(12, '0');
  return TypeID.fromUUID(prefix, `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`).toString();
}
