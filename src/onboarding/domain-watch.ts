// The rules of watching a verified domain. A tenant's DNS changes long after the onboarding: what was published gets lost.
import { temporaryFindings } from '../lib/dns/findings/temporary-findings.ts';
import { causeOf, type Attention, type Mistake } from './attention.ts';
import type { DnsRecord } from './dns-record.ts';
import { hostInWords } from './host-in-words.ts';
import { withJitter } from '../lib/timing/with-jitter.ts';

/** `drifted`: a required record is missing or wrong. `gone`: the provider no longer has the domain, and watching has ended. */
type WatchState = 'ok' | 'drifted' | 'gone';

/** A record whose defects do not count. */
export interface MutedRecord {
  readonly purpose: string;
  readonly reason: string;
  readonly by: string;
  /** RFC 3339 UTC. */
  readonly at: string;
}

/** The state of a watched domain. Times are RFC 3339 UTC. */
export interface DomainWatch {
  readonly state: WatchState;
  readonly stateSince: string;
  /** Another state that the last checks found, and how often in a row, until enough of them confirm it. */
  readonly suspicion: { readonly of: 'drifted' | 'gone'; readonly times: number } | null;
  /** The defects that the last conclusive check found, without those of muted records. */
  readonly findings: readonly Mistake[];
  readonly muted: readonly MutedRecord[];
  /** The last conclusive check. */
  readonly checkedAt: string | null;
  /** Why the last check was inconclusive; null if it was conclusive. */
  readonly problem: string | null;
}

/** The result of one check. */
export type WatchObservation =
  | {
      readonly kind: 'records';
      readonly records: readonly DnsRecord[];
      /** Status of the domain at the provider. */
      readonly status: string;
    }
  /** The provider answered that it has no such domain. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'unanswered'; readonly problem: string };

interface WatchEvent {
  readonly type: 'domain.drifted' | 'domain.recovered';
  readonly data: { readonly findings: readonly Mistake[] } | { readonly reason: 'published' | 'muted' };
}

export interface WatchStep {
  readonly watch: DomainWatch;
  readonly event: WatchEvent | null;
}

/** One check may see a zone that is being edited. */
const DRIFTED_AFTER = 2;
/** A lagging replica or a fault of a proxy may answer 404 too. */
const GONE_AFTER = 3;

export const newWatch = (at: string): DomainWatch => ({
  state: 'ok',
  stateSince: at,
  suspicion: null,
  findings: [],
  muted: [],
  checkedAt: null,
  problem: null,
});

/** An inconclusive check changes nothing but `problem`; a domain that is gone stays gone. */
export function afterWatchCheck(watch: DomainWatch, observation: WatchObservation, at: string): WatchStep {
  if (watch.state === 'gone') return { watch, event: null };
  if (observation.kind === 'unanswered') return inconclusive(watch, observation.problem);
  const checked = { ...watch, checkedAt: at, problem: null };
  if (observation.kind === 'gone') {
    const suspicion = again(watch, 'gone');
    if (suspicion.times < GONE_AFTER) return { watch: { ...checked, suspicion }, event: null };
    return { watch: { ...checked, state: 'gone', stateSince: at, suspicion: null, findings: [] }, event: null };
  }
  if (!observation.records.some((record) => record.required)) {
    return inconclusive(watch, 'The provider reported no required DNS record');
  }
  const required = observation.records.filter((record) => record.required && !isMuted(watch, record.purpose));
  const findings = required.flatMap(defectsOf);
  if (findings.length > 0) return broken({ ...checked, findings }, at);
  const unclear = required.filter(({ status }) => status !== 'found');
  if (unclear.length === 0 && observation.status !== 'verified' && watch.muted.length === 0) {
    return inconclusive(
      watch,
      `Every required record is published, but the provider reports the domain as ${observation.status}`,
    );
  }
  if (unclear.length === 0) return intact({ ...checked, findings }, at, 'published');
  const names = unclear.map((record) => `${record.purpose} at ${record.name}`).join(', ');
  return inconclusive(watch, `These records could not be checked: ${names}`);
}

