import { candidateOf, type CodeHost, encodedPath, HostName, objectsOf } from '../code-host.ts';

export const gitlab: CodeHost = {
  name: HostName.gitlab,
  urls: { web: 'https://gitlab.com', raw: 'https://gitlab.com', api: 'https://gitlab.com/api/v4' },
  organizationPattern:
    /^(?=.{1,255}$)(?:[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_-])?)(?:\/[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_-])?){0,19}$/,
  organizationRule: 'a group, or groups inside it with slashes between, of letters, digits and . _ -',
  repositoryPattern: /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,254}$/,
  repositoryRule: '1 to 255 letters, digits and . _ -, beginning with a letter, digit or _',
  fallbackRepository: null,
  filesPerSecond: 500 / 60,
  signInPaths: ['/users/sign_in'],
  signInOrigins: [],
  fileUrl: ({ raw }, { organization, repository, path }) =>
    `${raw}/${encodedPath(`${organization}/${repository}/-/raw/HEAD/${path}`)}`,
  repositoriesUrl: ({ api }, organization) =>
    `${api}/groups/${encodeURIComponent(organization)}/projects?visibility=public&archived=false&with_shared=false&order_by=star_count&sort=desc&per_page=100`,
  unknownOrganizationStatuses: [],
  readRepositories(answer) {
    const repositories = objectsOf(answer);
    if (repositories === undefined) return undefined;
    return { repositories, decides: true, isWhole: repositories.length < 100 };
  },
  repositoryUrl: ({ api }, organization, name) => `${api}/projects/${encodeURIComponent(`${organization}/${name}`)}`,
  candidateIn: ({ forked_from_project: source, archived, path, star_count: stars }) =>
    source !== undefined || archived === true ? undefined : candidateOf(path, stars),
};
