import type { CaseResult, ConformanceCase, CaseVerdict } from './conformance-case.ts';
import type { TargetKind } from './far-end.ts';

/** All cases at one target. Holds nothing of the account: a user can pass it on. */
export interface TargetReport {
  /** `sendoff`: the embedded email service. */
  readonly provider: string;
  readonly target: TargetKind;
  /** The version of sendoff. */
  readonly version: string;
  /** RFC 3339 UTC. */
  readonly at: string;
  readonly cases: readonly CaseResult[];
  /** Whether the provider's official document was held against the exchanges: its version, or why not. */
  readonly document: string;
  readonly documentFaults: readonly string[];
  /** The resources that a live run could not delete, each with the reason. */
  readonly left?: readonly string[];
}

const names: Readonly<Record<string, string>> = {
  sendoff: 'embedded',
  resend: 'Resend',
  ses: 'SES',
  postmark: 'Postmark',
};

export const countOf = ({ cases }: TargetReport, verdict: CaseVerdict): number =>
  cases.filter((one) => one.verdict === verdict).length;

export const columnOf = ({ provider, target }: Pick<TargetReport, 'provider' | 'target'>): string =>
  target === 'embedded' ? 'embedded' : `${names[provider] ?? provider}, ${target === 'fake' ? 'simulated' : target}`;

/** Markdown: a row for each case, a column for each report, and one for each provider that has not been run live. */
export function caseTable(cases: readonly ConformanceCase[], reports: readonly TargetReport[]): string {
  const columns = reports.flatMap((report) => {
    const { provider, target } = report;
    const isRunLive = reports.some((other) => other.provider === provider && other.target === 'live');
    return target === 'fake' && !isRunLive ? [report, { provider, target: 'live', cases: [] } as const] : [report];
  });
  const rows = cases.map(({ group, name }) => {
    const verdicts = columns.map((report) => report.cases.find((one) => one.name === name)?.verdict ?? 'not proven');
    return `| ${[group, name, ...verdicts].join(' | ')} |`;
  });
  const rule = `|${' --- |'.repeat(columns.length + 2)}`;
  return [`| group | case | ${columns.map(columnOf).join(' | ')} |`, rule, ...rows].join('\n');
}
