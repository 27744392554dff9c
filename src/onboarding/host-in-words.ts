import type { DnsRecord } from './dns-record.ts';

/** `host bounce.mail in zone acme.com`, or a guess at the zone while no name server has named it. */
export function hostInWords({ name, host, zone }: Pick<DnsRecord, 'name' | 'host' | 'zone'>): string {
  if (zone === undefined) return `host ${host}`;
  if (zone !== null) return `host ${host} in zone ${zone}`;
  return `host ${host} if the zone is ${host === '@' ? name : name.slice(host.length + 1)}`;
}
