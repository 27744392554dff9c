// The configured recursive resolvers are asked only about top-level domains and the addresses of name servers. A question
// about a tenant's record before it exists would fill their negative cache and delay the tenant.
import type { DecodedPacket } from 'dns-packet';
import type { FailureReason, LookUpType, NxDomain, ServerFailure } from './answer.ts';
import { askServer, Rcode, type AskOptions } from './ask-server.ts';
import { delegationTo, type Delegation } from './delegation.ts';
import { normalName } from '../names/domain-name.ts';
import { readAnswer, serversNamed, ttlOf } from './read-response.ts';
import { parseServerAddress } from './server-address.ts';

export interface RecursiveClient {
  /** The servers of a top-level domain, remembered for the TTL of their record, at most an hour. */
  topLevel(label: string, budget: LookUpBudget): Promise<Delegation | NxDomain | ServerFailure>;
  /**
   * IPv4 and IPv6, remembered for the shortest TTL of the answers, at most an hour; empty, and not remembered, when there is
   * none. A failure is that of the resolver, or `limit`, and says nothing about the host.
   */
  addressesOf(host: string, budget: LookUpBudget): Promise<HostAddresses | ServerFailure>;
}

interface HostAddresses {
  readonly addresses: readonly string[];
  /** They are those of a CNAME record's target. */
  readonly isAlias: boolean;
}

/** What one lookup may ask, of authoritative servers and of resolvers. */
export interface LookUpBudget {
  /** Takes one question: how long each of its exchanges may take, in milliseconds; 0 when the questions or the time are used up. */
  readonly takeQuestion: () => number;
}

export interface RecursiveClientOptions {
  readonly resolvers: readonly string[];
  readonly now: () => number;
}

const REMEMBERED_MS_MAX = 3_600_000;
/** Name servers of the large operators are hundreds; a hostile zone must not fill the memory. */
const HOSTS_REMEMBERED_MAX = 10_000;

const reasons: ReadonlyMap<number, FailureReason> = new Map([
  [Rcode.servFail, 'servfail'],
  [Rcode.refused, 'refused'],
]);

interface FamilyAnswer extends HostAddresses {
  /** Infinity without records. */
  readonly ttlSeconds: number;
}

interface Answered {
  readonly packet: DecodedPacket;
  readonly isNxDomain: boolean;
  readonly server: string;
}

export function createRecursiveClient(options: RecursiveClientOptions): RecursiveClient {
  const servers = options.resolvers.map((text) => ({ text, ...parseServerAddress(text) }));
  const remembered = new Map<string, { delegation: Delegation; until: number }>();
  /** The addresses of name servers that many zones share. */
  const hosts = new Map<string, { found: HostAddresses; until: number }>();

  /** The first answer of any resolver; otherwise the last failure, and `limit` only if none was asked. */
  async function ask(
    name: string,
    type: LookUpType,
    budget: LookUpBudget,
    options: Pick<AskOptions, 'inLowerCase'> = {},
  ): Promise<Answered | ServerFailure> {
    let failure: ServerFailure | undefined;
    for (const candidate of servers) {
      const timeoutMs = budget.takeQuestion();
      if (timeoutMs === 0) return failure ?? failureOf(candidate.text, 'limit');
      const asked = await askServer(candidate, name, type, { ...options, recursionDesired: true, timeoutMs });
      if ('failure' in asked) failure = failureOf(candidate.text, asked.failure);
      else if (asked.rcode === Rcode.noError || asked.rcode === Rcode.nxDomain) {
        return { packet: asked.packet, isNxDomain: asked.rcode === Rcode.nxDomain, server: candidate.text };
      } else failure = failureOf(candidate.text, reasons.get(asked.rcode) ?? 'malformed');
    }
    return failure ?? failureOf('no resolver configured', 'noAddress');
  }

  async function addresses(
    host: string,
    type: 'A' | 'AAAA',
    budget: LookUpBudget,
  ): Promise<FamilyAnswer | ServerFailure> {
    const answer = await ask(host, type, budget, { inLowerCase: 'twice' });
    if ('kind' in answer) return answer;
    // A resolver returns the end of a CNAME chain in the same answer.
    const records = answer.packet.answers ?? [];
    return {
      addresses: records.flatMap((record) => (record.type === type ? [record.data] : [])),
      isAlias: records.some((record) => record.type === 'CNAME' && normalName(record.name) === host),
      ttlSeconds: Math.min(...records.map(ttlOf)),
    };
  }

  function remember(host: string, found: HostAddresses, ttlSeconds: number): void {
    hosts.delete(host);
    const [oldest] = hosts.keys();
    if (hosts.size >= HOSTS_REMEMBERED_MAX && oldest !== undefined) hosts.delete(oldest);
    hosts.set(host, { found, until: options.now() + Math.min(ttlSeconds * 1000, REMEMBERED_MS_MAX) });
  }

  return {
    async topLevel(label, budget) {
      const known = remembered.get(label);
      if (known !== undefined && known.until > options.now()) return known.delegation;
      const answered = await ask(label, 'NS', budget);
      if ('kind' in answered) return answered;
      const { packet, isNxDomain, server } = answered;
      if (isNxDomain) return { kind: 'nxDomain', server, authoritative: false, aliases: [] };
      const answer = readAnswer(packet, false, server, label, 'NS');
      if (answer.kind !== 'found') return failureOf(server, 'malformed');
      const records = (packet.answers ?? []).filter((record) => normalName(record.name) === label);
      const delegation = delegationTo(label, serversNamed(records, packet.additionals ?? []));
      remembered.set(label, {
        delegation,
        until: options.now() + Math.min(answer.ttlSeconds * 1000, REMEMBERED_MS_MAX),
      });
      return delegation;
    },
    async addressesOf(host, budget) {
      const known = hosts.get(host);
      if (known !== undefined && known.until > options.now()) return known.found;
      const [four, six] = await Promise.all([addresses(host, 'A', budget), addresses(host, 'AAAA', budget)]);
      // One address family is enough, but only two denials mean that there is no address.
      if ('kind' in four) return 'kind' in six || six.addresses.length === 0 ? four : six;
      if ('kind' in six) return four.addresses.length === 0 ? six : four;
      const found = {
        addresses: [...four.addresses, ...six.addresses],
        isAlias: four.isAlias || six.isAlias,
      };
      if (found.addresses.length > 0) remember(host, found, Math.min(four.ttlSeconds, six.ttlSeconds));
      return found;
    },
  };
}

function failureOf(server: string, reason: FailureReason): ServerFailure {
  return { kind: 'serverFailure', server, reason, isResolver: true };
}
