// The attachments of a request. Their contents are most of it, so they are taken out of its body first: what is left has their digests,
// which the fingerprint of an Idempotency-Key needs.
import { createHash } from 'node:crypto';
import { detectMimeType } from 'nodemailer/lib/mime-funcs';
import { Type, type Static } from 'typebox';
import type { FieldError } from '../../../lib/http/problem.ts';
import type { EmailAttachment } from '../../resources/email.ts';
import { CONTENT_ID, CONTENT_TYPE, oneLine } from './request-fields.ts';

/** As most file systems allow. */
const FILENAME_BYTES_MAX = 255;
const ATTACHMENTS_MAX = 100;
export const Attachments = Type.Array(
  Type.Object(
    {
      filename: oneLine({
        minLength: 1,
        maxLength: FILENAME_BYTES_MAX,
        description: 'Without a folder, at most 255 bytes in UTF-8.',
      }),
      content: Type.String({ description: 'In base64 (RFC 4648 section 4), on one line.' }),
      content_type: Type.Optional(
        Type.String({
          maxLength: 255,
          pattern: CONTENT_TYPE,
          description: 'Left out: what the filename suggests, or application/octet-stream. Not of an attached message.',
        }),
      ),
      content_id: Type.Optional(
        Type.String({
          maxLength: 200,
          pattern: CONTENT_ID,
          description: 'For an image within the HTML, which names it as `cid:` and this. Different for each.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  {
    maxItems: ATTACHMENTS_MAX,
    description: 'Files, inline too. EMAIL_SERVICE_ATTACHMENTS limits how many bytes those of a request have together.',
  },
);

interface WithAttachments {
  attachments?: Static<typeof Attachments>;
}

/**
 * @param held what was cut out of the body
 * @returns the base64 of each, in the place of which the request has its digest from now on
 */
export const takeContents = (
  { attachments = [] }: WithAttachments,
  held: ReadonlyMap<string, Buffer> | null,
): readonly Buffer[] =>
  attachments.map((attachment) => {
    const content = held?.get(attachment.content) ?? Buffer.from(attachment.content);
    attachment.content = createHash('sha256').update(content).digest('base64');
    return content;
  });

export function attachmentFaults(
  { attachments = [] }: WithAttachments,
  contents: readonly Buffer[],
): readonly FieldError[] {
  const faults: FieldError[] = [];
  const seen = new Set<string>();
  for (const [index, { filename, content_type: type = '', content_id: id }] of attachments.entries()) {
    const refuse = (field: string, code: string, detail: string): void => {
      faults.push({ pointer: `/attachments/${String(index)}/${field}`, code, detail });
    };
    if (filename.trim() === '') refuse('filename', 'too_short', 'Expected a filename; found no visible character.');
    if (/[/\\]/.test(filename))
      refuse('filename', 'malformed', `Expected a filename without a folder; found ${JSON.stringify(filename)}.`);
    const bytes = Buffer.byteLength(filename);
    if (bytes > FILENAME_BYTES_MAX)
      refuse('filename', 'too_long', `Expected at most ${FILENAME_BYTES_MAX} bytes in UTF-8; found ${bytes}.`);
    if (COMPOSITE.test(type)) {
      const advice = 'Send application/octet-stream with a filename such as message.eml.';
      refuse(
        'content_type',
        'unsupported',
        `${JSON.stringify(type)} cannot be attached in base64 (RFC 2046). ${advice}`,
      );
    }
    if (id !== undefined && seen.has(id))
      refuse('content_id', 'duplicate', `The content_id ${JSON.stringify(id)} occurs twice. Use another one for each.`);
    if (id !== undefined) seen.add(id);
    const found = base64Fault(contents[index] ?? NOTHING);
    if (found !== undefined)
      refuse('content', 'malformed', `Expected base64 (RFC 4648 section 4) on one line; found ${found}.`);
  }
  return faults;
}

/** Composite types, for which RFC 2046 forbids base64. */
const COMPOSITE = /^(?:message|multipart)\//i;

const NOTHING = Buffer.alloc(0);
const CHECKED_AT_ONCE = 256 * 1024;

/** In one pass. @returns what was found instead */
function base64Fault(content: Buffer): string | undefined {
  const padding = paddingOf(content);
  const end = content.length - padding;
  for (let from = 0; from < end; from += CHECKED_AT_ONCE) {
    const at = content.toString('latin1', from, Math.min(from + CHECKED_AT_ONCE, end)).search(/[^A-Za-z0-9+/]/);
    if (at === -1) continue;
    const [found = ''] = content.toString('utf8', from + at, from + at + 4);
    return `${JSON.stringify(found)} at character ${String(from + at + 1)}`;
  }
  return content.length % 4 === 0
    ? undefined
    : `${String(content.length)} characters, which is no multiple of 4: its end or its padding is missing`;
}

/** How many `=` it ends with, at most two. */
const paddingOf = (content: Buffer): number =>
  content.at(-1) !== EQUALS_SIGN ? 0 : content.at(-2) === EQUALS_SIGN ? 2 : 1;
const EQUALS_SIGN = 0x3d;

/** @param requests of one body @param pointer the field that has the attachments */
export function attachmentsSizeFaults(
  contents: readonly Buffer[],
  bytesMax: number,
  pointer: string,
): readonly FieldError[] {
  const bytes = contents.reduce((sum, content) => sum + sizeOf(content), 0);
  if (bytes <= bytesMax) return [];
  const detail = `The attachments of a request have together at most ${String(bytesMax)} bytes, before base64; found ${String(bytes)}.`;
  return [{ pointer, code: 'too_long', detail }];
}

const sizeOf = (content: Buffer): number => (content.length / 4) * 3 - paddingOf(content);

/** What is kept of valid ones; undefined if there are none. */
export function emailAttachments(
  { attachments = [] }: WithAttachments,
  contents: readonly Buffer[],
): readonly EmailAttachment[] | undefined {
  if (attachments.length === 0) return undefined;
  return attachments.map(({ filename, content_type: type, content_id: id }, index) => ({
    ...{ filename, content_type: type ?? typeOf(filename) },
    ...(id === undefined ? {} : { content_id: id }),
    size: sizeOf(contents[index] ?? NOTHING),
  }));
}

function typeOf(filename: string): string {
  const type = detectMimeType(filename);
  return COMPOSITE.test(type) ? 'application/octet-stream' : type;
}
