import { compareDkimKey, looksLikeDkimKey } from './dkim-key.ts';
import { isDmarc, isMeantAsDmarc, isValidDmarc } from './dmarc-policy.ts';
import { kindOf, type ExpectedRecord } from '../expected-record.ts';
import { compareSpf, isSpf, isSpfWithoutVersion } from '../spf/spf-record.ts';

/** How one server's values compare with the expected record. `missing`: no value looks like an attempt at this record. */
export type ValuesVerdict = 'found' | 'wrong' | 'missing';

/** Compares meanings, not texts: `found` when every receiver treats the values as the expected record. */
export function judgeValues(expected: ExpectedRecord, values: readonly string[]): ValuesVerdict {
  if (isPublished(expected, values)) return 'found';
  return values.some((value) => concerns(expected, value)) ? 'wrong' : 'missing';
}

/** Whether a value has the purpose of the expected record, right or wrong. */
export function isOfItsKind(expected: ExpectedRecord, value: string): boolean {
  switch (kindOf(expected)) {
    case 'dkim':
      return looksLikeDkimKey(value);
    case 'spf':
      return isSpf(value);
    case 'dmarc':
      return isDmarc(value);
    case 'return_path':
    case 'alias':
      return targetOf(value) === targetOf(expected.value);
  }
}

/** The host of `10 mx.example.net`, or that of a CNAME record: lower case, without a final dot. */
export function targetOf(value: string): string {
  return (/^\s*(?:\d+\s+)?(\S+?)\.?\s*$/.exec(value)?.[1] ?? '').toLowerCase();
}

function isPublished(expected: ExpectedRecord, values: readonly string[]): boolean {
  switch (kindOf(expected)) {
    case 'dkim':
      // RFC 6376 section 3.6.2.2 leaves the result of several records undefined; OpenDKIM accepts none.
      return isOnlyOne(values, (value) => compareDkimKey(expected.value, value) === 'same');
    case 'spf':
      return isOnlyOne(values.filter(isSpf), (value) => compareSpf(expected.value, value) === 'same');
    case 'dmarc':
      // RFC 7489 section 6.6.3: of several policies none applies. The tenant may choose any policy.
      return isOnlyOne(values.filter(isDmarc), isValidDmarc);
    case 'return_path':
      return isPreferredExchange(expected, values);
    case 'alias':
      return isOnlyOne(values, (value) => isOfItsKind(expected, value));
  }
}

const isOnlyOne = (values: readonly string[], isRight: (value: string) => boolean): boolean =>
  values.length === 1 && values.every(isRight);

/** A host with a lower preference value would get the bounces, and one with the same value some of them (RFC 5321 section 5.1). */
function isPreferredExchange(expected: ExpectedRecord, values: readonly string[]): boolean {
  const preferences = values.map((value) => Number.parseInt(value, 10));
  const best = Math.min(...preferences);
  const preferred = values.filter((_, at) => preferences[at] === best);
  return preferred.length > 0 && preferred.every((value) => targetOf(value) === targetOf(expected.value));
}

function concerns(expected: ExpectedRecord, value: string): boolean {
  switch (kindOf(expected)) {
    case 'dkim':
      // Any text at a selector's name is meant as a key, except one that a wildcard may have put there.
      return !isSpf(value) && !isDmarc(value);
    case 'spf':
      // A key may contain these letters by chance.
      return (/spf/i.test(value) && !looksLikeDkimKey(value)) || isSpfWithoutVersion(value);
    case 'dmarc':
      return isMeantAsDmarc(value);
    case 'return_path':
    case 'alias':
      return true;
  }
}
