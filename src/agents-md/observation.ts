import { type FilePlace, isSameName } from './code-host.ts';
import type { FileMeasurement } from './measure-file.ts';
import type { SelectedBy } from './select-repository.ts';
import type { SymlinkText } from './symlink-text.ts';

/** Raised with every change of what a file is worth: stored observations of an older rule are not used. */
export const RULE_VERSION = 2;

export const FoundIn = { primary: 'primary', orgFallback: 'orgFallback' } as const;
export type FoundIn = (typeof FoundIn)[keyof typeof FoundIn];

/** A file at one of the two places where the check looks, or the file its symlink names. */
export interface CheckedPlace extends FilePlace {
  readonly in: FoundIn;
}

export const isSamePlace = (one: CheckedPlace, other: CheckedPlace): boolean =>
  one.in === other.in &&
  one.path === other.path &&
  isSameName(one.repository, other.repository) &&
  isSameName(one.organization, other.organization);

/** Why a question has no answer; none of them says that there is no file. */
export const NoAnswer = {
  throttled: 'throttled',
  unreachable: 'unreachable',
  refused: 'refused',
  redirectBlocked: 'redirectBlocked',
  unexpectedContent: 'unexpectedContent',
} as const;
export type NoAnswer = (typeof NoAnswer)[keyof typeof NoAnswer];

/** What asking came to, whatever was asked for. */
interface Asked {
  /** Without its query, which may name a session. */
  readonly url: string;
  /** Null when nothing was answered. */
  readonly httpStatus: number | null;
  /** Addresses a redirect led to, in order, without their queries. */
  readonly redirects: readonly string[];
  /** One sentence for what the other fields do not say; null when they say it all. */
  readonly detail: string | null;
  /** ISO 8601, UTC. */
  readonly observedAt: string;
}

/** What one place answered: small enough for an Event History, and without the content. */
export interface FileObservation extends Asked {
  readonly kind: 'file';
  readonly ruleVersion: number;
  readonly place: CheckedPlace;
  /** `second` confirms that a file which was there is gone. */
  readonly look: 'first' | 'second';
  readonly answer: 'text' | 'absent' | NoAnswer;
  readonly etag: string | null;
  /** Of the bytes read, in hexadecimal. */
  readonly sha256: string | null;
  readonly excerpt: string | null;
  /** Set when `answer` is `text`. */
  readonly measurement: FileMeasurement | null;
  readonly symlink: SymlinkText;
  readonly namedFiles: readonly string[];
}

/** Of a place where no file was read. */
export const nothingRead = {
  etag: null,
  sha256: null,
  excerpt: null,
  measurement: null,
  symlink: null,
  namedFiles: [],
} as const satisfies Partial<FileObservation>;

/** What the host answered to the question which repository is the primary one. */
export interface ResolutionObservation extends Asked {
  readonly kind: 'resolution';
  /** `none`: no public repository that is neither fork nor archived; `absent`: no such organization. */
  readonly answer: 'resolved' | 'none' | 'undetermined' | 'absent' | NoAnswer;
  readonly repository: string | null;
  readonly selectedBy: SelectedBy | null;
  /** Set when the list was too long to hold each repository, and one of the organization's name was asked for too. */
  readonly namesakeUrl?: string;
}

export type Observation = FileObservation | ResolutionObservation;
