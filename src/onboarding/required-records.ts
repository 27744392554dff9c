import type { DnsRecord } from './dns-record.ts';

type Checked = Pick<DnsRecord, 'required' | 'status'>;

const requiredOf = (records: readonly Checked[]): Checked[] => records.filter(({ required }) => required);

/** Every required record is right. False if there is none: nothing was checked. */
export function arePublished(records: readonly Checked[]): boolean {
  const required = requiredOf(records);
  return required.length > 0 && required.every(({ status }) => status === 'found');
}

/** Every required record was checked, so that what is not right is wrong. False if there is none. */
export function areConclusive(records: readonly Checked[]): boolean {
  const required = requiredOf(records);
  return required.length > 0 && required.every(({ status }) => status !== 'inconclusive' && status !== 'unchecked');
}
