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

export interface RepositoryListing {
  readonly candidates: readonly RepositoryCandidate[];
  /** Every repository is here, or at least those with the most stars are. */
  readonly decides: boolean;
  /** Every repository is here, so that one which is not does not exist. */
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
  /** Empty when it cannot be the primary one; undefined when the answer is not what the host documents. */
  readRepository(answer: unknown): readonly RepositoryCandidate[] | undefined;
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

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The objects of a list; undefined when it is none. */
export const objectsOf = (list: unknown): Record<string, unknown>[] | undefined =>
  Array.isArray(list) && list.every(isObject) ? list : undefined;

/** Stars as the hosts count them; a host that leaves them out counts none. */
export const starsOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);

/** Hosts ignore case in the names of organizations and repositories. */
export const isSameName = (one: string | null, other: string | null): boolean =>
  one?.toLowerCase() === other?.toLowerCase();
