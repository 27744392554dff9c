import { candidateOf, type CodeHost, encodedPath, HostName, objectsOf } from '../code-host.ts';
import { isObject } from '../../lib/json-value.ts';

export const bitbucket: CodeHost = {
  name: HostName.bitbucket,
  urls: { web: 'https://bitbucket.org', raw: 'https://bitbucket.org', api: 'https://api.bitbucket.org/2.0' },
  organizationPattern: /^[A-Za-z0-9_-]{1,62}$/,
  organizationRule: 'the id of a workspace: 1 to 62 letters, digits and _ -',
  repositoryPattern: /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,62}$/,
  repositoryRule: '1 to 62 letters, digits and . _ -',
  fallbackRepository: null,
  filesPerSecond: 60 / 3_600,
  signInPaths: ['/account/signin', '/login'],
  signInOrigins: ['https://id.atlassian.com'],
  fileUrl: ({ raw }, { organization, repository, path }) =>
    `${raw}/${encodedPath(`${organization}/${repository}/raw/HEAD/${path}`)}`,
  repositoriesUrl: ({ api }, organization) => `${api}/repositories/${encodedPath(organization)}?pagelen=100`,
  unknownOrganizationStatuses: [],
  readRepositories(answer) {
    const repositories = isObject(answer) ? objectsOf(answer['values']) : undefined;
    if (!isObject(answer) || repositories === undefined) return undefined;
    const isWhole = answer['next'] === undefined;
    return { repositories, decides: isWhole, isWhole };
  },
  repositoryUrl: ({ api }, organization, name) => `${api}/repositories/${encodedPath(`${organization}/${name}`)}`,
  // Bitbucket counts no stars: the name decides, or being the only repository.
  candidateIn: ({ parent, is_private: hidden, slug }) =>
    isObject(parent) || hidden === true ? undefined : candidateOf(slug, null),
};
