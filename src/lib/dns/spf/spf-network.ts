import ipaddr from 'ipaddr.js';

/** The addresses that share the first `prefixBits` bits of `address`. */
export interface Network {
  readonly address: ipaddr.IPv4 | ipaddr.IPv6;
  readonly prefixBits: number;
}

/** Undefined for text that is not an IP address. @param prefixBits capped at the bits of the address */
export function networkAt(address: string, prefixBits = 128): Network | undefined {
  if (!ipaddr.isValid(address)) return undefined;
  const parsed = ipaddr.parse(address);
  return { address: parsed, prefixBits: Math.min(prefixBits, bitsOf(parsed)) };
}

export function covers(outer: Network, inner: Network): boolean {
  return (
    outer.address.kind() === inner.address.kind() &&
    outer.prefixBits <= inner.prefixBits &&
    inner.address.match(outer.address, outer.prefixBits)
  );
}

export function isSingle({ address, prefixBits }: Network): boolean {
  return prefixBits === bitsOf(address);
}

/** The two networks with one more prefix bit. */
export function halvesOf({ address, prefixBits }: Network): readonly Network[] {
  const bytes = address.toByteArray();
  const [at, mask] = [prefixBits >> 3, 0x80 >> (prefixBits & 7)];
  return [false, true].map((upper) => {
    const half = bytes.map((byte, index) => (index === at ? (upper ? byte | mask : byte & ~mask) : byte));
    return { address: ipaddr.fromByteArray(half), prefixBits: prefixBits + 1 };
  });
}

function bitsOf(address: ipaddr.IPv4 | ipaddr.IPv6): number {
  return address.kind() === 'ipv4' ? 32 : 128;
}
