import type { CheckInput } from './check-input.ts';
import type { HostName } from './code-host.ts';
import type { FileMeasurement } from './measure-file.ts';
import type { FileObservation, FoundIn, Observation } from './observation.ts';
import type { Outcome, ReasonCode } from './reasons.ts';
import type { SelectedBy } from './select-repository.ts';

export interface CheckSubject {
  readonly producerId: string;
  readonly host: HostName;
  readonly organization: string | null;
  /** Null while nobody has named or found it. */
  readonly primaryRepository: string | null;
  readonly selectedBy: SelectedBy | null;
}

/** What was last known for certain. */
export interface LastConclusive {
  readonly outcome: Outcome;
  readonly reasonCode: ReasonCode;
  readonly foundIn: FoundIn | null;
  /** Where AGENTS.md was found; null when it was not. */
  readonly repository: string | null;
  readonly sha256: string | null;
  readonly checkedAt: string;
  /** Since when outcome, reason, place and content have been the same. */
  readonly unchangedSince: string;
}

/** One answer in the order of asking. */
export interface Attempt {
  readonly url: string;
  readonly httpStatus: number | null;
  readonly answer: Observation['answer'];
  readonly redirects: readonly string[];
  readonly detail: string | null;
  readonly observedAt: string;
}

export interface CheckResult {
  readonly checkId: 'agents-md';
  readonly ruleVersion: number;
  /** `inconclusive`: could not ask, which is not a no; `outcome` is then null. */
  readonly status: 'conclusive' | 'inconclusive';
  readonly outcome: Outcome | null;
  readonly reasonCode: ReasonCode;
  readonly message: string;
  readonly remediation: { readonly summary: string; readonly steps: readonly string[] };
  readonly subject: CheckSubject;
  readonly foundIn: FoundIn | null;
  /** Set when a file was found. `viaSymlink`: the path of the file that AGENTS.md led to, which is the one measured. */
  readonly measurement: (FileMeasurement & { readonly viaSymlink: string | null }) | null;
  readonly evidence: {
    readonly url: string;
    readonly finalUrl: string;
    readonly httpStatus: number | null;
    readonly etag: string | null;
    readonly sha256: string | null;
    readonly excerpt: string | null;
  } | null;
  readonly attempts: readonly Attempt[];
  /** Files that earn no credit but that a pointer names. */
  readonly nearMisses: readonly string[];
  readonly checkedAt: string;
  /** Of the last conclusive result, which is this one when it is conclusive. */
  readonly unchangedSince: string | null;
  readonly lastConclusive: LastConclusive | null;
}

export interface ResolvedRepository {
  readonly host: HostName;
  readonly organization: string;
  /** Null: the organization had none. */
  readonly repository: string | null;
  readonly selectedBy: SelectedBy | null;
  readonly resolvedAt: string;
}

/** What one check leaves to the next of the same producer; see `carryOver`. */
export interface PreviousCheck {
  readonly result: CheckResult;
  /** The files that were read, for their ETags. */
  readonly observations: readonly FileObservation[];
  readonly resolved: ResolvedRepository | null;
  /** Of the producer, whatever was looked at: what its catalogue shows, and what a change is told against. */
  readonly lastConclusive: LastConclusive | null;
}

/** Everything a check knows at one moment: the only argument of `nextStep` and `verdict`. */
export interface CheckSoFar {
  readonly input: CheckInput;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly previous: PreviousCheck | null;
  readonly observations: readonly Observation[];
  /** What another check of the batch has found out. @default nothing */
  readonly given?: {
    /** How many of the first observations are its. */
    readonly observations: number;
    readonly resolved: ResolvedRepository | null;
  };
}

/** Whether a conclusive result rests on something newer than another result; of results without a question, which is newer. */
export const wasSeenLater = (one: CheckResult, other: CheckResult): boolean =>
  one.status === 'conclusive' && lastSeen(one) > lastSeen(other);

const lastSeen = ({ attempts, checkedAt }: CheckResult): number =>
  Math.max(...(attempts.length === 0 ? [checkedAt] : attempts.map(({ observedAt }) => observedAt)).map(Date.parse));
