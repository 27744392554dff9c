import { type FilePlace, isSameName } from './code-host.ts';
import type { FileMeasurement } from './file-measurement.ts';
import type { SelectedBy } from './select-repository.ts';
import type { SymlinkText } from './symlink-text.ts';

/** Increased when a change would measure a file differently: older stored observations are not reused. */
export const RULE_VERSION = 3;

export const FoundIn = { primary: 'primary', orgFallback: 'orgFallback' } as const;
export type FoundIn = (typeof FoundIn)[keyof typeof FoundIn];

/** AGENTS.md in one of the two repositories, or the target of its symlink. */
export interface CheckedPlace extends FilePlace {
  readonly in: FoundIn;
}

export const isSamePlace = (one: CheckedPlace, other: CheckedPlace): boolean =>
  one.in === other.in &&
  one.path === other.path &&
  isSameName(one.repository, other.repository) &&
  isSameName(one.organization, other.organization);

/** Why a request has no answer; none of these means that the file does not exist. */
export const NoAnswer = {
  throttled: 'throttled',
  unreachable: 'unreachable',
  refused: 'refused',
  redirectBlocked: 'redirectBlocked',
  unexpectedContent: 'unexpectedContent',
} as const;
export type NoAnswer = (typeof NoAnswer)[keyof typeof NoAnswer];

export interface Asked {
  /** Without its query, which may contain a session. */
  readonly url: string;
  /** Null without a response. */
  readonly httpStatus: number | null;
  /** The URLs of redirects, in order, without their queries. */
  readonly redirects: readonly string[];
  /** Details that the other fields do not show, if any. */
  readonly detail: string | null;
  /** ISO 8601, UTC. */
  readonly observedAt: string;
}

/** The response for one file: small enough for an Event History, without the content. */
export interface FileObservation extends Asked {
  readonly kind: 'file';
  readonly ruleVersion: number;
  readonly place: CheckedPlace;
  /** `second` confirms that a file is gone. */
  readonly look: 'first' | 'second';
  readonly answer: 'text' | 'absent' | NoAnswer;
  readonly etag: string | null;
  /** Hash of the bytes read, in hexadecimal. */
  readonly sha256: string | null;
  readonly excerpt: string | null;
  /** Set if `answer` is `text`. */
  readonly measurement: FileMeasurement | null;
  readonly symlink: SymlinkText;
  readonly namedFiles: readonly string[];
}

/** The fields of an observation without a file. */
export const nothingRead = {
  etag: null,
  sha256: null,
  excerpt: null,
  measurement: null,
  symlink: null,
  namedFiles: [],
} as const satisfies Partial<FileObservation>;

/** The response to the request for the primary repository. */
export interface ResolutionObservation extends Asked {
  readonly kind: 'resolution';
  /** `none`: no public repository that is neither fork nor archived; `absent`: no such organization. */
  readonly answer: 'resolved' | 'none' | 'undetermined' | 'absent' | NoAnswer;
  readonly repository: string | null;
  readonly selectedBy: SelectedBy | null;
  /** Set if the list may lack the repository named like the organization, which was then requested too. */
  readonly namesakeUrl?: string;
}

export type Observation = FileObservation | ResolutionObservation;
