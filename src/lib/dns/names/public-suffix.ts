import { parse } from 'tldts';

// Other than in `registeredDomainOf`, private suffixes such as github.io count: names below them belong to different owners.
const options = { allowPrivateDomains: true, detectIp: false, extractHostname: false, validateHostname: false };

/**
 * Whether `name` is a public suffix such as co.uk or github.io, so that only names below it can be registered.
 * @param name lower-case A-labels
 */
export const isPublicSuffix = (name: string): boolean => organizationalDomainOf(name) === undefined;

/**
 * The organizational domain of DMARC (RFC 7489 section 3.2): acme.co.uk for mail.acme.co.uk. Undefined for a public suffix.
 * @param name lower-case A-labels
 */
export const organizationalDomainOf = (name: string): string | undefined => parse(name, options).domain ?? undefined;
