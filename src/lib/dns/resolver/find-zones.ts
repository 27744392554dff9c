import { settlesWithin } from '../../timing/settles-within.ts';
import type { AuthoritativeResolver } from './authoritative-resolver.ts';
import { newKnownZones } from './walk.ts';

/** The apex of the zone of each name; names whose zone was not found are absent. */
export type ZonesByName = ReadonlyMap<string, string>;

/** Finds the zone that holds each name, as far as name servers answer within `withinMs`. Server failures never reject. */
export async function findZones(
  resolver: Pick<AuthoritativeResolver, 'lookUp'>,
  names: readonly string[],
  withinMs: number,
): Promise<ZonesByName> {
  const known = newKnownZones();
  const zones = new Map<string, string>();
  const lookUps = [...new Set(names)].map(async (name) => {
    const { zone } = await resolver.lookUp(name, 'SOA', known);
    if (zone !== undefined) zones.set(name, zone);
  });
  await settlesWithin(withinMs, Promise.all(lookUps));
  // A copy, because lookups still under way must not change the result.
  return new Map(zones);
}
