import { faultAt, type FieldError } from '../../../lib/http/problem.ts';
import { fault, type Fault } from '../../../lib/mail-rules/fault.ts';

/** RFC 5322 section 2.2 allows more; real header names use only letters, digits and hyphens. */
const HEADER_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,74}[A-Za-z0-9])?$/;

/** Fields that the service or a relay sets, and fields that would forge another party's statement. */
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
 * One error per invalid name; the schema limits values to one line.
 * @param pointer where the headers are in the body
 */
export function messageHeaderFaults(headers: Readonly<Record<string, string>>, pointer: string): readonly FieldError[] {
  const seen = new Set<string>();
  return Object.keys(headers).flatMap((name) => {
    const at = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const lowerCase = name.toLowerCase();
    const isRepeated = seen.has(lowerCase);
    seen.add(lowerCase);
    return faultAt(at, nameFault(name, isRepeated));
  });
}

function nameFault(name: string, isRepeated: boolean): Fault | undefined {
  if (!HEADER_NAME.test(name)) {
    const found = JSON.stringify(name.slice(0, 76));
    return fault('malformed', `Expected a header name of 1 to 76 letters, digits and inner hyphens; found ${found}.`);
  }
  const lowerCase = name.toLowerCase();
  if (RESERVED.has(lowerCase) || RESERVED_FAMILY.test(lowerCase))
    return fault('reserved_header', `The service sets the header ${name}. Omit it.`);
  return isRepeated ? fault('duplicate', `The header ${name} occurs twice. Keep one.`) : undefined;
}
