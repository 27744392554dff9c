// What forms, web pages and habits do to a text that is copied into a record. Each function undoes one of them; none of them
// changes a text without such damage.
import { unquoted, withoutWhitespace, withPlainSpaces } from './folding-whitespace.ts';

/** Codes of HTML, URLs, quoted-printable and base64 in place of characters: `&quot;`, `<br>`, `%2B`, `=3D`. */
export function decoded(value: string): string {
  const bare = withoutBase64(withoutEncodedWords(value));
  const plain = withoutEntities(withoutEntities(bare.replace(/<\/?[a-zA-Z][^<>]{0,40}>/g, ' ')));
  const text = plain.replace(/%([0-9a-f]{2})/gi, (_all, code: string) => characterOf(code));
  // In quoted-printable, an equals sign begins a code everywhere.
  return /=[0-9a-f]{2}/i.test(text) && !/=(?![0-9a-f]{2}|\s)/i.test(text)
    ? text.replace(/=(?:([0-9a-f]{2})|\s)/gi, (_all, code?: string) => (code === undefined ? '' : characterOf(code)))
    : text;
}

/** Of email headers, RFC 2047: `=?UTF-8?Q?v=3DDKIM1?=`. */
const withoutEncodedWords = (value: string): string =>
  value.replace(/=\?[\w-]{1,40}\?([bq])\?([^?]*)\?=/gi, (_all, encoding: string, text: string) =>
    encoding.toLowerCase() === 'q' ? text.replaceAll('_', ' ') : text,
  );

/** A key stays as it is, because its bytes are not printable. */
const withoutBase64 = (value: string): string =>
  value.replace(/[A-Za-z0-9+/]{20,}(?:\s[A-Za-z0-9+/]+)*={0,2}/g, (digits) => {
    const text = Buffer.from(digits, 'base64').toString('latin1');
    return /^[\t\r\n -~]+$/.test(text) ? text : digits;
  });

const entities: ReadonlyMap<string, string> = new Map(
  Object.entries({
    quot: '"',
    ldquo: '"',
    rdquo: '"',
    apos: "'",
    amp: '&',
    lt: '<',
    gt: '>',
    nbsp: ' ',
    semi: ';',
    equals: '=',
    plus: '+',
  }),
);

const withoutEntities = (value: string): string =>
  value.replace(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));/gi,
    (all, decimal?: string, hex?: string, name?: string) =>
      decimal === undefined && hex === undefined
        ? (entities.get((name ?? '').toLowerCase()) ?? all)
        : characterOf((hex ?? Number(decimal).toString(16)).padStart(2, '0')),
  );

/** Characters outside of ASCII are part of no value. */
function characterOf(hex: string): string {
  const code = Number.parseInt(hex, 16);
  return code < 128 ? String.fromCharCode(code) : ' ';
}

/** Backslashes of zone files and programs: `\;`, `\"`, `\n`, `\010`. */
export const unescaped = (value: string): string =>
  value.replace(
    /(?<!\\)\\+(?:u00([0-9a-f]{2})|x([0-9a-f]{2})|(\d{3})|[nrt]|(?=[^\\]))/gi,
    (_all, unicode?: string, hex?: string, decimal?: string) => {
      const code = unicode ?? hex ?? (decimal === undefined ? undefined : Number(decimal).toString(16));
      return code === undefined ? '' : characterOf(code);
    },
  );

/** The text of a line of a zone file: what follows `TXT`, in its strings or parentheses. */
export function withoutZoneLine(value: string): string {
  const at = /(?:^|\s)TXT[\s(]/i.exec(value);
  if (at === null || (at.index === 0 && !/^\s*TXT\s*[("]/i.test(value))) return value;
  const data = value.slice(at.index + at[0].length - 1);
  const strings = data.match(/"[^"]*"/g);
  return strings === null ? data.replace(/[()]/g, '') : strings.map((text) => text.slice(1, -1)).join('');
}

/** Without what is before the beginning of the value: `Value: `, `TXT `, a host name. */
export function withoutLabel(value: string): string {
  const start = /v\s{0,9}=\s{0,9}(?:dkim1|spf1|dmarc1)/i.exec(value) ?? /(?<![^\s"'(:=])[kp]\s{0,9}=/.exec(value);
  if (start === null || start.index === 0) return value;
  const label = value.slice(0, start.index);
  // Quotation marks, tags of its own and a key are not a label.
  const isLabel = unquoted(withoutWhitespace(label)) !== '' && !/;|[A-Za-z0-9+/]{60}/.test(label);
  return isLabel ? value.slice(start.index) : value;
}

/** Without brackets of any kind. */
export const withoutBrackets = (value: string): string => value.replace(/[()[\]{}<>]/g, '');

/** Without a label before it, and without brackets at both ends. */
export const withoutFrame = (value: string): string =>
  withoutLabel(value.replace(/^[\s([{<]+|(?<![\s)\]}>])[\s)\]}>]+$/g, ''));

/** With ASCII in place of the wide characters that keyboards for Chinese and Japanese enter. */
export const withoutWideCharacters = (value: string): string =>
  value.replace(/[\uff01-\uff5e]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0));

/** Tags with a semicolon between them and an equals sign in each. */
export function withSeparators(value: string): string {
  const plain = withPlainSpaces(withoutWideCharacters(value))
    .replace(/[\u037e\ufe14\ufe54\u061b\u204f]/g, ';')
    .replace(/[\ufe66\u2550]/g, '=')
    .replace(/ ?= ?/g, '=');
  return (
    plain
      .replace(/(DKIM1|\brsa|ed25519)(?=[khstngp][=:])/gi, '$1;')
      // Looking behind, each run of separators is tried once.
      .split(/((?:^(?![;,:|/. ])|(?<![;,:|/. ])[;,:|/. ]+)(?=[vkhstngp] ?[=:]))/)
      .map((part, at) => (at % 2 === 0 ? part.replace(/^([vkhstngp]) ?:/i, '$1=') : ';'))
      .join('')
      .split(';')
      .map((part) => part.trim())
      .filter((part) => part !== '')
      .join(';')
  );
}
