import { groupsOf } from './batch-groups.ts';
import type { CheckInput } from './check-input.ts';
import type { ResolvedRepository } from './check-result.ts';
import { HostName } from './code-host.ts';
import { codeHosts } from './code-hosts.ts';
import type { Observation } from './observation.ts';

/** As many as one Workflow Execution of a batch checks itself: some 5,000 events, a tenth of what Temporal allows. */
export const PART_PRODUCERS_MAX = 250;
/** Checks of one host under way at once in a batch, whatever keeps them waiting. */
export const UNDER_WAY_MAX = 200;
/** Of them in one part with many organizations: enough to keep a Task Queue busy with four parts. */
const PART_UNDER_WAY_MAX = 50;
/** Of one organization one check is under way, and those that take their time. */
const SLICE_UNDER_WAY_MAX = 10;

/** What the checks of one organization have found out so far. */
export interface GroupFindings {
  readonly observed: readonly Observation[];
  readonly resolved: ResolvedRepository | null;
}

/** Producers of one host that one Workflow Execution checks: groups that share no question, or a slice of a large one. */
export interface BatchPart {
  readonly host: HostName;
  readonly groups: readonly (readonly CheckInput[])[];
  readonly underWayMax: number;
  /** Where the next slice of the organization begins in the order of repositories; null when there is none. */
  readonly nextFrom: string | null;
}

/** Chains of parts: each part of a chain begins with what those before it found out, and no two chains ask the same. */
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

/** What later slices of the same organization can use: few observations, because slices are in the order of repositories. */
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
