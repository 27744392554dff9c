/**
 * Names that no public DNS has: RFC 6761 (localhost, invalid), RFC 6762 with its appendix G, RFC 7686 (onion), RFC 8375 (home.arpa),
 * RFC 9476 (alt), and ICANN's internal.
 */
const PRIVATE = [
  ...['localhost', 'localdomain', 'invalid', 'local', 'onion', 'alt', 'home.arpa', 'internal'],
  ...['intranet', 'private', 'corp', 'home', 'lan'],
];

/** For documentation and tests (RFC 2606, RFC 6761), and of the DNS itself (RFC 3172). */
const WITHOUT_OWNER = ['test', 'example', 'example.com', 'example.net', 'example.org', 'arpa'];

/** The reserved name that `name` is or is below. @param name lower case, without a final dot */
const within = (name: string, reserved: readonly string[]): string | undefined =>
  reserved.find((each) => name === each || name.endsWith(`.${each}`));

export const isPrivateName = (name: string): boolean => within(name, PRIVATE) !== undefined;

/** The name or its parent that cannot be registered; undefined if there is none. */
export const reservedNameOf = (name: string): string | undefined => within(name, [...PRIVATE, ...WITHOUT_OWNER]);
