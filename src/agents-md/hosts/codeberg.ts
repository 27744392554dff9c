import { candidateOf, type CodeHost, encodedPath, HostName, objectsOf } from '../code-host.ts';

export const codeberg: CodeHost = {
  name: HostName.codeberg,
  urls: { web: 'https://codeberg.org', raw: 'https://codeberg.org/api/v1', api: 'https://codeberg.org/api/v1' },
  organizationPattern: /^(?=.{1,40}$)[A-Za-z0-9]+(?:[._-][A-Za-z0-9]+)*$/,
  organizationRule: '1 to 40 letters and digits with single . _ - between them',
  repositoryPattern: /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/,
  repositoryRule: '1 to 100 letters, digits and . _ -',
  fallbackRepository: null,
  filesPerSecond: 1,
  signInPaths: ['/user/login'],
  signInOrigins: [],
  // The API reads the default branch; the web URL requires its name.
  fileUrl: ({ raw }, { organization, repository, path }) =>
    `${raw}/repos/${encodedPath(`${organization}/${repository}/raw/${path}`)}`,
  repositoriesUrl: ({ api }, organization) => `${api}/orgs/${encodedPath(organization)}/repos?limit=50`,
  unknownOrganizationStatuses: [],
  readRepositories(answer, total) {
    const repositories = objectsOf(answer);
    if (repositories === undefined) return undefined;
    const isWhole = total !== undefined ? total <= repositories.length : repositories.length < 50;
    // The list is not sorted by stars: only a complete list shows which repository has the most.
    return { repositories, decides: isWhole, isWhole };
  },
  repositoryUrl: ({ api }, organization, name) => `${api}/repos/${encodedPath(`${organization}/${name}`)}`,
  candidateIn: ({ fork, archived, private: hidden, name, stars_count: stars }) =>
    fork === true || archived === true || hidden === true ? undefined : candidateOf(name, stars),
};
