import type { DnsRecord } from './dns-record.ts';
import type { DomainWatch } from './domain-watch.ts';
import type { NewEvent } from './onboarding-events.ts';
import type { FailedAttempt, OnboardingStart, OnboardingRecord, StuckSince } from './onboarding-record.ts';
import type { Onboarding } from './onboarding.ts';
import type { Bounce } from './provider-event.ts';

/** A Workflow run of an onboarding: a Reset adds another run. */
export interface AttemptRun {
  readonly tenantId: string;
  /** See `stepIdempotencyKey`. */
  readonly attemptId: string;
  readonly runId: string;
  /** When Temporal scheduled the Activity that writes, RFC 3339 UTC. */
  readonly at: string;
  /** How many stages the run has entered: a late attempt of an earlier stage has a smaller number. */
  readonly stagesEntered?: number;
  /** RFC 3339 UTC: a record of an onboarding that began before it is not one that replaced it. */
  readonly startedAt?: string;
}

/** The input of `begin`, `adopt` and `end`; the rule adds the other fields. */
export type RecordStart = Pick<OnboardingRecord, 'onboarding'> & OnboardingStart & AttemptRun;
export interface RecordEnd extends RecordStart, Pick<OnboardingRecord, 'outcome' | 'result' | 'failure'> {
  /** The recorded run that was found to have ended: nothing is recorded if another one has written since. */
  readonly recordedRunId?: string;
}
/** How an onboarding ends, before its undo. */
export type RecordUndo = RecordStart & Pick<RecordEnd, 'failure'>;

/** A change of a tenant's record, and who asks for it. Each kind is a verb of the Register. */
export type RecordChange =
  | { readonly kind: 'announce' | 'begin' | 'adopt'; readonly by: RecordStart }
  | {
      readonly kind: 'enter' | 'note';
      readonly by: AttemptRun;
      readonly made: Partial<Onboarding>;
      readonly checkedAt?: string | undefined;
    }
  | {
      readonly kind: 'noteAttempt';
      readonly by: AttemptRun;
      readonly activity: string;
      readonly failed: FailedAttempt | null;
      readonly records?: readonly DnsRecord[] | undefined;
    }
  | { readonly kind: 'noteStuck'; readonly by: Omit<AttemptRun, 'runId'>; readonly stuck: StuckSince | null }
  | { readonly kind: 'extend'; readonly by: Omit<AttemptRun, 'runId'>; readonly deadline: string }
  | { readonly kind: 'beginUndo'; readonly by: RecordUndo }
  | { readonly kind: 'end'; readonly by: RecordEnd }
  | ({ readonly kind: 'watch'; readonly by: Pick<AttemptRun, 'tenantId' | 'at'> } & WatchChange)
  | {
      readonly kind: 'explain';
      readonly by: Pick<AttemptRun, 'tenantId' | 'at'>;
      readonly emailId: string;
      readonly bounce: Bounce;
    }
  | { readonly kind: 'addEvent'; readonly by: Pick<AttemptRun, 'tenantId' | 'at'>; readonly event: NewEvent };

export interface WatchChange<Watch extends DomainWatch = DomainWatch> {
  readonly watched: Watch;
  readonly events: readonly NewEvent[];
  /** The result of a check. */
  readonly records?: DnsRecord[] | undefined;
}

export type ChangeOf<Kind extends RecordChange['kind']> = Extract<RecordChange, { readonly kind: Kind }>;

/** Who asks for a change: what a case may depend on. */
export type RecordWriter = Partial<RecordEnd>;
