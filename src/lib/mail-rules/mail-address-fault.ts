import { asciiLowerCase } from './ascii-lower-case.ts';
import { domainNameFault } from './domain-name-fault.ts';
import type { Fault } from './fault.ts';

/** RFC 5321 section 4.5.3.1.3: a path has 256 octets, two of which are its angle brackets. */
const ADDRESS_LENGTH_MAX = 254;
/** RFC 5321 section 4.5.3.1.1. */
const LOCAL_PART_LENGTH_MAX = 64;
/** Dot-string of RFC 5321 section 4.1.2. Quoted local parts are refused: hardly a mailbox has one, and many receivers do too. */
const DOT_STRING = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;

/** The two parts of an address; everything behind the last `@` is the domain, in lower case. */
export function splitAddress(address: string): { readonly localPart: string; readonly domain: string } {
  const at = address.lastIndexOf('@');
  return { localPart: address.slice(0, Math.max(at, 0)), domain: asciiLowerCase(address.slice(at + 1)) };
}

/** The same mailbox as a text: the domain has no case (RFC 4343), the local part may have one (RFC 5321 section 2.4). */
export function withLowerCaseDomain(address: string): string {
  const { localPart, domain } = splitAddress(address);
  return address.includes('@') ? `${localPart}@${domain}` : address;
}

/** Why `address` is not `local-part@domain` (RFC 5321 section 4.1.2), or undefined. */
export function mailAddressFault(address: string): Fault | undefined {
  const found = JSON.stringify(address.slice(0, ADDRESS_LENGTH_MAX));
  if (!address.includes('@')) {
    return { code: 'malformed', detail: `Expected an address like name@example.com; found ${found}.` };
  }
  if (address.length > ADDRESS_LENGTH_MAX) {
    return {
      code: 'too_long',
      detail: `An address has at most ${ADDRESS_LENGTH_MAX} characters (RFC 5321); found ${address.length}.`,
    };
  }
  const { localPart, domain } = splitAddress(address);
  if (localPart.length > LOCAL_PART_LENGTH_MAX) {
    return {
      code: 'too_long',
      detail: `The part before @ has at most ${LOCAL_PART_LENGTH_MAX} characters (RFC 5321); found ${localPart.length}.`,
    };
  }
  if (!DOT_STRING.test(localPart)) {
    return {
      code: 'malformed',
      detail: `The part before @ may have ASCII letters, digits, single inner dots and !#$%&'*+/=?^_\`{|}~-, and no name or brackets around it; found ${found}.`,
    };
  }
  return domainNameFault(domain);
}
