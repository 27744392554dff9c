// Events are derived from the record before and after a change. Streams and notifications read them from one table, so both report the
// same changes in the same order.
import { attentionOf, causeOf, withCause } from './attention.ts';
import type { DnsRecord } from './dns-record.ts';
import type { OnboardingOutcome, OnboardingRecord } from './onboarding-record.ts';
import { REMINDER_MS } from './time-limits.ts';
import { whatRemains } from './what-remains.ts';
import { withoutUncheckedAdvice } from './without-unchecked-advice.ts';

/** The types of events, and whether the backend is notified of them. */
export const eventTypes = {
  'onboarding.started': false,
  'onboarding.stage_changed': false,
  'onboarding.domain_registered': true,
  /** Statuses or findings of the DNS records changed. */
  'onboarding.records_checked': false,
  'onboarding.needs_attention': true,
  'onboarding.extended': false,
  /** A caller of the HTTP API asked for a change; the data says who. */
  'onboarding.requested': false,
  'onboarding.verified': true,
  'onboarding.onboarded': true,
  /** Like a cancellation, before its undo if that needs the provider. */
  'onboarding.failed': true,
  'onboarding.cancelled': true,
  /** The report of the undo that followed a failure or cancellation. */
  'onboarding.undo_ended': true,
  'onboarding.terminated': true,
  'api_key.claimed': false,
  'domain.drifted': true,
  'domain.recovered': true,
} as const satisfies Record<string, boolean>;

export type OnboardingEventType = keyof typeof eventTypes;

export const isNotified = (type: OnboardingEventType): boolean => eventTypes[type];

