import type { HostName } from './code-host.ts';

/** How often a host answers a client that is not signed in, by address. */
export interface HostLimit {
  readonly requests: number;
  readonly perSeconds: number;
}

/** For files; docs/agents-md.md has the sources. Where a host publishes no number: what the check assumes. */
export const fileLimits: Readonly<Record<HostName, HostLimit>> = {
  'github.com': { requests: 60, perSeconds: 3_600 },
  'gitlab.com': { requests: 500, perSeconds: 60 },
  'codeberg.org': { requests: 1, perSeconds: 1 },
  'bitbucket.org': { requests: 60, perSeconds: 3_600 },
};

/** @param setting requests per second to each host; undefined: what the host allows */
export const requestsPerSecondTo = (host: HostName, setting: number | undefined): number =>
  setting ?? fileLimits[host].requests / fileLimits[host].perSeconds;

/** The file, and the organization's fallback if it is missing. */
const REQUESTS_PER_PRODUCER_MAX = 2;

export interface Pace {
  readonly requestsMax: number;
  /** Until the last producer of the slowest host is answered. */
  readonly hoursMax: number;
}

/** How long a check of all producers takes at most, unless a host allows less. @param hosts producers by host */
export function paceOf(hosts: Readonly<Partial<Record<HostName, number>>>, setting: number | undefined): Pace {
  const all = Object.entries(hosts) as [HostName, number][];
  const hours = all.map(([host, producers]) => {
    const { requests, perSeconds } = fileLimits[host];
    const perSecond = Math.min(requests / perSeconds, requestsPerSecondTo(host, setting));
    return (producers * REQUESTS_PER_PRODUCER_MAX) / perSecond / 3_600;
  });
  return {
    requestsMax: all.reduce((sum, [, producers]) => sum + producers * REQUESTS_PER_PRODUCER_MAX, 0),
    hoursMax: Math.round(Math.max(0, ...hours) * 10) / 10,
  };
}
