import type { ZoneAnswers } from './answer.ts';
import type { AuthoritativeResolver } from './authoritative-resolver.ts';
import { judgeValues } from './compare-record.ts';
import { diagnose } from './diagnose.ts';
import { fitsInDns, isBelow, normalName, parentOf } from './domain-name.ts';
import type { CollectedRecord, DomainLook } from './domain-look.ts';
import type { ExpectedRecord } from './expected-record.ts';
import { valuesOf } from './record-facts.ts';

export type { DomainLook } from './domain-look.ts';

/**
 * Looks at each record on the authoritative servers of the zone that holds it, and says what is there and what is wrong.
 * Rejects only for names that cannot be in DNS; servers that fail make a record `inconclusive`.
 */
export async function lookAtRecords(
  resolver: AuthoritativeResolver,
  domain: string,
  expected: readonly ExpectedRecord[],
): Promise<DomainLook> {
  const name = normalName(domain);
  return diagnose(name, await Promise.all(expected.map((record) => collect(resolver, name, record))));
}

async function collect(
  resolver: AuthoritativeResolver,
  domain: string,
  expected: ExpectedRecord,
): Promise<CollectedRecord> {
  const at = await resolver.lookUp(expected.name, expected.type);
  const zone = at.zone;
  if (!isAbsent(at, expected) || zone?.includes('.') !== true) return { expected, at };

  const lookUp = (name: string | undefined, type: ExpectedRecord['type']): Promise<ZoneAnswers> | undefined =>
    name !== undefined && fitsInDns(name) ? resolver.lookUp(name, type) : undefined;
  const nameExists = at.answers.some((answer) => answer.kind === 'noData' || answer.kind === 'found');
  const [doubled, onParent, otherType] = await Promise.all([
    lookUp(`${expected.name}.${zone}`, expected.type),
    lookUp(parentPlace(domain, zone, expected), expected.type),
    lookUp(nameExists ? expected.name : undefined, expected.type === 'TXT' ? 'MX' : 'TXT'),
  ]);
  return {
    expected,
    at,
    ...(doubled && { doubled }),
    ...(onParent && { onParent }),
    ...(otherType && { otherType }),
  };
}

/** At least one server says so, and none has anything that concerns the record. */
function isAbsent(at: ZoneAnswers, expected: ExpectedRecord): boolean {
  const aliased = at.answers.some((answer) => answer.kind !== 'serverFailure' && answer.aliases.length > 0);
  const spoken = at.answers.some((answer) => answer.kind !== 'serverFailure');
  return spoken && !aliased && judgeValues(expected, valuesOf(at.answers)) === 'missing';
}

/** Where the record is when the subdomain was left out of the host. A DMARC policy up there is a policy of its own right. */
function parentPlace(domain: string, zone: string, expected: ExpectedRecord): string | undefined {
  if (expected.purpose === 'dmarc' || !isBelow(domain, zone) || !isBelow(expected.name, domain)) return undefined;
  return `${expected.name.slice(0, -domain.length)}${parentOf(domain)}`;
}
