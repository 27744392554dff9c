import { fault, type Fault } from './fault.ts';

/** A header line, RFC 5322 section 2.1.1. */
export const SUBJECT_CHARACTERS_MAX = 998;
export const CONTENT_BYTES_MAX = 1_000_000;

/** Excludes control characters and halves of surrogate pairs, which neither SQL nor mail can carry. */
export const ONE_LINE = '^[^\\x00-\\x1f\\x7f-\\x9f\\ud800-\\udfff]*$';
/** As above, but allows tabs and line breaks. One class without alternatives matches a megabyte in one pass. */
export const LINES = '^[^\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\ud800-\\udfff]*$';
export const ONE_LINE_MEANING = 'one line of text without control characters';
export const LINES_MEANING = 'text without control characters other than tabs and line breaks';

const oneLine = new RegExp(ONE_LINE, 'u');
const lines = new RegExp(LINES, 'u');

/** Why `subject` cannot be a Subject header, or undefined. */
export function subjectFault(subject: string): Fault | undefined {
  const characters = Array.from(subject).length;
  if (subject.trim() === '') return fault('too_short', 'Expected a subject; found no visible character.');
  if (characters > SUBJECT_CHARACTERS_MAX) {
    return fault(
      'too_long',
      `A subject has at most ${SUBJECT_CHARACTERS_MAX} characters (RFC 5322); found ${characters}.`,
    );
  }
  return oneLineFault(subject);
}

/** Why `content` cannot be the text of an email, or undefined. */
export function contentFault(content: string): Fault | undefined {
  if (content === '') return fault('too_short', 'Expected text; found nothing.');
  return contentSizeFault(content) ?? (lines.test(content) ? undefined : malformed(content, LINES_MEANING));
}

export function contentSizeFault(content: string): Fault | undefined {
  const bytes = Buffer.byteLength(content);
  if (bytes <= CONTENT_BYTES_MAX) return undefined;
  return fault('too_long', `Expected at most ${CONTENT_BYTES_MAX} bytes in UTF-8; found ${bytes}.`);
}

/** Why `text` is not one line without control characters and halves of surrogate pairs, or undefined. */
export const oneLineFault = (text: string): Fault | undefined =>
  oneLine.test(text) ? undefined : malformed(text, ONE_LINE_MEANING);

function malformed(text: string, expected: string): Fault {
  const characters = Array.from(text);
  const at = characters.findIndex((character) => /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]/u.test(character));
  const character = at < 0 ? '\n' : (characters[at] ?? '');
  const code = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0') ?? '';
  const where = at < 0 ? 'a tab or line break' : `U+${code} at character ${at + 1}`;
  return fault('malformed', `Expected ${expected}; found ${where}.`);
}
