import { isPublicSuffix } from '../../dns/public-suffix.ts';
import { domainNameFault } from './domain-name-fault.ts';
import type { Fault } from './fault.ts';

/** RFC 5321 section 4.5.3.1.3: a path has 256 octets, two of which are its angle brackets. */
const ENVELOPE_ADDRESS_LENGTH_MAX = 254;
/** What stands before the sending domain in every envelope sender: an email's id, `@`, the return path's label and a dot. */
const EMAIL_ID_LENGTH = 'eml_'.length + 26;
/** What stands before it in the longest name to publish: `so20261121-k3f9._domainkey.` */
const KEY_NAME_LENGTH = 27;
const NAME_LENGTH_MAX = 253;

/**
 * Why mail cannot be sent from the domain `name`, or undefined: beyond being a domain, it must have an owner, and leave room for the names
 * and addresses that are made from it.
 * @param name lower case
 */
export function sendingDomainFault(name: string, returnPathLabel: string): Fault | undefined {
  const fault = domainNameFault(name);
  if (fault !== undefined) return fault;
  if (isPublicSuffix(name)) {
    return {
      code: 'public_suffix',
      detail: `Expected a domain that its owner registered, such as acme.${name}; found the public suffix ${name}.`,
    };
  }
  const addressRoom = ENVELOPE_ADDRESS_LENGTH_MAX - EMAIL_ID_LENGTH - `@${returnPathLabel}.`.length;
  const lengthMax = Math.min(addressRoom, NAME_LENGTH_MAX - KEY_NAME_LENGTH);
  if (name.length <= lengthMax) return undefined;
  return {
    code: 'too_long',
    detail: `A sending domain has at most ${lengthMax} characters here, so that its DKIM name (RFC 1035) and bounce addresses (RFC 5321) fit; found ${name.length}.`,
  };
}
