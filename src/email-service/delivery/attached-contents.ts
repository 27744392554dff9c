// A message with attachments is kept without their contents, which are most of it: in its text, a mark stands in the place of each. Nothing
// else of a composed message has its control character: such texts are refused, and a header or body with others is encoded.
const MARK = /\x01(\d+)\x01/;

/** @param index of the attachment */
export const contentMark = (index: number): string => `\x01${String(index)}\x01`;

/** The contents of the attachments of a message. */
export interface AttachedContents {
  /** The size of all contents together, as they are sent. */
  readonly bytes: number;
  /** Base64 in lines of 76 characters without a final line end, in pieces. Throws if it was erased meanwhile. */
  readonly read: (index: number) => AsyncIterable<string>;
}

/** RFC 2045 section 6.8. */
export const BASE64_LINE_LENGTH = 76;

export const base64Length = (bytes: number): number => Math.ceil(bytes / 3) * 4;

/** @param size of the attachment, in bytes @returns bytes of its base64 in lines */
export function linedBase64Bytes(size: number): number {
  const characters = base64Length(size);
  const lines = Math.ceil(characters / BASE64_LINE_LENGTH);
  return characters + 2 * Math.max(lines - 1, 0);
}

/** Of a marked message: its texts, each as `textOf` makes it, and between them the contents. */
export async function* inPieces(
  message: string,
  contents: AttachedContents | undefined,
  textOf: (text: string, isLast: boolean) => string,
): AsyncGenerator<string> {
  const parts = contents === undefined ? [message] : message.split(MARK);
  for (const [at, part] of parts.entries()) {
    if (at % 2 === 0) yield textOf(part, at === parts.length - 1);
    else if (contents !== undefined) yield* contents.read(Number(part));
  }
}

/** How many bytes the marked message has with the contents in their places. */
export const sentBytes = (message: string, contents: AttachedContents | undefined): number =>
  contents === undefined
    ? message.length
    : message.split(MARK).reduce((sum, part, at) => (at % 2 === 0 ? sum + part.length : sum), contents.bytes);
