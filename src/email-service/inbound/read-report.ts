// What a message to the return path reports: a delivery status notification (RFC 3464) that an email failed, or a complaint in the
// Abuse Reporting Format (RFC 5965). Anything else, such as an automatic reply, is no report. A sender that knows the address can write
// anything into a message, so each part is bounded, and reading takes time linear in its size.
import PostalMime, { type Email } from 'postal-mime';
import { reportInOldText } from './old-bounce-texts.ts';
import { type Complaint, COMPLAINT_TYPES, type FailedDelivery, type Reports } from './report.ts';

/** Far more than a report has in front of the returned message. */
export const REPORT_BYTES_MAX = 64 * 1024;
const LIMITS = { maxNestingDepth: 4, maxHeadersSize: 16 * 1024, forceRfc822Attachments: true };
/** Lines that may begin or end a part; a report has three parts. */
const PART_LINES_MAX = 50;
const HEADER_LINES_MAX = 20;
/** Each takes the parser 50 µs. */
const LINES_MAX = 2_000;
const GROUPS_MAX = 20;
const VALUE_LENGTH_MAX = 2_000;

/** @param raw at most the first `REPORT_BYTES_MAX` bytes of a message */
export async function readReport(raw: Buffer): Promise<Reports> {
  const message = await PostalMime.parse(readableIn(raw), LIMITS).catch(() => undefined);
  if (message === undefined) return [];
  const contentType = message.headers.find(({ key }) => key === 'content-type')?.value ?? 'text/plain';
  if (!/^\s*multipart\/report\b/i.test(contentType)) return reportInOldText(message);
  const complaint = partOf(message, 'message/feedback-report');
  if (complaint !== undefined) return complaintIn(fieldGroups(complaint)[0] ?? []);
  const status = partOf(message, 'message/delivery-status') ?? partOf(message, 'message/global-delivery-status');
  return status === undefined ? [] : fieldGroups(status).slice(1).flatMap(failureIn);
}

/**
 * The header fields about the content, and the first parts: the parser takes time that grows with the square of the number of parts, and
 * more for long lists of addresses.
 */
function readableIn(raw: Buffer): Buffer {
  const lines = raw.subarray(0, REPORT_BYTES_MAX).toString('latin1').split('\n');
  const kept: string[] = [];
  let [place, partLines]: [place: 'header' | 'wanted' | 'body', partLines: number] = ['header', 0];
  for (const line of lines) {
    if (place === 'body') {
      const isTooMuch = kept.length >= LINES_MAX || (line.startsWith('--') && (partLines += 1) > PART_LINES_MAX);
      if (isTooMuch) break;
      kept.push(line);
    } else if (line.trim() === '') {
      place = 'body';
      kept.push(line);
    } else {
      if (!/^[ \t]/.test(line)) place = /^(?:content-|mime-version:)/i.test(line) ? 'wanted' : 'header';
      if (place === 'wanted' && kept.length < HEADER_LINES_MAX) kept.push(line.slice(0, VALUE_LENGTH_MAX));
    }
  }
  return Buffer.from(kept.join('\n'), 'latin1');
}

function partOf({ attachments }: Email, type: string): string | undefined {
  const content = attachments.find(({ mimeType }) => mimeType === type)?.content;
  if (content === undefined || typeof content === 'string') return content;
  return Buffer.from(content instanceof Uint8Array ? content : new Uint8Array(content)).toString('utf8');
}

type Fields = readonly (readonly [name: string, value: string])[];

/** Groups of header fields, separated by empty lines; folded lines are joined. */
function fieldGroups(text: string): readonly Fields[] {
  const groups: [string, string[]][][] = [[]];
  for (const line of text.split(/\r?\n/)) {
    const group = groups.at(-1) ?? [];
    const colon = line.indexOf(':');
    if (line.trim() === '') {
      if (group.length > 0 && groups.push([]) > GROUPS_MAX) break;
    } else if (/^[ \t]/.test(line)) group.at(-1)?.[1].push(line.trim());
    else if (colon > 0) group.push([line.slice(0, colon).trim().toLowerCase(), [line.slice(colon + 1).trim()]]);
  }
  return groups.map((group) =>
    group.map(([name, parts]) => [name, parts.join(' ').slice(0, VALUE_LENGTH_MAX)] as const),
  );
}

const valuesOf = (fields: Fields, ...names: readonly string[]): readonly string[] =>
  fields.filter(([name]) => names.includes(name)).map(([, value]) => value);

/** RFC 3464 section 2.3: only `failed` is final; `delayed`, `relayed`, `expanded` and `delivered` are not failures. */
function failureIn(fields: Fields): readonly FailedDelivery[] {
  const [action = ''] = valuesOf(fields, 'action');
  if (!/^failed\b/i.test(action)) return [];
  const [status = ''] = valuesOf(fields, 'status');
  const [diagnostic = ''] = valuesOf(fields, 'diagnostic-code');
  return [
    {
      kind: 'failed',
      recipients: valuesOf(fields, 'original-recipient', 'final-recipient').map(addressIn),
      status: /^[245]\.\d{1,3}\.\d{1,3}/.exec(status)?.[0],
      diagnostic: withoutType(diagnostic),
    },
  ];
}

/** RFC 6430 and 6591: `not-spam` and `auth-failure` are no complaints. RFC 5965 section 3.1: an unknown type counts as `other`. */
function complaintIn(fields: Fields): readonly Complaint[] {
  const given = valuesOf(fields, 'feedback-type')[0]?.toLowerCase();
  if (given === undefined || given === 'not-spam' || given === 'auth-failure') return [];
  const type = COMPLAINT_TYPES.find((known) => known === given) ?? 'other';
  const recipients = valuesOf(fields, 'original-rcpt-to').slice(0, GROUPS_MAX).map(addressIn);
  return [{ kind: 'complaint', recipients, type }];
}

/** `rfc822; <ada@inbox.test>` */
const addressIn = (value: string): string => withoutType(value).replace(/^<|>$/g, '');

/** RFC 3464 section 2.1.2: the type of an address or a diagnostic, and a semicolon. */
const withoutType = (value: string): string => value.replace(/^[\w-]{1,40} ?; ?/, '').trim();
