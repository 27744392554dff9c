import { TypeID, typeid } from 'typeid-js';

/** Names the kind of resource: `dom_01h45ytscbebyvny4gc8cr8ma2` is a domain's id. */
export type IdPrefix = 'acc' | 'key' | 'dom' | 'snd' | 'eml' | 'whk' | 'evt' | 'sup' | 'req';

/** A TypeID: prefix, underscore and a UUIDv7 in Crockford's base32, so that ids of one kind sort by creation. */
export const newId = (prefix: IdPrefix): string => typeid(prefix).toString();

/** When an id was made, in milliseconds since 1970: the first 48 bits of its UUIDv7 (RFC 9562 section 5.7). Undefined if it is none. */
export function createdAtMs(id: string): number | undefined {
  try {
    return Number.parseInt(TypeID.fromString(id).toUUID().replaceAll('-', '').slice(0, 12), 16);
  } catch {
    return undefined;
  }
}
