import { type CodeHost, encodedPath, HostName, isObject, objectsOf, type RepositoryCandidate } from '../code-host.ts';

/** Bitbucket counts no stars: the name decides, or being the only one. */
const candidatesIn = (repositories: readonly Record<string, unknown>[]): RepositoryCandidate[] =>
  repositories
    .filter(({ parent, is_private: hidden }) => !isObject(parent) && hidden !== true)
    .flatMap(({ slug }) => (typeof slug === 'string' ? [{ name: slug, stars: null }] : []));

export const bitbucket: CodeHost = {
  name: HostName.bitbucket,
  urls: { web: 'https://bitbucket.org', raw: 'https://bitbucket.org', api: 'https://api.bitbucket.org/2.0' },
  organizationPattern: /^[A-Za-z0-9_-]{1,62}$/,
  organizationRule: 'the id of a workspace: 1 to 62 letters, digits and _ -',
  repositoryPattern: /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,62}$/,
  repositoryRule: '1 to 62 letters, digits and . _ -',
  fallbackRepository: null,
  signInPaths: ['/account/signin', '/login'],
  signInOrigins: ['https://id.atlassian.com'],
  fileUrl: ({ raw }, { organization, repository, path }) =>
    `${raw}/${encodedPath(organization)}/${encodedPath(repository)}/raw/HEAD/${encodedPath(path)}`,
  repositoriesUrl: ({ api }, organization) => `${api}/repositories/${encodedPath(organization)}?pagelen=100`,
  unknownOrganizationStatuses: [],
  readRepositories(answer) {
    const repositories = isObject(answer) ? objectsOf(answer['values']) : undefined;
    if (!isObject(answer) || repositories === undefined) return undefined;
    const isWhole = answer['next'] === undefined;
    return { candidates: candidatesIn(repositories), decides: isWhole, isWhole };
  },
  repositoryUrl: ({ api }, organization, name) =>
    `${api}/repositories/${encodedPath(organization)}/${encodedPath(name)}`,
  readRepository: (answer) => (isObject(answer) ? candidatesIn([answer]) : undefined),
};
