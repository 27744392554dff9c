import { groupsOf } from './batch-groups.ts';
import type { CheckInput } from './check-input.ts';
import type { ResolvedRepository } from './check-result.ts';
import { HostName } from './code-host.ts';
import { codeHosts } from './code-hosts.ts';
import type { Observation } from './observation.ts';

/** Producers that one Workflow Execution checks: about 5,000 events, a tenth of Temporal's limit. */
export const PART_PRODUCERS_MAX = 250;
/** Concurrent checks of one host in a batch. */
export const UNDER_WAY_MAX = 200;
/** Concurrent checks in one part with many organizations; four parts keep a Task Queue busy. */
const PART_UNDER_WAY_MAX = 50;
/** Checks of one organization run one after the other, beside slow ones. */
const SLICE_UNDER_WAY_MAX = 10;

/** What the checks of one organization have observed so far. */
export interface GroupFindings {
  readonly observed: readonly Observation[];
  readonly resolved: ResolvedRepository | null;
}

/** Producers of one host that one Workflow Execution checks: groups that share no request, or a slice of a large group. */
export interface BatchPart {
  readonly host: HostName;
  readonly groups: readonly (readonly CheckInput[])[];
  readonly underWayMax: number;
  /** The first repository of the organization's next slice; null if there is none. */
  readonly nextFrom: string | null;
}

/** Chains of parts: a part starts with the findings of the previous ones, and no two chains make the same request. */
export function partsOf(producers: readonly CheckInput[], producersMax = PART_PRODUCERS_MAX): BatchPart[][] {
  const groups = groupsOf(producers);
  const hosts = [...new Set(groups.map(hostOf))];
  return hosts.flatMap((host) => {
    const own = groups.filter((group) => hostOf(group) === host);
    const large = own.filter((group) => group.length > producersMax);
    const bundles = bundled(
      own.filter((group) => group.length <= producersMax),
      producersMax,
    );
    return [
      ...large.map((group) => slicesOf(host, group, producersMax)),
      ...bundles.map((bundle) => {
        const count = bundle.reduce((sum, group) => sum + group.length, 0);
        return [{ host, groups: bundle, underWayMax: Math.min(PART_UNDER_WAY_MAX, count), nextFrom: null }];
      }),
    ];
  });
}

/** The findings that later slices of the organization can reuse: few, because slices are ordered by repository. */
export function findingsFor(
  { host, nextFrom }: Pick<BatchPart, 'host' | 'nextFrom'>,
  { observed, resolved }: GroupFindings,
): GroupFindings {
  if (nextFrom === null) return { observed: [], resolved: null };
  const askedAnywhere = [resolved?.repository, codeHosts[host].fallbackRepository].map((name) => name?.toLowerCase());
  const isAskedLater = (repository: string): boolean => repository >= nextFrom || askedAnywhere.includes(repository);
  return {
    resolved,
    observed: observed.filter(
      (seen) => seen.kind === 'resolution' || isAskedLater(seen.place.repository.toLowerCase()),
    ),
  };
}

const orderOf = ({ primaryRepository = '' }: CheckInput): string => primaryRepository.toLowerCase();

function slicesOf(host: HostName, group: readonly CheckInput[], producersMax: number): BatchPart[] {
  const ordered = group.toSorted((one, other) => {
    const [left, right] = [orderOf(one), orderOf(other)];
    return left < right ? -1 : left > right ? 1 : 0;
  });
  return Array.from({ length: Math.ceil(ordered.length / producersMax) }, (_, slice) => {
    const end = (slice + 1) * producersMax;
    const groups = [ordered.slice(slice * producersMax, end)];
    const next = ordered[end];
    return { host, groups, underWayMax: SLICE_UNDER_WAY_MAX, nextFrom: next === undefined ? null : orderOf(next) };
  });
}

function bundled(groups: readonly CheckInput[][], producersMax: number): CheckInput[][][] {
  const bundles: CheckInput[][][] = [];
  let room = 0;
  for (const group of groups) {
    if (group.length > room) {
      bundles.push([]);
      room = producersMax;
    }
    bundles.at(-1)?.push(group);
    room -= group.length;
  }
  return bundles;
}

const hostOf = ([first]: readonly CheckInput[]): HostName => first?.host ?? HostName.github;
