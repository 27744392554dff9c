import type { CheckInput } from './check-input.ts';
import type { HostName } from './code-host.ts';
import type { FileMeasurement } from './file-measurement.ts';
import type { Asked, FileObservation, FoundIn, Observation } from './observation.ts';
import type { Outcome, ReasonCode } from './reasons.ts';
import type { SelectedBy } from './select-repository.ts';

export interface CheckSubject {
  readonly producerId: string;
  readonly host: HostName;
  readonly organization: string | null;
  /** Null until the input or the host names it. */
  readonly primaryRepository: string | null;
  readonly selectedBy: SelectedBy | null;
}

/** The last conclusive result of a producer. */
export interface LastConclusive {
  readonly outcome: Outcome;
  readonly reasonCode: ReasonCode;
  readonly foundIn: FoundIn | null;
  /** Where AGENTS.md was found; null if it was not. */
  readonly repository: string | null;
  readonly sha256: string | null;
  readonly checkedAt: string;
  /** Since when outcome, reason, place and content are unchanged. */
  readonly unchangedSince: string;
}

export interface CheckResult {
  readonly checkId: 'agents-md';
  readonly ruleVersion: number;
  /** `inconclusive`: the host could not be read; `outcome` is then null. */
  readonly status: 'conclusive' | 'inconclusive';
  readonly outcome: Outcome | null;
  readonly reasonCode: ReasonCode;
  readonly message: string;
  readonly remediation: { readonly summary: string; readonly steps: readonly string[] };
  readonly subject: CheckSubject;
  readonly foundIn: FoundIn | null;
  /** Set if a file was found. `viaSymlink`: the path of the symlink's target, which is the measured file. */
  readonly measurement: (FileMeasurement & { readonly viaSymlink: string | null }) | null;
  readonly evidence: {
    readonly url: string;
    readonly finalUrl: string;
    readonly httpStatus: number | null;
    readonly etag: string | null;
    readonly sha256: string | null;
    readonly excerpt: string | null;
  } | null;
  /** Each request and its response. */
  readonly attempts: readonly (Asked & Pick<Observation, 'answer'>)[];
  /** Files that a pointer names; they do not count. */
  readonly nearMisses: readonly string[];
  readonly checkedAt: string;
  /** Time since which the last conclusive result, which may be this one, is unchanged. */
  readonly unchangedSince: string | null;
  readonly lastConclusive: LastConclusive | null;
}

export interface ResolvedRepository {
  readonly host: HostName;
  readonly organization: string;
  /** Null if the organization had none. */
  readonly repository: string | null;
  readonly selectedBy: SelectedBy | null;
  readonly resolvedAt: string;
}

/** What a check leaves for the producer's next one; see `carryOver`. */
export interface PreviousCheck {
  readonly result: CheckResult;
  /** The files that were read, for their ETags. */
  readonly observations: readonly FileObservation[];
  readonly resolved: ResolvedRepository | null;
  /** Last conclusive result of the producer, even for another organization: a change of outcome is relative to this. */
  readonly lastConclusive: LastConclusive | null;
}

/** Everything that a check knows at one moment. */
export interface CheckSoFar {
  readonly input: CheckInput;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly previous: PreviousCheck | null;
  readonly observations: readonly Observation[];
  /** The findings of another check of the organization. @default nothing */
  readonly given?: {
    /** How many of the observations, from the first, come from it. */
    readonly observations: number;
    readonly resolved: ResolvedRepository | null;
  };
}

/** Whether a conclusive result has newer observations than another; without observations, whether it is newer. */
export const wasSeenLater = (one: CheckResult, other: CheckResult): boolean =>
  one.status === 'conclusive' && lastSeen(one) > lastSeen(other);

const lastSeen = ({ attempts, checkedAt }: CheckResult): number =>
  Math.max(...(attempts.length === 0 ? [checkedAt] : attempts.map(({ observedAt }) => observedAt)).map(Date.parse));
