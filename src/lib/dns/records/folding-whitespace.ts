/** Removes the whitespace of RFC 6376 section 2.8 at both ends; other spaces are characters of the value. */
export function trimFoldingWhitespace(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isFolding(text[start])) start += 1;
  while (start < end && isFolding(text[end - 1])) end -= 1;
  return text.slice(start, end);
}

const isFolding = (character: string | undefined): boolean =>
  character === ' ' || character === '\t' || character === '\r' || character === '\n';

/** Whitespace, invisible characters, and the replacement of bytes that are not UTF-8. */
const STRAY = '\\s\\u00ad\\u200b-\\u200f\\u2060\\ufeff\\ufffd';
const straySpaces = new RegExp(`[${STRAY}]+`, 'g');
const widthless = /[\u00ad\u200b-\u200f\u2060\ufeff]+/g;

export function withoutWhitespace(value: string): string {
  return value.replace(straySpaces, '');
}

/** Typed, typographic, and escaped as in a zone file. */
const quotationMarks = /\\?["'`\u00ab\u00b4\u00bb\u2018-\u201f]/g;

/** Without quotation marks, and without the space between two strings in `"…" "…"`. */
export function unquoted(value: string): string {
  return value.replace(/" ?"/g, '').replace(quotationMarks, '');
}

/** With single ASCII spaces between words, none at the ends, and no invisible characters. */
export function withPlainSpaces(value: string): string {
  return value.replace(widthless, '').replace(straySpaces, ' ').trim();
}
