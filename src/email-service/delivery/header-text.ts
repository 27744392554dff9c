// Encodes header texts (RFC 5322, RFC 2047) so that the receiver decodes exactly what the caller sent.

/** RFC 2047 section 2: a line with an encoded word has at most 76 characters. */
const LINE_LENGTH = 76;
/** 52 characters in base64: with the encoded-word syntax and `Subject: `, still one line. */
const ENCODED_WORD_BYTES = 39;
const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;

/** The value of a field for people, such as Subject. */
export function unstructuredText(name: string, text: string): string {
  const longest = Math.max(...text.split(' ').map((word) => word.length));
  return isLiteral(text) && name.length + longest < LINE_LENGTH ? folded(name, text) : encoded(name, text);
}

/** Fields for programs, in which encoded words are not decoded (RFC 2047 section 5). */
const STRUCTURED = /^(?:list-.*|auto-submitted|precedence|feedback-id)$/i;

/** The value of a field the caller named: encoded only if it would not arrive unchanged, because programs may read it. */
export const optionalText = (name: string, text: string): string =>
  isLiteral(text) || (STRUCTURED.test(name) && PRINTABLE_ASCII.test(text)) ? folded(name, text) : encoded(name, text);

/** `Name <address>`. */
export function mailbox(name: string, displayName: string | undefined, address: string): string {
  if (displayName === undefined || displayName === '') return address;
  const phrase = phraseOf(name, displayName);
  const lastLine = `${name}: ${phrase}`.split('\r\n').at(-1) ?? '';
  return `${phrase}${lastLine.length + address.length + 3 > LINE_LENGTH ? '\r\n' : ''} <${address}>`;
}

function phraseOf(name: string, text: string): string {
  if (/^\w+(?: \w+)*$/.test(text) && text.length < LINE_LENGTH - name.length) return text;
  // Many clients decode encoded words in quoted strings, against RFC 2047 section 5.
  const isQuotable = PRINTABLE_ASCII.test(text) && !text.includes('=?') && text.length < LINE_LENGTH - name.length;
  return isQuotable ? `"${text.replace(/["\\]/g, '\\$&')}"` : encoded(name, text);
}

/** Whether the text arrives unchanged: nothing in it is decoded, and unfolding restores its spaces. */
const isLiteral = (text: string): boolean =>
  PRINTABLE_ASCII.test(text) && !text.includes('=?') && !/^ | {2}| $/.test(text);

/** RFC 5322 section 2.2.3: lines break before spaces. */
function folded(name: string, text: string): string {
  let lineLength = name.length + 1;
  return text
    .split(' ')
    .map((word, index) => {
      const breaks = index > 0 && lineLength + 1 + word.length > LINE_LENGTH;
      lineLength = breaks ? 1 + word.length : lineLength + 1 + word.length;
      return index === 0 ? word : `${breaks ? '\r\n' : ''} ${word}`;
    })
    .join('');
}

/** Encodes the whole text: spaces between encoded words are not part of it (RFC 2047 section 6.2). */
function encoded(name: string, text: string): string {
  const words: string[] = [];
  let word = '';
  for (const character of text) {
    if (Buffer.byteLength(word + character) > ENCODED_WORD_BYTES) {
      words.push(word);
      word = '';
    }
    word += character;
  }
  const value = [...words, word].map((each) => `=?UTF-8?B?${Buffer.from(each).toString('base64')}?=`).join('\r\n ');
  const firstLine = name.length + ': '.length + value.split('\r\n', 1).join('').length;
  return firstLine > LINE_LENGTH ? `\r\n ${value}` : value;
}
