import { typeid } from 'typeid-js';

/** Names the kind of resource: `dom_01h45ytscbebyvny4gc8cr8ma2` is a domain's id. */
export type IdPrefix = 'acc' | 'key' | 'dom' | 'snd' | 'eml' | 'whk' | 'evt' | 'req';

/** A TypeID: prefix, underscore and a UUIDv7 in Crockford's base32, so that ids of one kind sort by creation. */
export const newId = (prefix: IdPrefix): string => typeid(prefix).toString();
