/** `utf-8-damaged` contained invalid sequences, each replaced with U+FFFD. */
export const FileEncoding = {
  utf8: 'utf-8',
  utf8Damaged: 'utf-8-damaged',
  utf16le: 'utf-16le',
  utf16be: 'utf-16be',
} as const;
export type FileEncoding = (typeof FileEncoding)[keyof typeof FileEncoding];

export interface DecodedFile {
  /** Without a byte order mark, with LF line ends. */
  readonly text: string;
  readonly encoding: FileEncoding;
}

/**
 * UTF-8, unless a byte order mark indicates UTF-16 (RFC 2781 section 3.2).
 *
 * @param truncated the bytes are the beginning of a longer file: half a character at their end is not an error
 */
export function decodeFile(bytes: Uint8Array, truncated: boolean): DecodedFile {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) {
    return { text: withLf(utf16(bytes, truncated)), encoding: FileEncoding.utf16le };
  }
  if (first === 0xfe && second === 0xff) {
    return { text: withLf(utf16(withBytesSwapped(bytes), truncated)), encoding: FileEncoding.utf16be };
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: truncated });
    return { text: withLf(text), encoding: FileEncoding.utf8 };
  } catch {
    const text = new TextDecoder('utf-8').decode(bytes, { stream: truncated });
    return { text: withLf(text), encoding: FileEncoding.utf8Damaged };
  }
}

const utf16 = (bytes: Uint8Array, truncated: boolean): string =>
  new TextDecoder('utf-16le').decode(bytes, { stream: truncated });

/** Node builds without full ICU cannot decode big-endian. */
function withBytesSwapped(bytes: Uint8Array): Uint8Array {
  const swapped = new Uint8Array(bytes);
  for (let at = 0; at + 1 < bytes.length; at += 2) {
    swapped.set([bytes[at + 1] ?? 0, bytes[at] ?? 0], at);
  }
  return swapped;
}

const withLf = (text: string): string => text.replaceAll(/\r\n?/g, '\n');
