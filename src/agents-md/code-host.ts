/** Where a host answers; each without a slash at its end, so that a mirror or a test can stand in. */
export interface HostUrls {
  readonly web: string;
  readonly raw: string;
  readonly api: string;
}

/** A repository that may be the primary one: neither fork nor archived. */
export interface RepositoryCandidate {
  readonly name: string;
  /** Null where the host does not count stars. */
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

/** What the check has to know of a code host: pure, so that a Workflow may ask it too. */
export interface CodeHost {
  readonly name: HostName;
  readonly urls: HostUrls;
  /** Names that cannot be segments of a path (`..`) never match. */
  readonly organizationPattern: RegExp;
  readonly organizationRule: string;
  readonly repositoryPattern: RegExp;
  readonly repositoryRule: string;
  /** The organization's repository that stands in for one without the file; null where the host knows none. */
  readonly fallbackRepository: string | null;
  /** Paths of sign-in pages: a redirect there says that nothing public is at the place. */
  readonly signInPaths: readonly string[];
  /** Origins, beside its own, of the host's sign-in pages. */
  readonly signInOrigins: readonly string[];
  /** The file on the default branch, as raw text. */
  fileUrl(urls: HostUrls, place: FilePlace): string;
  /** The organization's public repositories, in one answer of JSON. */
  repositoriesUrl(urls: HostUrls, organization: string): string;
  /**
   * Undefined when the answer is not what the host documents; `unfinished` when it says that it did not come to its end.
   *
   * @param total what the header `x-total-count` said, if it was there
   */
  readRepositories(answer: unknown, total: number | undefined): RepositoryListing | 'unfinished' | undefined;
  /** One repository, for a name that may lie behind the end of the list. */
  repositoryUrl(urls: HostUrls, organization: string, name: string): string;
  /** Undefined if the repository cannot be the primary one: a fork, archived or not public. */
  candidateIn(repository: JsonObject): RepositoryCandidate | undefined;
  /** Statuses beside 404 and 410 by which the host says that it knows no such organization. */
  readonly unknownOrganizationStatuses: readonly number[];
}

export const HostName = {
  github: 'github.com',
  gitlab: 'gitlab.com',
  codeberg: 'codeberg.org',
  bitbucket: 'bitbucket.org',
} as const;
export type HostName = (typeof HostName)[keyof typeof HostName];

/** `a b/c` → `a%20b/c`: each segment on its own, so that no name can add one. */
export const encodedPath = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

export type JsonObject = Record<string, unknown>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Undefined unless it is a list of objects. */
export const objectsOf = (list: unknown): JsonObject[] | undefined =>
  Array.isArray(list) && list.every(isObject) ? list : undefined;

/** @param stars null where the host does not count them */
export const candidateOf = (name: unknown, stars: unknown): RepositoryCandidate | undefined =>
  typeof name === 'string' ? { name, stars: typeof stars === 'number' ? stars : null } : undefined;

/** Hosts ignore case in the names of organizations and repositories. */
export const isSameName = (one: string | null, other: string | null): boolean =>
  one?.toLowerCase() === other?.toLowerCase();
