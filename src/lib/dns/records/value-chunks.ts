/** The longest string of a TXT record, RFC 1035 sections 3.3 and 3.3.14. */
const STRING_BYTES_MAX = 255;

/** Splits a value into the strings of a TXT record without cutting a character; an empty value is one empty string. */
export function valueChunks(value: string): readonly string[] {
  const chunks: string[] = [];
  let chunk = '';
  let bytes = 0;
  for (const character of value) {
    const size = utf8Bytes(character.codePointAt(0) ?? 0);
    if (bytes + size > STRING_BYTES_MAX) {
      chunks.push(chunk);
      chunk = '';
      bytes = 0;
    }
    chunk += character;
    bytes += size;
  }
  return [...chunks, chunk];
}

/** RFC 3629, section 3. Encoding each character takes most of the time of a page. */
const utf8Bytes = (codePoint: number): number =>
  codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4;
