import { isPublicSuffix } from '../dns/names/public-suffix.ts';
import { asciiLowerCase } from './ascii-lower-case.ts';
import { domainNameFault } from './domain-name-fault.ts';
import { fault, type Fault } from './fault.ts';
import { reservedNameOf } from './reserved-names.ts';

/**
 * Leaves room for the envelope sender `eml_…-<MAC>@<label>.<domain>` of at most 254 characters (RFC 5321 section 4.5.3.1.3, without
 * its angle brackets), and for record names such as `so20261121-k3f9._domainkey.<domain>`.
 */
const SENDING_DOMAIN_LENGTH_MAX = 190;
const RETURN_PATH_LOCAL_PART_LENGTH = 'eml_'.length + 26 + '-'.length + 16;
export const RETURN_PATH_LABEL_LENGTH_MAX =
  254 - RETURN_PATH_LOCAL_PART_LENGTH - '@.'.length - SENDING_DOMAIN_LENGTH_MAX;

/** The name as it is kept and compared: in lower case, without the final dot that DNS tools write behind a complete name. */
export const sendingDomainName = (given: string): string => asciiLowerCase(given).replace(/\.$/, '');

/**
 * Why mail cannot be sent from the domain `name`, or undefined. Beyond being a domain name, it must belong to an owner, and
 * leave room for the names and addresses that are made from it.
 * @param name of `sendingDomainName`
 * @param settings reserved names are for laptops and closed networks
 */
export function sendingDomainFault(
  name: string,
  { allowReservedNames }: { readonly allowReservedNames: boolean },
): Fault | undefined {
  const malformed = domainNameFault(name);
  if (malformed !== undefined) return malformed;
  const reserved = reservedNameOf(name);
  if (reserved !== undefined && !allowReservedNames) {
    const detail = `Expected a registered domain; found ${name}, and ${reserved} is reserved: it has no public DNS in which mail servers could check a sender.`;
    return fault('reserved_name', detail);
  }
  if (isPublicSuffix(name)) {
    const detail = `Expected a registered domain such as acme.${name}; found the public suffix ${name}.`;
    return fault('public_suffix', detail);
  }
  if (name.length <= SENDING_DOMAIN_LENGTH_MAX) return undefined;
  return fault(
    'too_long',
    `A sending domain has at most ${SENDING_DOMAIN_LENGTH_MAX} characters, so that its DKIM name (RFC 1035) and bounce addresses (RFC 5321) fit; found ${name.length}.`,
  );
}
