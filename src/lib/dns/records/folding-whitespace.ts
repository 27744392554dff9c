/** The whitespace of RFC 6376 section 2.8; what else looks like a space is a character of the value. */
export function trimFoldingWhitespace(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isFolding(text[start])) start += 1;
  while (start < end && isFolding(text[end - 1])) end -= 1;
  return text.slice(start, end);
}

const isFolding = (character: string | undefined): boolean =>
  character === ' ' || character === '\t' || character === '\r' || character === '\n';

/** Control characters, other spaces, characters without a width, and what stands where bytes were no UTF-8. */
const STRAY = '\\s\\u00ad\\u200b-\\u200f\\u2060\\ufeff\\ufffd';
const straySpaces = new RegExp(`[${STRAY}]+`, 'g');
const widthless = /[\u00ad\u200b-\u200f\u2060\ufeff]+/g;

export function withoutWhitespace(value: string): string {
  return value.replace(straySpaces, '');
}

/** Of keyboards, of texts set for print, and of a zone file that escapes them. */
const quotationMarks = /\\?["'`\u00ab\u00b4\u00bb\u2018-\u201f]/g;

/** A value of two strings that was typed as `"…" "…"` has its inner quotation marks too, and the space between them. */
export function unquoted(value: string): string {
  return value.replace(/" ?"/g, '').replace(quotationMarks, '');
}

/** Single ASCII spaces between words, none around them, and nothing invisible. */
export function withPlainSpaces(value: string): string {
  return value.replace(widthless, '').replace(straySpaces, ' ').trim();
}
