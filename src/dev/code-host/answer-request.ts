import { createHash } from 'node:crypto';

/** Path prefixes of github.com's three base URLs. */
export const RAW = '/raw';
export const API = '/api';
export const WEB = '/web';

/** A repository of the local code host: public, and on its default branch. */
export interface HostedRepository {
  readonly organization: string;
  readonly name: string;
  readonly stars: number;
  /** By path from the root. */
  readonly files: Readonly<Record<string, string>>;
}

export interface CodeHostRequest {
  readonly url: URL;
  readonly ifNoneMatch: string | undefined;
}

export interface CodeHostResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Answers the two requests of a check as github.com answers them without credentials. */
export function answerRequest(repositories: readonly HostedRepository[], request: CodeHostRequest): CodeHostResponse {
  const { pathname } = request.url;
  if (pathname === `${API}/search/repositories`) return answerSearch(repositories, request.url);
  if (pathname.startsWith(`${RAW}/`)) return answerRaw(repositories, request);
  return text(404, 'Not Found');
}

/** The requested organization; undefined if the path contains none. */
export function organizationIn({ pathname, searchParams }: URL): string | undefined {
  if (pathname.startsWith(`${RAW}/`)) return segments(pathname)[1];
  return /(?:^| )org:(\S+)/.exec(searchParams.get('q') ?? '')?.[1];
}

/** `/raw/ORGANIZATION/REPOSITORY/HEAD/PATH`; names ignore case, paths do not. */
function answerRaw(repositories: readonly HostedRepository[], { url, ifNoneMatch }: CodeHostRequest): CodeHostResponse {
  const [, organization, name, revision, ...path] = segments(url.pathname);
  const repository = repositories.find((one) => isSame(one.organization, organization) && isSame(one.name, name));
  const content = revision === 'HEAD' ? repository?.files[path.join('/')] : undefined;
  if (content === undefined) return text(404, '404: Not Found');
  const etag = `"${createHash('sha256').update(content).digest('hex')}"`;
  const headers = { etag, 'cache-control': 'max-age=300' };
  return ifNoneMatch === etag ? { status: 304, headers, body: '' } : text(200, content, headers);
}

/** `/api/search/repositories?q=org:ORGANIZATION …`, most stars first. */
function answerSearch(repositories: readonly HostedRepository[], url: URL): CodeHostResponse {
  const organization = organizationIn(url);
  const own = repositories.filter((one) => isSame(one.organization, organization));
  if (own.length === 0) {
    const message = 'Validation Failed';
    const errors = [
      { message: 'The listed users cannot be searched', resource: 'Search', field: 'q', code: 'invalid' },
    ];
    return json(422, { message, errors });
  }
  const items = own
    .toSorted((one, other) => other.stars - one.stars)
    .map(({ organization: owner, name, stars }) => ({
      name,
      full_name: `${owner}/${name}`,
      owner: { login: owner, type: 'Organization' },
      private: false,
      fork: false,
      archived: false,
      stargazers_count: stars,
      default_branch: 'main',
    }));
  return json(200, { total_count: items.length, incomplete_results: false, items });
}

const segments = (pathname: string): string[] => pathname.split('/').slice(1).map(decodeURIComponent);

const isSame = (name: string, asked: string | undefined): boolean => name.toLowerCase() === asked?.toLowerCase();

const text = (status: number, body: string, headers: CodeHostResponse['headers'] = {}): CodeHostResponse => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8', ...headers },
  body,
});

const json = (status: number, body: object): CodeHostResponse => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8' },
  body: JSON.stringify(body),
});
