// Macros of RFC 7208 section 7: names in SPF records that depend on the message.
import { isSingle, type Network } from './spf-network.ts';

/** The letters c, r and t are allowed only in explanations. */
const macroString = /^(?:%\{[slodiphv](?:[1-9]\d{0,2})?r?[-.+,/_=]*\}|%[%_-]|[!-$&-~])*$/;

/** `macro-string` of RFC 7208 section 7.1. @param text lower case */
export function isMacroString(text: string): boolean {
  return macroString.test(text);
}

/** `domain-spec` of RFC 7208 section 7.1: a macro string that ends in a macro or a top-level label. @param text lower case */
export function isDomainSpec(text: string): boolean {
  if (text === '' || !isMacroString(text)) return false;
  if (text.endsWith('}') || /%[%_-]$/.test(text)) return true;
  const name = text.replace(/\.$/, '');
  const label = name.slice(name.lastIndexOf('.') + 1);
  return name.includes('.') && /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/.test(label) && /[a-z-]/.test(label);
}

export interface MacroValues {
  /** The domain whose record is read. */
  readonly domain: string;
  /** The domain of the envelope sender. */
  readonly sender: string;
  readonly client: Network;
}

/** The name, or undefined where it depends on the message: its local part, HELO or reverse name. */
export function expandMacros(spec: string, values: MacroValues): string | undefined {
  const unknown: string[] = [];
  const expanded = spec.replace(
    /%(?:\{([a-z])(\d*)(r?)([-.+,/_=]*)\}|([%_-]))/g,
    (_all, letter: string, digits: string, reverse: string, delimiters: string, escape?: string) => {
      if (escape !== undefined) return escapes.get(escape) ?? '';
      const value = valueOf(letter, values);
      if (value === undefined) {
        unknown.push(letter);
        return '';
      }
      const parts = splitBy(value, delimiters || '.');
      if (reverse !== '') parts.reverse();
      return parts.slice(digits === '' ? 0 : -Number(digits)).join('.');
    },
  );
  return unknown.length > 0 ? undefined : withinLimit(expanded.replace(/\.$/, ''));
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['%', '%'],
  ['_', ' '],
  ['-', '%20'],
]);

function valueOf(letter: string, { domain, sender, client }: MacroValues): string | undefined {
  if (letter === 'd') return domain;
  if (letter === 'o') return sender;
  if (letter === 'v') return client.address.kind() === 'ipv4' ? 'in-addr' : 'ip6';
  return letter === 'i' && isSingle(client) ? dotted(client) : undefined;
}

/** IPv4 as usual, IPv6 as its 32 hexadecimal digits. */
function dotted({ address }: Network): string {
  const bytes = address.toByteArray();
  if (address.kind() === 'ipv4') return bytes.join('.');
  return bytes.map((byte) => [byte >> 4, byte & 15].map((digit) => digit.toString(16)).join('.')).join('.');
}

/** The name of the PTR records of an address, RFC 1035 section 3.5 and RFC 3596 section 2.5. */
export function reverseName(client: Network): string {
  const zone = client.address.kind() === 'ipv4' ? 'in-addr.arpa' : 'ip6.arpa';
  return [...dotted(client).split('.').reverse(), zone].join('.');
}

function splitBy(value: string, delimiters: string): string[] {
  const parts = [''];
  for (const character of value) {
    if (delimiters.includes(character)) parts.push('');
    else parts.push(`${parts.pop() ?? ''}${character}`);
  }
  return parts;
}

/** RFC 7208 section 7.3: labels are removed from the left until the name fits. */
function withinLimit(name: string): string {
  let rest = name;
  while (rest.length > 253 && rest.includes('.')) rest = rest.slice(rest.indexOf('.') + 1);
  return rest;
}
