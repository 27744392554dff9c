import { parseJson } from '../lib/parse-json.ts';
import { type HostQuestion, type HostResponse, withoutQuery } from './request-host.ts';
import type { CodeHost, HostUrls, RepositoryCandidate, RepositoryListing } from '../agents-md/code-host.ts';
import { isObject } from '../lib/json-value.ts';
import { HostUnreachable } from './host-failure.ts';
import type { ResolutionObservation } from '../agents-md/observation.ts';
import { ownNameOf, SelectedBy, selectRepository } from '../agents-md/select-repository.ts';

/** 451 (RFC 7725): withheld for legal reasons, so not public. */
export const ABSENT_STATUSES = [404, 410, 451];

/** GitHub's description of a hundred repositories is about 600 kB. */
export const LISTING_BYTES_MAX = 4 * 1_024 * 1_024;

interface Resolution {
  readonly rules: CodeHost;
  readonly urls: HostUrls;
  readonly organization: string;
  readonly hopsMax: number;
  readonly now: () => number;
  readonly send: (rest: HostQuestion) => Promise<HostResponse>;
}

/**
 * Finds the primary repository. If the list may lack the repository named like the organization, it is requested too, as
 * a further request of the check.
 */
export async function resolveRepository(resolution: Resolution): Promise<ResolutionObservation> {
  const { rules, urls, organization, hopsMax } = resolution;
  const url = rules.repositoriesUrl(urls, organization);
  const answer = await requestJson(resolution, url, hopsMax);
  const seen = observed(resolution, url, answer);
  if (answer.stoppedAt !== null) return { ...seen, answer: 'redirectBlocked', detail: answer.stoppedAt.detail };
  if ([...ABSENT_STATUSES, ...rules.unknownOrganizationStatuses].includes(answer.httpStatus)) {
    return { ...seen, answer: 'absent' };
  }
  const listing = rules.readRepositories(contentOf(answer), totalOf(answer));
  if (listing === 'unfinished') {
    throw new HostUnreachable({
      host: rules.name,
      url: seen.url,
      because: 'the list of repositories is incomplete',
    });
  }
  if (answer.httpStatus !== 200 || listing === undefined) {
    return {
      ...seen,
      answer: 'unexpectedContent',
      detail: `status ${answer.httpStatus} without a list of repositories`,
    };
  }
  const selected = selectRepository(organization, candidatesIn(rules, listing.repositories), listing.decides);
  const isNamesake = typeof selected !== 'string' && selected.selectedBy === SelectedBy.organizationName;
  return listing.isWhole || isNamesake ? concluded(rules, seen, selected) : requestNamesake(resolution, seen, selected);
}

/** @param selected the selection if no such repository exists */
async function requestNamesake(
  resolution: Resolution,
  listed: ResolutionObservation,
  selected: ReturnType<typeof selectRepository>,
): Promise<ResolutionObservation> {
  const { rules, urls, organization, hopsMax } = resolution;
  const name = ownNameOf(organization);
  const namesakeUrl = rules.repositoryUrl(urls, organization, name);
  const hopsLeft = hopsMax - listed.redirects.length;
  if (!(hopsLeft > 0)) return { ...listed, answer: 'undetermined' };
  const answer = await requestJson(resolution, namesakeUrl, hopsLeft - 1);
  const { redirects } = answer;
  const seen = {
    ...listed,
    redirects: [...listed.redirects, ...redirects],
    namesakeUrl: withoutQuery(new URL(namesakeUrl)),
  };
  if (ABSENT_STATUSES.includes(answer.httpStatus)) return concluded(rules, seen, selected);
  if (answer.stoppedAt?.signIn === true) return concluded(rules, seen, selected);
  if (answer.stoppedAt !== null) return { ...seen, answer: 'redirectBlocked', detail: answer.stoppedAt.detail };
  const repository = contentOf(answer);
  if (answer.httpStatus !== 200 || !isObject(repository)) {
    const detail = `status ${answer.httpStatus} without a repository at ${seen.namesakeUrl}`;
    return { ...seen, answer: 'unexpectedContent', detail };
  }
  // A renamed repository is found under its former name too.
  const found = selectRepository(organization, candidatesIn(rules, [repository]), false);
  return concluded(rules, seen, typeof found === 'string' ? selected : found);
}

function concluded(
  rules: CodeHost,
  seen: ResolutionObservation,
  selected: ReturnType<typeof selectRepository>,
): ResolutionObservation {
  if (typeof selected === 'string') return { ...seen, answer: selected };
  if (!rules.repositoryPattern.test(selected.repository)) {
    throw new HostUnreachable({
      host: rules.name,
      url: seen.url,
      because: 'it lists a repository with an invalid name',
    });
  }
  return { ...seen, answer: 'resolved', ...selected };
}

const candidatesIn = (rules: CodeHost, repositories: RepositoryListing['repositories']): RepositoryCandidate[] =>
  repositories.flatMap((repository) => rules.candidateIn(repository) ?? []);

const requestJson = ({ send }: Resolution, url: string, hopsMax: number): Promise<HostResponse> =>
  send({ url, hopsMax, accept: 'application/json', bytesMax: LISTING_BYTES_MAX });

const observed = (
  { now }: Resolution,
  url: string,
  { httpStatus, redirects }: HostResponse,
): ResolutionObservation => ({
  kind: 'resolution',
  answer: 'none',
  url: withoutQuery(new URL(url)),
  httpStatus,
  redirects,
  detail: null,
  observedAt: new Date(now()).toISOString(),
  repository: null,
  selectedBy: null,
});

function totalOf({ headers }: HostResponse): number | undefined {
  const total = headers['x-total-count'];
  return typeof total === 'string' && /^\d{1,15}$/.test(total) ? Number(total) : undefined;
}

const contentOf = ({ bytes }: HostResponse): unknown => parseJson(new TextDecoder().decode(bytes));
