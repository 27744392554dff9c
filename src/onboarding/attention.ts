// One rule for the list, the notification, `SendoffFinding` and Current Details. A cause is announced once: otherwise the backend would
// be notified of the same mistake after every check.
import type { FindingCode } from '../lib/dns/findings/finding.ts';
import { temporaryFindings } from '../lib/dns/findings/temporary-findings.ts';
import type { DnsRecord, RecordFinding } from './dns-record.ts';

/** A definite mistake in a record that the tenant must publish. */
export interface Mistake extends RecordFinding {
  readonly purpose: string;
}

/** Why a person should act: waiting alone does not help. */
export interface Attention {
  readonly findings: Mistake[];
  /** The causes, `code@name`, sorted and separated by spaces: equal while nothing changed. */
  readonly cause: string;
}

/** Findings about the domain or its name servers: a check reports them again for every record in the zone. */
export const zoneWide: ReadonlySet<string> = new Set<FindingCode>([
  ...(['domain_unregistered', 'ns_not_delegated', 'ns_inconsistent', 'ns_lame', 'ns_private_address'] as const),
  ...(['server_failure', 'resolver_failure', 'not_resolved', 'dnssec_bogus'] as const),
]);

/** While a domain is not verified, an absent record only says that nothing was published yet. */
const mayResolve: ReadonlySet<string> = new Set(['not_published' satisfies FindingCode, ...temporaryFindings]);

/** The definite mistakes in the required records; null if there is none. */
export function attentionOf(records: readonly DnsRecord[]): Attention | null {
  const findings = records
    .filter(({ required, status }) => required && status !== 'found')
    .flatMap((record) => record.findings.map((finding) => ({ ...finding, purpose: record.purpose })))
    .filter(({ code }) => !mayResolve.has(code));
  return findings.length === 0 ? null : { findings, cause: causeOf(findings) };
}

const CODES_MAX = 10;

/** The codes of the definite mistakes, bounded as a Search Attribute must be whatever a provider sends. */
export const findingCodes = (records: readonly DnsRecord[]): string[] =>
  [...new Set(attentionOf(records)?.findings.map(({ code }) => code))]
    .filter((code) => /^[a-z0-9_]{1,100}$/.test(code))
    .sort()
    .slice(0, CODES_MAX);

export const causeOf = (findings: readonly RecordFinding[]): string =>
  [...new Set(findings.map(({ code, name }) => `${code}@${name}`))].sort().join(' ');

const CAUSES_MAX = 100;

/** The reported causes with those of `cause`; the same text if none is new. */
export function withCause(reported: string, cause: string): string {
  const known = new Set(reported === '' ? [] : reported.split(' '));
  const added = cause.split(' ').filter((one) => !known.has(one));
  return added.length === 0 ? reported : [...known, ...added].slice(-CAUSES_MAX).join(' ');
}
