import { isIP } from 'node:net';
import { isPublicAddress } from '../../lib/dns/public-address.ts';
import type { Fault } from '../../lib/mail-rules/fault.ts';

/** Names that never lead outside of a machine or a network (RFC 6761, RFC 6762, RFC 9476 and their like). */
const PRIVATE_NAME = /(?:^|\.)(?:localhost|local|internal|home\.arpa|localdomain)\.?$/;

/**
 * Why events may not be posted to `text`, or undefined. The first of two guards: a name can still lead to a private
 * address, so the address is looked at again when the connection is made.
 * @param allowPrivate also allows http and private addresses
 */
export function webhookUrlFault(text: string, allowPrivate: boolean): Fault | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined)
    return { code: 'malformed', detail: 'Expected an absolute URL, as in https://example.com/webhooks.' };
  const schemes = allowPrivate ? ['https:', 'http:'] : ['https:'];
  if (!schemes.includes(url.protocol)) {
    return {
      code: 'not_https',
      detail: `Expected an https URL; found the scheme ${JSON.stringify(url.protocol.slice(0, -1))}.`,
    };
  }
  // Not repeated in the detail: what stands there is a secret.
  if (url.username !== '' || url.password !== '') {
    return {
      code: 'credentials_in_url',
      detail: 'Leave user name and password out of the URL; webhooks are signed instead.',
    };
  }
  if (!allowPrivate && isPrivateHost(url.hostname)) {
    return {
      code: 'private_address',
      detail: `Webhooks go to public addresses only; found ${JSON.stringify(url.hostname)}.`,
    };
  }
  return undefined;
}

/** @param hostname as URL has it: lower case, IPv4 in four decimal parts, IPv6 in brackets */
function isPrivateHost(hostname: string): boolean {
  const address = hostname.replace(/^\[|\]$/g, '');
  if (isIP(address) !== 0) return !isPublicAddress(address);
  return PRIVATE_NAME.test(hostname) || !hostname.replace(/\.$/, '').includes('.');
}
