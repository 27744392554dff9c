// Tenants' records are asked of the authoritative servers, because a resolver's negative cache would delay the tenant. Every server is
// asked: a record that one of them lacks is not found, and if none answers, nothing is known.
import { deadEnd, throughAlias } from './alias-chain.ts';
import type { DelegationMismatch, DnsAnswer, LookUpType, ZoneAnswers } from './answer.ts';
import { askCaches, type CachedAnswer, type CacheQuestion } from './ask-caches.ts';
import { fitsInDns, normalName } from '../names/domain-name.ts';
import type { AddressPolicy } from '../address-policy.ts';
import { createRecursiveClient, type LookUpBudget } from './recursive-client.ts';
import type { Alias } from './read-response.ts';
import { type KnownZones, newKnownZones, type Walk } from './walk.ts';
import { walkDown } from './zone-walk.ts';

export interface AuthoritativeResolver {
  /**
   * The answers of all servers of the zone that holds the name. Rejects only with a TypeError, for a name that cannot be in DNS.
   *
   * @param known what other lookups of the same check have learned, to which this one adds. @default nothing
   */
  lookUp(name: string, type: LookUpType, known?: KnownZones): Promise<ZoneAnswers>;
  /**
   * The answer of one server, without following an alias: enough to search where a missing record is, and never to judge one.
   * Not every answer has `zone`.
   *
   * @param known as `lookUp` left it, so that a server that answers is asked
   */
  lookUpAtOne(name: string, type: LookUpType, known: KnownZones): Promise<ZoneAnswers>;
  /** The recursive resolvers' cached answers for a record. Call it only after `lookUp` returned the right one: see `askCaches`. */
  askCaches(question: CacheQuestion): Promise<readonly CachedAnswer[]>;
}

export interface AuthoritativeResolverOptions {
  /** Recursive resolvers, `192.0.2.1:53`; `lookUp` asks them only about top-level domains and the hosts of name servers. */
  readonly resolvers: readonly string[];
  /** The port of authoritative servers: 53, except in tests and in the demo. */
  readonly port: number;
  /** Which addresses of authoritative servers may be asked; recursive resolvers always may. */
  readonly mayAsk: AddressPolicy;
  /** For one exchange with one server. @default 2000, because no healthy server is slower and a check must end in seconds */
  readonly timeoutMs?: number;
  /** Milliseconds since the epoch. @default Date.now */
  readonly now?: () => number;
}

/** The limits of one lookup: questions (an ordinary lookup takes twelve) and time, in multiples of `timeoutMs`. */
const QUESTIONS_MAX = 150;
const TIMEOUTS_MAX = 5;

/** A resolver that asks the authoritative servers themselves, from the top-level domain down. */
export function createAuthoritativeResolver(options: AuthoritativeResolverOptions): AuthoritativeResolver {
  const now = options.now ?? Date.now;
  const timeoutMs = options.timeoutMs ?? 2_000;
  const recursive = createRecursiveClient({ resolvers: options.resolvers, now });

  function newBudget(): LookUpBudget {
    const endsAt = now() + TIMEOUTS_MAX * timeoutMs;
    let questionsLeft = QUESTIONS_MAX;
    return {
      takeQuestion: () => (questionsLeft-- > 0 ? Math.max(0, Math.min(timeoutMs, endsAt - now())) : 0),
    };
  }

  const newWalk = (known: KnownZones, asksOne: boolean): Walk => ({
    recursive,
    port: options.port,
    mayAsk: options.mayAsk,
    ...newBudget(),
    zonesSeen: new Set(),
    known,
    asksOne,
  });

  return {
    async lookUp(name, type, known = newKnownZones()) {
      const asked = normalName(name);
      if (!fitsInDns(asked)) {
        throw new TypeError(
          `A DNS name has labels of 1 to 63 characters and at most 253 characters in all; found ${JSON.stringify(name)}`,
        );
      }
      return throughAliases(newWalk(known, false), asked, type, []);
    },
    async lookUpAtOne(name, type, known) {
      const { zone, responses } = await walkDown(newWalk(known, true), name, type);
      return { name, type, zone, answers: responses.map(withoutTarget) };
    },
    askCaches: (question) => askCaches(options.resolvers, question, newBudget()),
  };
}

/** An alias shows that the name exists. */
const withoutTarget = (response: DnsAnswer | Alias): DnsAnswer =>
  response.kind === 'alias'
    ? { kind: 'noData', server: response.server, authoritative: true, aliases: [response.target] }
    : response;

/** RFC 1034 section 3.6.2: an alias has the records of its target. */
async function throughAliases(
  walk: Walk,
  name: string,
  type: LookUpType,
  followed: readonly string[],
): Promise<ZoneAnswers> {
  const { zone, responses, mismatches: ofZone } = await walkDown(walk, name, type);
  const mismatches: DelegationMismatch[] = [...ofZone];
  const answers: DnsAnswer[] = [];
  const targets = new Set<string>();
  for (const response of responses) {
    if (response.kind !== 'alias') {
      const isOfZone = response.kind === 'serverFailure' && response.isResolver !== true && zone !== undefined;
      answers.push(isOfZone ? { ...response, zone } : response);
      continue;
    }
    const { target } = response;
    if (targets.has(target)) continue;
    targets.add(target);
    const passed = [...followed, name];
    const end = deadEnd(response, passed);
    if (end !== undefined) {
      answers.push(end);
      continue;
    }
    const there = await throughAliases(walk, target, type, passed);
    mismatches.push(...(there.mismatches ?? []));
    answers.push(...there.answers.map((answer) => throughAlias(response, answer)));
  }
  return { name, type, zone, answers, ...(mismatches.length > 0 && { mismatches }) };
}
