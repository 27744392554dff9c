import { fitsInDns, isAtOrBelow, normalName } from '../../lib/dns/names/domain-name.ts';
import { recordTypes, type ExpectedRecord, type RecordPurpose } from '../../lib/dns/expected-record.ts';
import { CommandError } from '../command-error.ts';

const PURPOSES: readonly RecordPurpose[] = ['dkim', 'spf', 'return_path', 'dmarc'];

/**
 * The records in a domain of the provider's API, in an onboarding of the HTTP API, or in a bare array.
 *
 * @param source where the content comes from, for errors
 * @throws CommandError that names every wrong field, and every record of another domain
 */
export function expectedRecords(content: unknown, domain: string, source: string): readonly ExpectedRecord[] {
  const list = listIn(content);
  if (list === undefined) {
    throw new CommandError(
      `${source} has no records: expected a domain of the provider's API, an onboarding of the HTTP API, or the array "records" of either`,
    );
  }
  const problems: string[] = [];
  const records = list.map((entry, at) => expectedRecord(entry, domain, `records[${at}]`, problems));
  if (problems.length === 0 && !records.some((record) => record.required))
    problems.push('none of the records is required; expected at least one');
  if (problems.length > 0) throw new CommandError(`${source} cannot be used:\n  ${problems.join('\n  ')}`);
  return records;
}

function listIn(content: unknown): readonly unknown[] | undefined {
  if (isList(content)) return content;
  const { records, onboarding } = fieldsOf(content);
  if (isList(records)) return records;
  return onboarding === undefined ? undefined : listIn(onboarding);
}

function expectedRecord(entry: unknown, domain: string, place: string, problems: string[]): ExpectedRecord {
  const { purpose, type, name, value, required = true } = fieldsOf(entry);
  const refuse = (field: string, expected: string, found: unknown): void => {
    const shown = found === undefined ? 'nothing' : JSON.stringify(found);
    problems.push(`${place}.${field} must be ${expected}; found ${shown}`);
  };
  const absolute = typeof name === 'string' ? normalName(name) : '';
  if (!isOneOf(PURPOSES, purpose)) refuse('purpose', `one of ${PURPOSES.join(', ')}`, purpose);
  if (!isOneOf(recordTypes, type)) refuse('type', `one of ${recordTypes.join(', ')}`, type);
  if (!fitsInDns(absolute) || !isAtOrBelow(absolute, domain)) refuse('name', `a name at or below ${domain}`, name);
  if (typeof value !== 'string' || value.trim() === '') refuse('value', 'a text', value);
  if (typeof required !== 'boolean') refuse('required', 'true or false', required);
  return { purpose, type, name: absolute, value, required } as ExpectedRecord;
}

const isList = (content: unknown): content is readonly unknown[] => Array.isArray(content);

const isOneOf = <Word extends string>(words: readonly Word[], found: unknown): found is Word =>
  words.some((word) => word === found);

const fieldsOf = (content: unknown): Readonly<Partial<Record<RecordField, unknown>>> =>
  typeof content === 'object' && content !== null ? content : {};

type RecordField = 'records' | 'onboarding' | 'purpose' | 'type' | 'name' | 'value' | 'required';
