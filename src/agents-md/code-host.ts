import { isObject, type JsonObject } from '../lib/json-value.ts';

/** The base URLs of a host, without a slash at the end; a mirror or a test can replace them. */
export interface HostUrls {
  readonly web: string;
  readonly raw: string;
  readonly api: string;
}

/** A repository that may be the primary one: neither fork nor archived. */
export interface RepositoryCandidate {
  readonly name: string;
  /** Null if the host does not count stars. */
  readonly stars: number | null;
}

/** Repositories as the host describes them in one answer. */
export interface RepositoryListing {
  readonly repositories: readonly JsonObject[];
  /** Whether it holds at least the repositories with the most stars. */
  readonly decides: boolean;
  /** Whether it holds every repository. */
  readonly isWhole: boolean;
}

export interface FilePlace {
  readonly organization: string;
  readonly repository: string;
  /** From the repository's root. */
  readonly path: string;
}

/** What the check knows about a code host; pure, so that a Workflow may use it. */
export interface CodeHost {
  readonly name: HostName;
  readonly urls: HostUrls;
  /** Never matches names that cannot be path segments, such as `..`. */
  readonly organizationPattern: RegExp;
  readonly organizationRule: string;
  readonly repositoryPattern: RegExp;
  readonly repositoryRule: string;
  /** The organization's repository that is read if the primary one has no file; null if the host has no such convention. */
  readonly fallbackRepository: string | null;
  /**
   * How often it answers a client that is not signed in, by address; docs/agents-md.md has the sources. Where a host publishes no
   * number: what the check assumes.
   */
  readonly filesPerSecond: number;
  /** Paths of sign-in pages: a redirect there means that the file is not public. */
  readonly signInPaths: readonly string[];
  /** Further origins of the host's sign-in pages. */
  readonly signInOrigins: readonly string[];
  /** The file on the default branch, as raw text. */
  fileUrl(urls: HostUrls, place: FilePlace): string;
  /** The organization's public repositories, in one JSON response. */
  repositoriesUrl(urls: HostUrls, organization: string): string;
  /**
   * Undefined if the response is not as documented; `unfinished` if the host reports an incomplete search.
   *
   * @param total the header `x-total-count`, if present
   */
  readRepositories(answer: unknown, total: number | undefined): RepositoryListing | 'unfinished' | undefined;
  /** One repository, which the list may not contain. */
  repositoryUrl(urls: HostUrls, organization: string, name: string): string;
  /** Undefined if the repository cannot be the primary one: a fork, archived or not public. */
  candidateIn(repository: JsonObject): RepositoryCandidate | undefined;
  /** Statuses beside 404, 410 and 451 for an unknown organization. */
  readonly unknownOrganizationStatuses: readonly number[];
}

export const HostName = {
  github: 'github.com',
  gitlab: 'gitlab.com',
  codeberg: 'codeberg.org',
  bitbucket: 'bitbucket.org',
} as const;
export type HostName = (typeof HostName)[keyof typeof HostName];

/** `a b/c` → `a%20b/c`: each segment separately. */
export const encodedPath = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

/** Undefined unless it is a list of objects. */
export const objectsOf = (list: unknown): JsonObject[] | undefined =>
  Array.isArray(list) && list.every(isObject) ? list : undefined;

/** @param stars null where the host does not count them */
export const candidateOf = (name: unknown, stars: unknown): RepositoryCandidate | undefined =>
  typeof name === 'string' ? { name, stars: typeof stars === 'number' ? stars : null } : undefined;

/** Hosts ignore case in the names of organizations and repositories. */
export const isSameName = (one: string | null, other: string | null): boolean =>
  one?.toLowerCase() === other?.toLowerCase();
