/** The longest string of a TXT record, RFC 1035 sections 3.3 and 3.3.14. */
const STRING_BYTES_MAX = 255;
const encoder = new TextEncoder();

/** Splits a value into the strings of a TXT record without cutting a character; an empty value is one empty string. */
export function valueChunks(value: string): readonly string[] {
  const chunks: string[] = [];
  let chunk = '';
  let bytes = 0;
  for (const character of value) {
    const size = encoder.encode(character).length;
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
