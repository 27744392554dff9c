import { candidateOf, type CodeHost, encodedPath, HostName, objectsOf } from '../code-host.ts';
import { isObject } from '../../lib/json-value.ts';

export const github: CodeHost = {
  name: HostName.github,
  urls: { web: 'https://github.com', raw: 'https://raw.githubusercontent.com', api: 'https://api.github.com' },
  organizationPattern: /^(?=.{1,39}$)[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*$/,
  organizationRule: '1 to 39 letters, digits and single inner hyphens',
  repositoryPattern: /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/,
  repositoryRule: '1 to 100 letters, digits and . _ -',
  fallbackRepository: '.github',
  filesPerSecond: 60 / 3_600,
  signInPaths: ['/login', '/session'],
  signInOrigins: [],
  // HEAD is the default branch.
  fileUrl: ({ raw }, { organization, repository, path }) =>
    `${raw}/${encodedPath(`${organization}/${repository}/HEAD/${path}`)}`,
  // Unlike an organization's list, the search sorts by stars and excludes forks.
  repositoriesUrl: ({ api }, organization) =>
    `${api}/search/repositories?q=${encodeURIComponent(`org:${organization} archived:false fork:false`)}&sort=stars&order=desc&per_page=100`,
  unknownOrganizationStatuses: [422],
  readRepositories(answer) {
    if (!isObject(answer)) return undefined;
    // The search timed out: its items are not the complete list.
    if (answer['incomplete_results'] === true) return 'unfinished';
    const items = objectsOf(answer['items']);
    if (items === undefined) return undefined;
    const { total_count: total } = answer;
    const isWhole = typeof total === 'number' ? total <= items.length : items.length < 100;
    return { repositories: items, decides: true, isWhole };
  },
  repositoryUrl: ({ api }, organization, name) => `${api}/repos/${encodedPath(`${organization}/${name}`)}`,
  candidateIn: ({ fork, archived, name, stargazers_count: stars }) =>
    fork === true || archived === true ? undefined : candidateOf(name, stars),
};
