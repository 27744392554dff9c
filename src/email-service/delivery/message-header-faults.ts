import type { FieldError } from '../http/errors.ts';

/** RFC 5322 section 2.2 allows more; letters, digits and hyphens are what real headers are made of. */
const HEADER_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,74}[A-Za-z0-9])?$/;

/** What the message has from elsewhere, what a relay adds, and what would speak for somebody else. */
const RESERVED: ReadonlySet<string> = new Set([
  'from',
  'sender',
  'to',
  'cc',
  'bcc',
  'subject',
  'date',
  'message-id',
  'mime-version',
  'return-path',
  'received',
  'received-spf',
  'authentication-results',
  'dkim-signature',
  'domainkey-signature',
  'delivered-to',
  'x-original-to',
  'envelope-to',
  'apparently-to',
]);
const RESERVED_FAMILY = /^(?:content|resent|arc|bimi)-/;

/**
 * What is wrong with the names of a message's own headers, one error a name; values are held to one line by the schema.
 * @param pointer where the headers are in the body
 */
export function messageHeaderFaults(headers: Readonly<Record<string, string>>, pointer: string): readonly FieldError[] {
  const seen = new Set<string>();
  return Object.keys(headers).flatMap((name) => {
    const at = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const lowerCase = name.toLowerCase();
    const doubled = seen.has(lowerCase);
    seen.add(lowerCase);
    if (!HEADER_NAME.test(name)) {
      return [
        {
          pointer: at,
          code: 'malformed',
          detail: `A header name has 1 to 76 letters, digits and inner hyphens; found ${JSON.stringify(name.slice(0, 76))}.`,
        },
      ];
    }
    if (RESERVED.has(lowerCase) || RESERVED_FAMILY.test(lowerCase)) {
      return [
        { pointer: at, code: 'reserved_header', detail: `The header ${name} is set by the service. Leave it out.` },
      ];
    }
    return doubled ? [{ pointer: at, code: 'duplicate', detail: `The header ${name} is given twice. Keep one.` }] : [];
  });
}
