import type { DnsRecord } from '../../onboarding/dns-record.ts';
import type { NewEvent, OnboardingEvent } from '../../onboarding/onboarding-events.ts';
import type { Exit } from '../../onboarding/failures.ts';
import type {
  FailedAttempt,
  OnboardingOutcome,
  OnboardingRecord,
  StuckSince,
} from '../../onboarding/onboarding-record.ts';
import type { Onboarding } from '../../onboarding/onboarding.ts';
import type { AttemptRun, RecordEnd, RecordStart, RecordUndo, WatchChange } from '../../onboarding/record-change.ts';
import type { Stage } from '../../onboarding/stage.ts';
import type { WatchedDomain } from '../upkeep/watched-domains.ts';

/**
 * Whether a run may execute its next step. `over`: its onboarding has ended or begun its undo, or a later onboarding replaced it.
 * `unknown`: this database has no record of the tenant.
 */
export type Standing =
  { readonly kind: 'current' | 'unknown' } | { readonly kind: 'over'; readonly record: OnboardingRecord };

/** Every condition must hold; an absent one is none. */
export interface RecordFilter {
  readonly stage?: Stage | undefined;
  readonly outcome?: OnboardingOutcome | undefined;
  readonly exit?: Exit | undefined;
  /** The code of a finding of the last check. */
  readonly finding?: string | undefined;
  readonly needsAttention?: boolean | undefined;
  readonly stuck?: boolean | undefined;
  /** Running, and in its stage since before this time (RFC 3339 UTC). */
  readonly waitingSinceBefore?: string | undefined;
  /** The beginning of the tenant's ID, of its domain or of the parent of its domain, in any case. */
  readonly text?: string | undefined;
}

/** The last record of the previous page, in the order of the list. */
export type RecordPosition = Pick<OnboardingRecord, 'startedAt' | 'tenantId'>;

/** A record, and when this machine last wrote it (RFC 3339 UTC). */
export interface StoredRecord extends OnboardingRecord {
  readonly updatedAt: string;
}

/**
 * One record per tenant: its input, its state, its resources at the provider, and its end. It outlives the Namespace's
 * retention, after which Temporal deletes the execution. Each change adds its events in the same transaction. The table in
 * `onboarding/record-cases.ts` says when a change has no effect, or a part of it.
 */
export interface Register {
  get(tenantId: string): Promise<StoredRecord | undefined>;
  /** The latest start first. */
  list(filter: RecordFilter, page: { limit: number; after?: RecordPosition | undefined }): Promise<StoredRecord[]>;
  /**
   * Records a start that Temporal has accepted. Returns the tenant's record after that.
   *
   * @param firstEmail the text of the first email, which is kept encrypted until the onboarding ends
   */
  announce(start: RecordStart, firstEmail?: string): Promise<StoredRecord>;
  /** Records what an execution knows of its onboarding, where the register has lost it. @param firstEmail as of `announce` */
  adopt(start: RecordStart, firstEmail?: string): Promise<unknown>;
  /** Replaces the record of an earlier onboarding. The first step calls it before it creates anything. */
  begin(start: RecordStart): Promise<Standing>;
  /** Records the stage that a run enters, and the deadline of a wait. */
  enter(run: AttemptRun, stage: Stage, deadline?: string): Promise<Standing>;
  /**
   * Adds what a step created, and enters `made.stage`.
   *
   * @param checkedAt set if `made.records` are the result of a check; an older result changes nothing
   */
  note(run: AttemptRun, made: Partial<Onboarding>, checkedAt?: string): Promise<unknown>;
  /**
   * Records a failed attempt of an Activity; null once the Activity has succeeded.
   *
   * @param records what the attempt saw, if it was a check: as `note` records it
   */
  noteAttempt(
    run: AttemptRun,
    activity: string,
    failed: FailedAttempt | null,
    records?: readonly DnsRecord[],
  ): Promise<unknown>;
  /** Records that the Workflow Task of an onboarding fails again and again; null once it does not. */
  noteStuck(attempt: Pick<AttemptRun, 'tenantId' | 'attemptId' | 'at'>, stuck: StuckSince | null): Promise<unknown>;
  /** Records the deadline of an extended wait before the next attempt of its poll does. */
  extend(attempt: Pick<AttemptRun, 'tenantId' | 'attemptId' | 'at'>, deadline: string): Promise<unknown>;
  /** Records how a run will end, before its undo: the onboarding is still running. Returns the record after that, or the one that forbids it. */
  beginUndo(undo: RecordUndo): Promise<{ readonly kind: Standing['kind']; readonly record?: OnboardingRecord }>;
  /** Records how a run ended. Repeating it for the same run returns `current`. */
  end(end: RecordEnd): Promise<Standing>;
  /** Says why an email bounced if the end of the onboarding does not, and a webhook has reported it. */
  explainBounce(tenantId: string, at: string): Promise<unknown>;
  /** Adds an event that changes nothing else. */
  addEvent(tenantId: string, event: NewEvent, at: string): Promise<unknown>;
  /**
   * Changes the watch of the tenant's verified domain, and what its record shows of it.
   *
   * @param change returns undefined to change nothing
   * @returns the watch after the change; undefined if nothing changed or the domain is not watched
   */
  watch(
    tenantId: string,
    at: string,
    change: (watched: WatchedDomain) => WatchChange<WatchedDomain> | undefined,
  ): Promise<WatchedDomain | undefined>;
  /** Oldest first, with an `id` above `after`. */
  events(page: { after: number; tenantId?: string; limit: number }): Promise<OnboardingEvent[]>;
  /** The ids of the oldest event that is kept and of the latest; 0 if there are none. */
  eventRange(): Promise<{ oldest: number; latest: number }>;
}
