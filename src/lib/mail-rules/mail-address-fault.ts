import { asciiLowerCase } from './ascii-lower-case.ts';
import { domainNameFault } from './domain-name-fault.ts';
import { fault, type Fault } from './fault.ts';

/** RFC 5321 section 4.5.3.1.3: a path has at most 256 octets, of which two are its angle brackets. */
const ADDRESS_LENGTH_MAX = 254;
/** RFC 5321 section 4.5.3.1.1. */
const LOCAL_PART_LENGTH_MAX = 64;
/** Dot-string of RFC 5321 section 4.1.2. Quoted local parts are refused, as many receivers do: hardly any mailbox has one. */
const DOT_STRING = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;

/**
 * The two parts of an address; everything after the last `@` is the domain, in lower case and without the final dot that DNS tools
 * write. SMTP knows none (RFC 5321 section 4.1.2): Postfix removes it, other receivers refuse it.
 */
export function splitAddress(address: string): { readonly localPart: string; readonly domain: string } {
  const at = address.lastIndexOf('@');
  return {
    localPart: address.slice(0, Math.max(at, 0)),
    domain: asciiLowerCase(address.slice(at + 1).replace(/\.$/, '')),
  };
}

/** The domain as `splitAddress` returns it, as DNS ignores case (RFC 4343); the local part may be case-sensitive (RFC 5321 section 2.4). */
export function withNormalDomain(address: string): string {
  const { localPart, domain } = splitAddress(address);
  return address.includes('@') ? `${localPart}@${domain}` : address;
}

/** Why `address` is not `local-part@domain` (RFC 5321 section 4.1.2), or undefined. */
export function mailAddressFault(address: string): Fault | undefined {
  const found = JSON.stringify(address.slice(0, ADDRESS_LENGTH_MAX));
  if (!address.includes('@')) return fault('malformed', `Expected an address like name@example.com; found ${found}.`);
  if (address.length > ADDRESS_LENGTH_MAX) {
    const detail = `An address has at most ${ADDRESS_LENGTH_MAX} characters (RFC 5321); found ${address.length}.`;
    return fault('too_long', detail);
  }
  const { localPart, domain } = splitAddress(address);
  if (localPart.length > LOCAL_PART_LENGTH_MAX) {
    const detail = `The part before @ has at most ${LOCAL_PART_LENGTH_MAX} characters (RFC 5321); found ${localPart.length}.`;
    return fault('too_long', detail);
  }
  if (DOT_STRING.test(localPart)) return domainNameFault(domain);
  return fault(
    'malformed',
    `The part before @ may contain ASCII letters, digits, !#$%&'*+/=?^_\`{|}~- and single dots between them, but no display name and no brackets; found ${found}.`,
  );
}
