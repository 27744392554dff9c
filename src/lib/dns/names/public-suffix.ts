import { parse } from 'tldts';

// Private suffixes such as github.io count as well: names below them belong to different owners, as those below co.uk do.
const options = { allowPrivateDomains: true, detectIp: false, extractHostname: false, validateHostname: false };

/**
 * Whether the Public Suffix List names `name` itself, as it does co.uk and github.io: only names below it can be registered.
 * @param name lower-case A-labels
 */
export const isPublicSuffix = (name: string): boolean => registrableDomainOf(name) === undefined;

/**
 * The part of `name` that its owner registered: acme.co.uk for mail.acme.co.uk. Undefined for a public suffix.
 * @param name lower-case A-labels
 */
export const registrableDomainOf = (name: string): string | undefined => parse(name, options).domain ?? undefined;