export interface NewEvent {
  readonly type: OnboardingEventType;
  /** Contains no secret. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** A change of a tenant's onboarding, in the order of the register's writes. */
export interface OnboardingEvent extends NewEvent {
  /** Grows with each event of the database. */
  readonly id: number;
  /** The same in every delivery: `evt_` and a UUID. */
  readonly eventId: string;
  readonly tenantId: string;
  readonly attemptId: string;
  /** RFC 3339 UTC. */
  readonly at: string;
}

/**
 * Completes a record that is about to replace another one: whether it needs attention, and which causes are new.
 *
 * @param at the time of the write, RFC 3339 UTC
 */
export function withAttention(record: OnboardingRecord, at: string): OnboardingRecord {
  const isWaiting = isWaitingForDomain(record);
  const found = isWaiting ? attentionOf(record.onboarding.records) : null;
  const waiting = found && {
    ...found,
    since: record.attention?.cause === found.cause ? record.attention.since : at,
  };
  // Once the domain is verified, only its watch reports a mistake.
  const attention = record.outcome === 'onboarded' ? record.attention : waiting;
  const { causes, deadline } = record.reported;
  const reported = {
    causes: found === null ? causes : withCause(causes, found.cause),
    deadline: isWaiting && closesSoon(record, at) ? record.onboarding.verificationDeadline : deadline,
  };
  return { ...record, attention, reported };
}

function closesSoon({ onboarding: { verificationDeadline, stages } }: OnboardingRecord, at: string): boolean {
  const registered = stages.find(({ stage }) => stage === 'awaitingDomain')?.at;
  if (verificationDeadline === null || registered === undefined) return false;
  const closesAt = Date.parse(verificationDeadline);
  return closesAt - Date.parse(registered) > REMINDER_MS && closesAt - Date.parse(at) <= REMINDER_MS;
}

/** The changes from one record of a tenant to the next. */
export function eventsOf(before: OnboardingRecord | undefined, after: OnboardingRecord): NewEvent[] {
  const earlier = before?.attemptId === after.attemptId ? before : undefined;
  const { onboarding } = after;
  const { domain, stage, records, verificationDeadline: deadline } = onboarding;
  const events: NewEvent[] = [];
  const add = (type: OnboardingEventType, data: NewEvent['data'] = {}): void => {
    events.push({ type, data: { domain, ...data } });
  };
  if (earlier === undefined) add('onboarding.started', { fromAddress: onboarding.fromAddress });
  if (earlier !== undefined && earlier.onboarding.stage !== stage) add('onboarding.stage_changed', { stage });
  const awaited = isWaitingForDomain(after) ? domainWithDeadline(after) : null;
  if (awaited !== null && awaited !== (earlier && domainWithDeadline(earlier))) {
    add('onboarding.domain_registered', {
      ...{ domainId: onboarding.domainId, deadline },
      records: withoutUncheckedAdvice(records).map(toPublish),
    });
  } else if (earlier?.onboarding.domainId === onboarding.domainId && checkResult(earlier) !== checkResult(after)) {
    add('onboarding.records_checked', { checkedAt: after.checkedAt, records: records.map(checked) });
  }
  const lastDeadline = earlier?.onboarding.verificationDeadline ?? null;
  if (lastDeadline !== null && lastDeadline !== deadline) add('onboarding.extended', { deadline });
  if (after.attention !== null && after.reported.causes !== (earlier?.reported.causes ?? '')) {
    add('onboarding.needs_attention', { reason: 'dns', deadline, findings: after.attention.findings });
  }
  if (after.reported.deadline !== (earlier?.reported.deadline ?? null)) {
    add('onboarding.needs_attention', { reason: 'deadline', deadline, records: unpublished(records) });
  }
  if (after.verifiedAt !== null && earlier?.verifiedAt == null) add('onboarding.verified');
  const end = endOf(after);
  const announced = earlier === undefined ? null : endOf(earlier);
  if (end !== null && end !== announced) add(`onboarding.${end}`, endData(after));
  else if (end !== null && earlier?.outcome === 'running' && after.outcome !== 'running')
    add('onboarding.undo_ended', undoReport(after));
  return events;
}

/** How an onboarding ended, or will end after its undo; null while that is open. */
function endOf({ outcome, onboarding: { badEnd } }: OnboardingRecord): Exclude<OnboardingOutcome, 'running'> | null {
  if (outcome !== 'running') return outcome;
  if (badEnd === null) return null;
  return badEnd.type === 'Cancelled' ? 'cancelled' : 'failed';
}

const isWaitingForDomain = ({ outcome, onboarding }: OnboardingRecord): boolean =>
  outcome === 'running' && onboarding.stage === 'awaitingDomain';

/** Null until it is known when its window closes. */
const domainWithDeadline = ({ onboarding: { domainId, verificationDeadline } }: OnboardingRecord): string | null =>
  verificationDeadline === null ? null : domainId;

/** While the undo runs, nothing is undone yet and everything remains. */
const undoReport = ({ onboarding }: OnboardingRecord) => ({
  undo: onboarding.undo,
  remains: whatRemains(onboarding),
});

function endData(record: OnboardingRecord): NewEvent['data'] {
  const { outcome, result, failure } = record;
  if (outcome === 'onboarded') return { result };
  const report = undoReport(record);
  if (outcome === 'terminated') return report;
  const end = { undoing: outcome === 'running', ...report };
  if (failure === null) return end;
  const { type, message, details } = failure;
  return { type, exit: details.exit, stage: details.stage, message, ...end };
}

const toPublish = ({ purpose, type, name, host, zone, value, required }: DnsRecord) => ({
  ...{ purpose, type, name, host, zone, value, required },
});

const checked = ({ purpose, type, name, required, status, findings }: DnsRecord) => ({
  ...{ purpose, type, name, required, status, findings },
});

const unpublished = (records: readonly DnsRecord[]) =>
  records
    .filter(({ required, status }) => required && status !== 'found')
    .map((record) => ({ ...toPublish(record), ...checked(record) }));

/** Without the texts, some of which count down. */
const checkResult = ({ onboarding }: OnboardingRecord): string =>
  JSON.stringify(
    onboarding.records.map(({ purpose, name, status, findings }) => [purpose, name, status, causeOf(findings)]),
  );
