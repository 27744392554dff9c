import type { HostName } from './code-host.ts';
import { codeHosts } from './code-hosts.ts';

/** @param setting requests per second to each host; undefined: what the host allows */
export const requestsPerSecondTo = (host: HostName, setting: number | undefined): number =>
  setting ?? codeHosts[host].filesPerSecond;

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
    const perSecond = Math.min(codeHosts[host].filesPerSecond, requestsPerSecondTo(host, setting));
    return (producers * REQUESTS_PER_PRODUCER_MAX) / perSecond / 3_600;
  });
  return {
    requestsMax: all.reduce((sum, [, producers]) => sum + producers * REQUESTS_PER_PRODUCER_MAX, 0),
    hoursMax: Math.round(Math.max(0, ...hours) * 10) / 10,
  };
}