const inconclusive = (watch: DomainWatch, problem: string): WatchStep => ({
  watch: { ...watch, problem },
  event: null,
});

function broken(watch: DomainWatch, at: string): WatchStep {
  if (watch.state === 'drifted') return { watch: { ...watch, suspicion: null }, event: null };
  const suspicion = again(watch, 'drifted');
  if (suspicion.times < DRIFTED_AFTER) return { watch: { ...watch, suspicion }, event: null };
  return {
    watch: { ...watch, state: 'drifted', stateSince: at, suspicion: null },
    event: { type: 'domain.drifted', data: { findings: watch.findings } },
  };
}

function intact(watch: DomainWatch, at: string, reason: 'published' | 'muted'): WatchStep {
  const settled = { ...watch, suspicion: null };
  if (watch.state !== 'drifted') return { watch: settled, event: null };
  return {
    watch: { ...settled, state: 'ok', stateSince: at },
    event: { type: 'domain.recovered', data: { reason } },
  };
}

const again = ({ suspicion }: DomainWatch, of: 'drifted' | 'gone') => ({
  of,
  times: suspicion?.of === of ? suspicion.times + 1 : 1,
});

const isMuted = ({ muted }: DomainWatch, purpose: string): boolean =>
  muted.some((record) => record.purpose === purpose);

/** Empty for a record that is found, that no server answered for, or whose only defects may pass by themselves. */
function defectsOf(record: DnsRecord): Mistake[] {
  const { purpose, type, name, host, value, status, findings } = record;
  if (status === 'found' || status === 'inconclusive' || status === 'unchecked') return [];
  // A provider may report the status alone.
  if (findings.length === 0) {
    const fix = `The ${type} record is ${status}. Publish it at ${hostInWords(record)} with the value ${value}`;
    return [
      {
        purpose,
        code: status === 'missing' ? 'not_published' : 'value_mismatch',
        name,
        fix,
        publish: { type, host, value },
      },
    ];
  }
  return findings.filter(({ code }) => !temporaryFindings.has(code)).map((finding) => ({ ...finding, purpose }));
}

/** Ends a drift if no other record has a defect. Muting a muted record replaces its reason. */
export function muteRecord(watch: DomainWatch, record: MutedRecord): WatchStep {
  const { purpose, at } = record;
  const muted = [...watch.muted.filter((other) => other.purpose !== purpose), record];
  const findings = watch.findings.filter((finding) => finding.purpose !== purpose);
  const after = { ...watch, muted, findings };
  if (findings.length > 0 || watch.findings.length === 0) return { watch: after, event: null };
  const step = intact(after, at, 'muted');
  return watch.suspicion?.of === 'gone' ? { ...step, watch: { ...step.watch, suspicion: watch.suspicion } } : step;
}

/** The next check decides anew about the record. */
export const unmuteRecord = (watch: DomainWatch, purpose: string): DomainWatch => ({
  ...watch,
  muted: watch.muted.filter((record) => record.purpose !== purpose),
});

/** Why a person should act; null unless the domain has drifted. */
export const attentionOfWatch = ({
  state,
  stateSince,
  findings,
}: DomainWatch): (Attention & { since: string }) | null =>
  state === 'drifted' ? { findings: [...findings], cause: causeOf(findings), since: stateSince } : null;

const HOUR_MS = 3_600_000;

/**
 * The delay before the next check. A domain that has drifted, or may have, is checked every hour. The first check is
 * followed by any share of the interval, so that domains that were onboarded together spread over it.
 *
 * @param random 0 to 1, as from Math.random
 */
export function nextWatchCheckMs(
  { before, after }: { before: DomainWatch; after: DomainWatch },
  intervalMs: number,
  random: number,
): number {
  if (after.state === 'drifted' || after.suspicion !== null) return withJitter(Math.min(intervalMs, HOUR_MS), random);
  return before.checkedAt === null ? Math.round(intervalMs * random) : withJitter(intervalMs, random);
}
