import { delegationTo } from './delegation.ts';
import { isAtOrBelow, normalName } from '../names/domain-name.ts';
import { serversNamed } from './read-response.ts';
import { ask, type ApexAnswer, type Walk } from './walk.ts';

/** Asks a server for the name servers of its zone, once in a check. */
export function askApex(walk: Walk, zone: string, address: string): Promise<ApexAnswer> {
  const key = `${zone} ${address}`;
  const answer = walk.known.apexes.get(key) ?? readApex(walk, zone, address);
  walk.known.apexes.set(key, answer);
  return answer;
}

async function readApex(walk: Walk, zone: string, address: string): Promise<ApexAnswer> {
  for (const inLowerCase of [false, true]) {
    const asked = await ask(walk, address, zone, 'NS', inLowerCase);
    // `askServer` has asked in lower case as well.
    if ('failure' in asked) break;
    const records = (asked.packet.answers ?? []).filter((record) => normalName(record.name) === zone);
    const { servers } = delegationTo(zone, serversNamed(records, asked.packet.additionals ?? []));
    if (servers.length === 0) continue;
    return {
      // The zone does not know the addresses of hosts elsewhere.
      servers: servers.map((server) => (isAtOrBelow(server.host, zone) ? server : { ...server, addresses: [] })),
      knowsCapitals: asked.hadCapitals,
    };
  }
  return { servers: [], knowsCapitals: false };
}
