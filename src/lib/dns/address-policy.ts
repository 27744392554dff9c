// The address of the opened socket decides, not a lookup before it, whose answer could differ.
import { isIP } from 'node:net';
import { isWithin } from './networks.ts';
import { isPublicAddress } from './public-address.ts';

/** Whether a connection may be opened to an address that a tenant has chosen: of a name server, a mail server or a webhook. */
export type AddressPolicy = (address: string) => boolean;

export interface AddressSettings {
  readonly allowPrivateAddresses: boolean;
  /** As `isNetwork` accepts. Refused even if private addresses are allowed. */
  readonly blockedNetworks: readonly string[];
}

export function addressPolicy({ allowPrivateAddresses, blockedNetworks }: AddressSettings): AddressPolicy {
  const isBlocked = isWithin(blockedNetworks);
  return (address) => isIP(address) !== 0 && (allowPrivateAddresses || isPublicAddress(address)) && !isBlocked(address);
}
