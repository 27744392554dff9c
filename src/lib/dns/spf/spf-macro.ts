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

/** The longest name in DNS, written with dots. */
const NAME_LENGTH_MAX = 253;

/**
 * The name, or undefined where it depends on the message: its local part, HELO or reverse name. RFC 7208 section 7.3 keeps the
 * last labels of a longer name, so the macros are expanded from the last one, and only while they can be part of it.
 */
export function expandMacros(spec: string, values: MacroValues): string | undefined {
  const macros = [...spec.matchAll(/%(?:\{([a-z])(\d*)(r?)([-.+,/_=]*)\}|([%_-]))/g)];
  if (macros.some(([, letter]) => letter !== undefined && !isKnown(letter, values))) return undefined;
  let expanded = '';
  let end = spec.length;
  // Two more: the last dot of the name, and a dot that shows that what follows it is a whole label.
  const isEnough = (): boolean => expanded.length >= NAME_LENGTH_MAX + 2;
  for (const macro of macros.reverse()) {
    if (isEnough()) break;
    const [all, letter, digits = '', reverse = '', delimiters = '', escape = ''] = macro;
    const value =
      letter === undefined ? escapes.get(escape) : expandMacro({ letter, digits, reverse, delimiters }, values);
    expanded = `${value ?? ''}${spec.slice(macro.index + all.length, end)}${expanded}`;
    end = macro.index;
  }
  if (!isEnough()) expanded = spec.slice(0, end) + expanded;
  return withinLimit(expanded.replace(/\.$/, ''));
}

interface Macro {
  readonly letter: string;
  readonly digits: string;
  readonly reverse: string;
  readonly delimiters: string;
}

function expandMacro({ letter, digits, reverse, delimiters }: Macro, values: MacroValues): string {
  const parts = splitBy(valueOf(letter, values) ?? '', delimiters || '.');
  if (reverse !== '') parts.reverse();
  return parts.slice(digits === '' ? 0 : -Number(digits)).join('.');
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['%', '%'],
  ['_', ' '],
  ['-', '%20'],
]);

const isKnown = (letter: string, { client }: MacroValues): boolean =>
  'dov'.includes(letter) || (letter === 'i' && isSingle(client));

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
  if (name.length <= NAME_LENGTH_MAX) return name;
  const dot = name.indexOf('.', name.length - NAME_LENGTH_MAX - 1);
  return name.slice((dot === -1 ? name.lastIndexOf('.') : dot) + 1);
}
