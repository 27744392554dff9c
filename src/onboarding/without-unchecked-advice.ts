import type { DnsRecord } from './dns-record.ts';

/**
 * The records that a screen or a message may ask for: without a DMARC policy that nothing was found out about. Beside the policy of the
 * organizational domain it would weaken the tenant.
 */
export const withoutUncheckedAdvice = (records: readonly DnsRecord[]): DnsRecord[] =>
  records.filter(
    ({ purpose, required, status, findings }) =>
      !(purpose === 'dmarc' && !required && status !== 'found' && findings.length === 0),
  );
