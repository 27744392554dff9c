import type { AuthoritativeResolver } from './authoritative-resolver.ts';

/** Names of which the zone was found, with its apex. */
export type ZonesByName = ReadonlyMap<string, string>;

/** Finds the zone that holds each name: what name servers say within the time. Never rejects for what they do. */
export async function findZones(
  resolver: Pick<AuthoritativeResolver, 'lookUp'>,
  names: readonly string[],
  withinMs: number,
): Promise<ZonesByName> {
  const zones = new Map<string, string>();
  const lookUps = [...new Set(names)].map(async (name) => {
    const { zone } = await resolver.lookUp(name, 'SOA');
    if (zone !== undefined) zones.set(name, zone);
  });
  let timer: NodeJS.Timeout | undefined;
  const timeIsOver = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, withinMs);
  });
  await Promise.race([Promise.all(lookUps), timeIsOver]).finally(() => {
    clearTimeout(timer);
  });
  // A copy: look-ups that go on must not change what was returned.
  return new Map(zones);
}
