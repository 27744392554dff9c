import { hostInWords } from '../../onboarding/host-in-words.ts';
import type { DomainCheck, RecordCheck } from '../../lib/dns/domain-check.ts';
import type { ExpectedRecord } from '../../lib/dns/expected-record.ts';
import { printable } from '../../lib/printable.ts';

/** A record with what its check found. */
interface DnsRecordResult extends RecordCheck, Pick<ExpectedRecord, 'value' | 'required'> {
  /** Host and address of each server that was asked. */
  readonly asked: readonly string[];
}

/** What `sendoff dns check --json` prints. */
export interface DnsCheckResult extends DomainCheck {
  readonly records: readonly DnsRecordResult[];
}

/** What `sendoff dns check` prints without `--json`: one block for each record, and the verdict. */
export function showDomainCheck(check: DnsCheckResult): string {
  const zone = check.zone === null ? '' : `, zone ${check.zone}`;
  return printable([`${check.domain}${zone}`, ...check.records.map(showRecord), verdictOf(check)].join('\n\n'));
}

function showRecord(record: DnsRecordResult) {
  const { purpose, type, name, value, required, status, found, asked, findings } = record;
  const lines = [
    `${status.toUpperCase()}  ${purpose}${required ? '' : ', recommended'}`,
    `  expected  ${type} ${name} (${hostInWords(record)})`,
    `            ${value}`,
    ...under('found', found.length === 0 ? [status === 'inconclusive' ? 'no answer' : 'nothing'] : found),
    ...under('asked', asked),
  ];
  for (const { code, severity, name: seenAt, server, fix, found: seen } of findings) {
    const elsewhere = seenAt === name ? [] : [`at ${seenAt}`, ...seen];
    lines.push(
      ...under(severity, [`${code}${server === undefined ? '' : `, ${server}`}`, ...elsewhere]),
      ...under('fix', [fix]),
    );
  }
  return lines.join('\n');
}

const under = (title: string, values: readonly string[]): string[] =>
  values.map((value, at) => `  ${(at === 0 ? title : '').padEnd(8)}  ${value}`);

function verdictOf({ verified, conclusive, records }: DnsCheckResult): string {
  const required = records.filter((record) => record.required);
  const found = required.filter(({ status }) => status === 'found').length;
  const count = `${found} of ${required.length} required records found`;
  if (verified) return `All required records are published: ${count}.`;
  if (conclusive) return `Not all required records are published: ${count}.`;
  return `Inconclusive: ${count}, and no name server answered for at least one other. It may be published; try again.`;
}
