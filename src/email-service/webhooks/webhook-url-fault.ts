import { isIP } from 'node:net';
import { addressPolicy, type AddressSettings } from '../../lib/dns/address-policy.ts';
import { fault, type Fault } from '../../lib/mail-rules/fault.ts';
import { isPrivateName } from '../../lib/mail-rules/reserved-names.ts';

/**
 * Undefined if events may be posted to `text`. A name can still resolve to a private address, so the connection checks the
 * address again.
 * @param settings private addresses allow http and private names too
 */
export function webhookUrlFault(text: string, settings: AddressSettings): Fault | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) return fault('malformed', 'Expected an absolute URL, as in https://example.com/webhooks.');
  const schemes = settings.allowPrivateAddresses ? ['https:', 'http:'] : ['https:'];
  if (!schemes.includes(url.protocol)) {
    const scheme = JSON.stringify(url.protocol.slice(0, -1));
    return fault('not_https', `Expected an https URL; found the scheme ${scheme}.`);
  }
  // The detail does not repeat the value, which is a secret.
  if (url.username !== '' || url.password !== '') {
    const detail = 'The URL contains a user name or password. Remove them; webhooks are signed instead.';
    return fault('credentials_in_url', detail);
  }
  if (isPermittedHost(url.hostname, settings)) return undefined;
  return fault('private_address', `Expected a host with a public address; found ${JSON.stringify(url.hostname)}.`);
}

/** @param hostname normalized by URL: lower case, IPv4 as four decimal numbers, IPv6 in brackets */
function isPermittedHost(hostname: string, settings: AddressSettings): boolean {
  const address = hostname.replace(/^\[|\]$/g, '');
  if (isIP(address) !== 0) return addressPolicy(settings)(address);
  const name = hostname.replace(/\.$/, '');
  return settings.allowPrivateAddresses || (!isPrivateName(name) && name.includes('.'));
}
