import type { CheckInput } from '../../agents-md/check-input.ts';
import type { HostName } from '../../agents-md/code-host.ts';
import type { Producer } from '../../agents-md/producer.ts';
import type { Outcome, ReasonCode } from '../../agents-md/reasons.ts';

/** A row of the catalogue. Times are RFC 3339 UTC. */
export interface ProducerRecord extends Omit<Producer, 'organization' | 'primaryRepository' | 'host'> {
  readonly organization: string | null;
  readonly primaryRepository: string | null;
  readonly host: HostName;
  /** The latest conclusive result; null before the first. */
  readonly latest:
    | (ConclusiveResult & {
        readonly message: string;
        /** Since when the outcome is the same. */
        readonly outcomeSince: string;
      })
    | null;
  /** The last check, conclusive or not. */
  readonly lastAttempt: { readonly at: string; readonly reasonCode: ReasonCode } | null;
  /** Null while it is paused. */
  readonly nextCheckAt: string | null;
}

export interface ConclusiveResult {
  readonly outcome: Outcome;
  readonly reasonCode: ReasonCode;
  readonly checkedAt: string;
}

export interface ProducerFilter {
  readonly outcome?: Outcome | 'unchecked' | undefined;
  readonly reason?: ReasonCode | undefined;
  readonly label?: string | undefined;
  /** RFC 3339 UTC: the outcome has changed since then. Sorts by the time of the change. */
  readonly changedSince?: string | undefined;
}

/** A place in a list: the outcome's time, used with `changedSince` alone, and the ID. */
export type ProducerPosition = readonly [outcomeSince: string, producerId: string];

/** What a set of producers changes; `producers` has the first hundred IDs. */
export type ImportChanges = Readonly<
  Record<
    'added' | 'changed' | 'removed' | 'unchanged',
    { readonly count: number; readonly producers: readonly string[] }
  >
>;

/** A place in the order of a sweep: organization, repository, ID. */
export type SweepPosition = readonly [organization: string, repository: string, producerId: string];

export interface DueProducer extends CheckInput {
  readonly position: SweepPosition;
}

/** Which producers to check at once: all, some by ID, or those with a label. */
export type CheckSelection = { readonly ids: readonly string[] } | { readonly label: string } | { readonly all: true };

export interface CheckRequestProgress {
  readonly askedAt: string;
  readonly total: number;
  readonly answered: number;
  /** The answered ones, by outcome. */
  readonly outcomes: Readonly<Record<Outcome | 'inconclusive', number>>;
}

interface ByOutcome {
  readonly outcomes: Readonly<Record<Outcome | 'unchecked', number>>;
}

export interface OutcomeCounts extends ByOutcome {
  readonly total: number;
  readonly reasons: Readonly<Partial<Record<ReasonCode, number>>>;
  readonly labels: readonly (ByOutcome & { readonly label: string })[];
  readonly hosts: Readonly<Partial<Record<HostName, number>>>;
  /** Oldest first; at most the last 400. */
  readonly days: readonly (ByOutcome & { readonly day: string })[];
}
