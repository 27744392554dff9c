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
  /** Those of its organization that later slices check; empty when this is no slice, or the last one. */
  readonly followers: readonly CheckInput[];
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
        return [{ host, groups: bundle, underWayMax: Math.min(PART_UNDER_WAY_MAX, count), followers: [] }];
      }),
    ];
  });
}

/** What later slices of the same organization can use: few observations, because slices are in the order of repositories. */
export function findingsFor(followers: readonly CheckInput[], { observed, resolved }: GroupFindings): GroupFindings {
  const [first] = followers;
  if (first === undefined) return { observed: [], resolved: null };
  const names = new Set(
    [
      resolved?.repository,
      codeHosts[first.host ?? HostName.github].fallbackRepository,
      ...followers.map(({ primaryRepository }) => primaryRepository),
    ].map((name) => name?.toLowerCase()),
  );
  return {
    resolved,
    observed: observed.filter((seen) => seen.kind === 'resolution' || names.has(seen.place.repository.toLowerCase())),
  };
}

function slicesOf(host: HostName, group: readonly CheckInput[], producersMax: number): BatchPart[] {
  const key = ({ primaryRepository = '' }: CheckInput): string => primaryRepository.toLowerCase();
  const ordered = group.toSorted((one, other) => (key(one) < key(other) ? -1 : key(one) > key(other) ? 1 : 0));
  return Array.from({ length: Math.ceil(ordered.length / producersMax) }, (_, slice) => {
    const end = (slice + 1) * producersMax;
    const groups = [ordered.slice(slice * producersMax, end)];
    return { host, groups, underWayMax: SLICE_UNDER_WAY_MAX, followers: ordered.slice(end) };
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
