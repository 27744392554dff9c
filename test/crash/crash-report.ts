import type { ReceivedMessage } from '../../src/dev/world/message-ledger.ts';
import type { OwnEnd } from '../deployment/killable.ts';
import type { ProcessName } from '../deployment/start-deployment.ts';
import { type Database, killedProcesses } from './crash-plan.ts';
import type { EmailsVerdict } from './judge-emails.ts';
import type { Fault, TenantVerdict } from './judge-tenant.ts';
import type { DoneKill } from './kill-all.ts';

export interface CrashReport {
  readonly database: Database;
  readonly seed: number;
  readonly kills: Readonly<Partial<Record<ProcessName | 'all', number>>>;
  /** How many kills of the email service came when the receiver had just taken a message. */
  readonly killsAtReceipt: number;
  /** By what they came to. */
  readonly onboardings: Readonly<Record<string, number>>;
  /** That were accepted from an account beside the onboardings. */
  readonly emails: number;
  /** How many different ones the receiver has. */
  readonly messages: number;
  readonly windowCopies: number;
  readonly duplicates: number;
  readonly orphans: number;
  /** Messages and resources that were acknowledged and are gone. */
  readonly lost: number;
  readonly faults: readonly Fault[];
  /** How often a process ended of itself, most often because Temporal was down when it started. */
  readonly ownEnds: Readonly<Partial<Record<ProcessName, number>>>;
  /** How often the backend had to call again, by what it was answered. */
  readonly retriedAfter: Readonly<Record<string, number>>;
  readonly seconds: number;
  readonly repeat: string;
}

export interface CrashEvidence {
  readonly database: Database;
  readonly seed: number;
  readonly onboardings: number;
  readonly kills: readonly DoneKill[];
  readonly verdicts: readonly TenantVerdict[];
  readonly emails: EmailsVerdict & { readonly count: number };
  readonly received: readonly ReceivedMessage[];
  /** Of every tenant. */
  readonly recipients: readonly string[];
  readonly ownEnds: Readonly<Record<ProcessName, readonly OwnEnd[]>>;
  readonly retriedAfter: ReadonlyMap<string, number>;
  readonly seconds: number;
}

export function crashReport(evidence: CrashEvidence): CrashReport {
  const { database, seed, kills, verdicts, emails, received, recipients, ownEnds, retriedAfter } = evidence;
  const known = new Set(recipients);
  const strays = received
    .filter(({ to }) => !to.every((address) => known.has(address)))
    .map(({ to, messageId }): Fault => ({ kind: 'duplicate', tenantId: to.join(), words: `${messageId} is nobody's` }));
  const faults = [...verdicts.flatMap((verdict) => verdict.faults), ...emails.faults, ...strays];
  const count = (kind: Fault['kind']): number => faults.filter((fault) => fault.kind === kind).length;
  const windowCopies = verdicts.reduce((sum, verdict) => sum + verdict.windowCopies, emails.windowCopies);
  const killsOf = (process: ProcessName): number => kills.filter((kill) => kill.process === process).length;
  const perProcess = (figure: (process: ProcessName) => number): Partial<Record<ProcessName, number>> =>
    Object.fromEntries(killedProcesses[database].map((process) => [process, figure(process)]));
  return {
    database,
    seed,
    kills: { all: kills.length, ...perProcess(killsOf) },
    killsAtReceipt: kills.filter(({ atReceipt }) => atReceipt).length,
    onboardings: counted(verdicts.map(({ outcome }) => outcome)),
    emails: emails.count,
    messages: new Set(received.map(({ messageId }) => messageId)).size,
    windowCopies,
    duplicates: count('duplicate'),
    orphans: count('orphan'),
    lost: count('lost'),
    faults,
    ownEnds: perProcess((process) => ownEnds[process].length),
    retriedAfter: Object.fromEntries(retriedAfter),
    seconds: Math.round(evidence.seconds),
    repeat: `npm run test:crash -- --database ${database} --kills ${kills.length} --onboardings ${evidence.onboardings} --seed ${seed}`,
  };
}

/** How often each is there. */
export function counted(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of words.toSorted()) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}

/** For people. */
export function shownReport(report: CrashReport): string {
  const { kills, onboardings, ownEnds, retriedAfter } = report;
  const { all, ...killsByProcess } = kills;
  const onboarded = Object.values(onboardings).reduce((sum, count) => sum + count, 0);
  const rows: readonly (readonly [string, string])[] = [
    ['kills', `${all ?? 0} (${listed(killsByProcess)})`],
    ['onboardings', `${onboarded} (${listed(onboardings)})`],
    ['other emails', String(report.emails)],
    ['messages', String(report.messages)],
    ['window copies (RFC 1047)', `${report.windowCopies} (after ${report.killsAtReceipt} kills at a receipt)`],
    ['duplicates', String(report.duplicates)],
    ['orphans', String(report.orphans)],
    ['lost', String(report.lost)],
    ['other faults', String(report.faults.length - report.duplicates - report.orphans - report.lost)],
    ['ends of their own', listed(ownEnds)],
    ['calls repeated', listed(retriedAfter)],
    ['seconds', String(report.seconds)],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return [
    ...rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`),
    ...report.faults.map(({ kind, tenantId, words }) => `FAULT ${kind}: ${tenantId}: ${words}`),
    `To repeat the plan, but not the operating system's timing: ${report.repeat}`,
  ].join('\n');
}

export const listed = (figures: Readonly<Record<string, number>>): string =>
  Object.entries(figures)
    .map(([name, figure]) => `${name} ${figure}`)
    .join(', ') || 'none';
