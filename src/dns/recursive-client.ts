// The configured recursive resolvers, which are asked only about top-level domains and about the addresses of name
// servers. Asking them about a tenant's records too early would fill their negative cache and delay the tenant.
import type { LookUpType, NxDomain, ServerFailure } from './answer.ts';
import { askServer, Rcode } from './ask-server.ts';
import type { Asked } from './ask-server.ts';
import { delegationTo } from './delegation.ts';
import type { Delegation } from './delegation.ts';
import { normalName } from './domain-name.ts';
import { readAnswer, serversNamed } from './read-response.ts';
import { parseServerAddress } from './server-address.ts';

export interface RecursiveClient {
  /** The servers of a top-level domain, remembered for as long as their record says, at most an hour. */
  topLevel(label: string, budget: TimeBudget): Promise<Delegation | NxDomain | ServerFailure>;
  /** IPv4 and IPv6; empty when there is none or nobody knows. */
  addressesOf(host: string, budget: TimeBudget): Promise<readonly string[]>;
}

export interface TimeBudget {
  /** How long the next exchange may take, in milliseconds; 0 when the look-up's time is over. */
  readonly timeoutMs: () => number;
}

export interface RecursiveClientOptions {
  readonly resolvers: readonly string[];
  readonly now: () => number;
}

const REMEMBERED_MS_MAX = 3_600_000;

export function createRecursiveClient(options: RecursiveClientOptions): RecursiveClient {
  const servers = options.resolvers.map((text) => ({ text, ...parseServerAddress(text) }));
  const remembered = new Map<string, { delegation: Delegation; until: number }>();

  /** The first resolver's answer that is one; otherwise the last failure. */
  async function ask(name: string, type: LookUpType, budget: TimeBudget): Promise<{ asked: Asked; server: string }> {
    let asked: Asked = { failure: 'noAddress' };
    let server = 'no resolver configured';
    for (const candidate of servers) {
      const timeoutMs = budget.timeoutMs();
      if (timeoutMs === 0) return { asked: { failure: 'limit' }, server };
      server = candidate.text;
      asked = await askServer(candidate, name, type, { recursionDesired: true, timeoutMs });
      if ('packet' in asked && (asked.rcode === Rcode.noError || asked.rcode === Rcode.nxDomain)) break;
    }
    return { asked, server };
  }

  async function addresses(host: string, type: 'A' | 'AAAA', budget: TimeBudget): Promise<readonly string[]> {
    const { asked } = await ask(host, type, budget);
    if ('failure' in asked) return [];
    // A resolver puts the end of a CNAME chain into the same answer.
    return (asked.packet.answers ?? []).flatMap((record) => (record.type === type ? [record.data] : []));
  }

  return {
    async topLevel(label, budget) {
      const known = remembered.get(label);
      if (known !== undefined && known.until > options.now()) return known.delegation;
      const { asked, server } = await ask(label, 'NS', budget);
      if ('failure' in asked) return { kind: 'serverFailure', server, reason: asked.failure };
      if (asked.rcode === Rcode.nxDomain) {
        return { kind: 'nxDomain', server, authoritative: false, aliases: [] };
      }
      const answer = readAnswer(asked.packet, false, server, label, 'NS');
      if (asked.rcode !== Rcode.noError || answer.kind !== 'found') {
        return { kind: 'serverFailure', server, reason: asked.rcode === Rcode.refused ? 'refused' : 'servfail' };
      }
      const records = (asked.packet.answers ?? []).filter((record) => normalName(record.name) === label);
      const delegation = delegationTo(label, serversNamed(records, asked.packet.additionals ?? []));
      remembered.set(label, {
        delegation,
        until: options.now() + Math.min(answer.ttlSeconds * 1000, REMEMBERED_MS_MAX),
      });
      return delegation;
    },
    async addressesOf(host, budget) {
      const [four, six] = await Promise.all([addresses(host, 'A', budget), addresses(host, 'AAAA', budget)]);
      return [...four, ...six];
    },
  };
}
