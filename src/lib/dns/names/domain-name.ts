// Names are strings in lower case without a final dot; the root is the empty string.

export function normalName(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}

/** RFC 1035 section 2.3.4: labels of 1 to 63 bytes, at most 253 characters written with dots. */
export function fitsInDns(name: string): boolean {
  return name.length > 0 && name.length <= 253 && name.split('.').every((label) => /^[\x21-\x7e]{1,63}$/.test(label));
}

export function isAtOrBelow(name: string, ancestor: string): boolean {
  return ancestor === '' || name === ancestor || name.endsWith(`.${ancestor}`);
}

export function isBelow(name: string, ancestor: string): boolean {
  return name !== ancestor && isAtOrBelow(name, ancestor);
}

export function parentOf(name: string): string {
  const dot = name.indexOf('.');
  return dot === -1 ? '' : name.slice(dot + 1);
}

/** The nearest first, without the root. */
export function namesAbove(name: string): readonly string[] {
  const labels = name.split('.');
  return labels.slice(1).map((_, at) => labels.slice(at + 1).join('.'));
}

/** The name and those above it, the nearest first, without the top-level domain. */
export const namesBelowTopLevel = (name: string): readonly string[] => [name, ...namesAbove(name)].slice(0, -1);

export function lastLabel(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

/** The host to enter in a DNS provider's form for `zone`: `@` for the zone itself, the whole name when it is not in the zone. */
export function hostWithin(name: string, zone: string): string {
  if (name === zone) return '@';
  return isBelow(name, zone) ? name.slice(0, name.length - zone.length - 1) : name;
}

/** The first label of a name that only a wildcard answers for. */
export const UNUSED_LABEL = 'no-such-host';
