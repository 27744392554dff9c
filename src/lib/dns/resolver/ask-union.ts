import type { DelegationMismatch } from './answer.ts';
import { isBelow } from '../names/domain-name.ts';
import { isSameServer, type Delegation, type NameServer } from './delegation.ts';
import type { Response } from './read-response.ts';

export interface ServerAnswer {
  readonly response: Response;
  /** The servers that this one names for the zone; empty when it names none. */
  readonly own: readonly NameServer[];
}

export interface UnionAnswers {
  readonly responses: ReadonlyMap<NameServer, Response>;
  /** At most one. */
  readonly mismatches: readonly DelegationMismatch[];
}

/** Those of the parent and as many of the zone itself; a hostile zone must not make us ask hundreds. */
const SERVERS_MAX = 26;

/**
 * Asks the servers that the parent names for a zone and those that the zone names for itself: a resolver begins with the
 * former and remembers the latter (RFC 2181 section 5.4.1).
 */
export async function askUnion(
  { zone, servers }: Delegation,
  askOne: (server: NameServer) => Promise<ServerAnswer>,
): Promise<UnionAnswers> {
  const responses = new Map<NameServer, Response>();
  const union = [...servers];
  const ownSets: (readonly NameServer[])[] = [];
  for (let at = 0; at < union.length;) {
    const next = union.slice(at);
    at = union.length;
    const answers = await Promise.all(next.map(async (server) => [server, await askOne(server)] as const));
    for (const [server, { response, own }] of answers) {
      responses.set(server, response);
      const set = own.map((one) => union.find((known) => isSameServer(known, one)) ?? one);
      const fresh = set.filter((one) => !union.includes(one));
      union.push(...fresh.slice(0, Math.max(0, SERVERS_MAX - union.length)));
      if (set.length > 0) ownSets.push(set.filter((one) => union.includes(one)));
    }
  }
  const byZone = [...new Set(ownSets.flat())];
  const differs = ownSets.some((set) => set.length !== servers.length || set.some((one) => !servers.includes(one)));
  if (!differs) return { responses, mismatches: [] };
  const hasAnswer = (one: NameServer): boolean => responses.get(one)?.kind !== 'serverFailure';
  // For a host inside the zone without an address, BIND and Unbound return to the servers of the parent.
  const isLost = (one: NameServer): boolean => {
    const response = responses.get(one);
    return response?.kind === 'serverFailure' && response.reason === 'noAddress' && isBelow(one.host, zone);
  };
  const name = (one: NameServer): string =>
    union.some((other) => other !== one && other.host === one.host)
      ? `${one.host} (${one.addresses.join(', ')})`
      : one.host;
  const answered = ownSets.every((set) => set.some(hasAnswer) || set.every(isLost));
  return { responses, mismatches: [{ zone, byParent: servers.map(name), byZone: byZone.map(name), answered }] };
}
