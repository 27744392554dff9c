import { ALIASES_MAX } from './alias-chain.ts';
import type { DnsQuestion, LookUpType } from './answer.ts';
import { askServer, Rcode, type ServerReply } from './ask-server.ts';
import type { DecodedPacket } from 'dns-packet';
import { isBelow, namesBelowTopLevel, normalName, parentOf } from '../names/domain-name.ts';
import { readAnswer, ttlOf } from './read-response.ts';
import type { LookUpBudget } from './recursive-client.ts';
import { parseServerAddress } from './server-address.ts';

export interface CacheQuestion extends DnsQuestion {
  /** The apex of the zone that holds the name. Whether its delegation is signed decides what SERVFAIL means. */
  readonly zone: string;
}

/** A recursive resolver's answer about a record that is right on the zone's own servers. */
export type CachedAnswer = CachedRecord | CachedDenial | BogusAnswer | NoCachedAnswer;

export interface CachedRecord {
  readonly kind: 'found';
  /** Address and port of the resolver. */
  readonly server: string;
  readonly values: readonly string[];
  /** The resolver followed a CNAME, perhaps to a name that only its own network knows. */
  readonly isBehindAlias?: true;
  readonly secondsLeft: number;
}

export interface CachedDenial {
  readonly kind: 'denied';
  readonly server: string;
  /** Absent when the answer has no SOA record, RFC 2308 section 5. */
  readonly secondsLeft?: number;
  /** Since the resolver asked, at most; absent when the SOA record does not show it. */
  readonly ageSeconds?: number;
}

/** The resolver answers SERVFAIL twice, but returns the record with checking disabled, RFC 4035 section 5.5. */
interface BogusAnswer {
  readonly kind: 'bogus';
  readonly server: string;
  /** To which an SPF record refers; absent for the record itself. */
  readonly name?: string;
  /** The zone whose signatures are not valid: that of the name, one above, or one that an alias leads to. */
  readonly zone: string;
}

/** The resolver answers SERVFAIL or nothing, each time: it or the zone's servers fail. */
interface NoCachedAnswer {
  readonly kind: 'failed';
  readonly server: string;
  /** As in BogusAnswer. */
  readonly name?: string;
}

/** More resolvers add nothing new. */
const RESOLVERS_MAX = 3;

const EXTENDED_DNS_ERROR = 15;

/** A resolver asks slow and flaky servers several times. Verifiers such as dkimpy wait five seconds for its answer; this is four. */
const TIMES_MAX = 2;

/** Zones asked above a name without a known zone; enough for ordinary records. */
const ZONES_MAX = 6;

/**
 * Asks recursive resolvers for a record. Call it only after the zone's own servers returned the right record: a resolver that
 * is asked earlier would remember that there is none. A resolver that refuses or does not recurse is left out, and one
 * that fails where another one has an answer.
 *
 * @param resolvers `192.0.2.1:53`; the first three are asked
 */
export async function askCaches(
  resolvers: readonly string[],
  question: CacheQuestion,
  budget: LookUpBudget,
): Promise<readonly CachedAnswer[]> {
  const answers = await Promise.all(
    resolvers.slice(0, RESOLVERS_MAX).map((resolver) => askCache(resolver, question, budget)),
  );
  const heard = answers.filter((answer) => answer !== undefined);
  const others = heard.filter(({ kind }) => kind !== 'failed');
  return others.length > 0 ? others : heard;
}

async function askCache(
  server: string,
  question: CacheQuestion,
  budget: LookUpBudget,
): Promise<CachedAnswer | undefined> {
  const { name, type } = question;
  const ask: AskResolver = async (of, ofType, checkingDisabled) => {
    let asked: ServerReply = { failure: 'timeout' };
    for (let times = 0; times < TIMES_MAX && 'failure' in asked; times += 1) {
      const timeoutMs = budget.takeQuestion();
      if (timeoutMs === 0) return { failure: 'limit' };
      asked = await askServer(parseServerAddress(server), of, ofType, {
        recursionDesired: true,
        checkingDisabled,
        // It must ask the zone's servers as for a receiver, and remember their answer to that.
        inLowerCase: 'once',
        timeoutMs,
      });
    }
    return asked;
  };
  const first = await ask(name, type, false);
  if ('failure' in first) return { kind: 'failed', server };
  if (!isServFail(first)) return readCached(first, server, name, type);
  const unchecked = await ask(name, type, true);
  // A passing failure is over the second time.
  const last = await ask(name, type, false);
  if (!('failure' in last) && !isServFail(last)) return readCached(last, server, name, type);
  const zone = await bogusZone(ask, question, unchecked, last);
  return zone === undefined ? { kind: 'failed', server } : { kind: 'bogus', server, zone };
}

type AskResolver = (name: string, type: LookUpType, checkingDisabled: boolean) => Promise<ServerReply>;

/** The zone with invalid signatures, on the way from the name over its aliases. */
async function bogusZone(
  ask: AskResolver,
  { name, type, zone }: CacheQuestion,
  unchecked: ServerReply,
  checked: ServerReply,
): Promise<string | undefined> {
  if (readCached(unchecked, '', name, type)?.kind !== 'found') return undefined;
  const links = [name, ...(type === 'CNAME' ? [] : aliasesIn(unchecked, name))];
  for (const [at, link] of links.entries()) {
    const isLast = at === links.length - 1;
    if (links.length > 1 && !isServFail(await ask(link, isLast ? type : 'CNAME', false))) continue;
    const zones = link === name ? [zone] : await zonesOf(ask, link);
    for (const apex of zones) {
      const broken = await signedZone(ask, apex);
      if (broken !== undefined) return broken;
    }
  }
  return namesDnssec(checked) ? zone : undefined;
}

/** The apex, as its SOA record shows; otherwise every name that can be it. */
async function zonesOf(ask: AskResolver, name: string): Promise<readonly string[]> {
  const asked = await ask(name, 'SOA', true);
  const { answers = [], authorities = [] } = 'failure' in asked ? {} : asked.packet;
  const soa = [...answers, ...authorities].find((record) => record.type === 'SOA');
  return soa === undefined ? zonesAbove(name) : [normalName(soa.name)];
}

/** The zone, if its delegation is signed; where that cannot be validated either, the zone above. */
async function signedZone(ask: AskResolver, apex: string): Promise<string | undefined> {
  let zone = apex;
  for (let above = 0; above < ZONES_MAX && zone.includes('.'); above += 1) {
    const asked = await ask(zone, 'DS', false);
    if (!isServFail(asked)) return readCached(asked, '', zone, 'DS')?.kind === 'found' ? zone : undefined;
    const [parent] = await zonesOf(ask, parentOf(zone));
    if (parent === undefined || !isBelow(zone, parent)) return undefined;
    zone = parent;
  }
  return undefined;
}

/** Extended DNS Errors, RFC 8914 section 4: 6 is DNSSEC Bogus, 7 to 12 are its causes. */
function namesDnssec(asked: ServerReply): boolean {
  if ('failure' in asked) return false;
  const opt = asked.packet.additionals?.find((record) => record.type === 'OPT');
  if (opt?.type !== 'OPT') return false;
  return opt.options.some((option: { code: number; data?: Buffer | undefined }) => {
    const cause =
      option.code === EXTENDED_DNS_ERROR && (option.data?.length ?? 0) >= 2 ? option.data?.readUInt16BE(0) : undefined;
    return cause !== undefined && cause >= 6 && cause <= 12;
  });
}

/** Without top-level domains, which are nearly all signed. */
const zonesAbove = (name: string): readonly string[] => namesBelowTopLevel(name).slice(0, ZONES_MAX);

function isServFail(asked: ServerReply): boolean {
  return 'rcode' in asked && asked.rcode === Rcode.servFail;
}

function readCached(asked: ServerReply, server: string, name: string, type: LookUpType): CachedAnswer | undefined {
  if ('failure' in asked || (asked.rcode !== Rcode.noError && asked.rcode !== Rcode.nxDomain)) return undefined;
  const end = type === 'CNAME' ? name : (aliasesIn(asked, name).at(-1) ?? name);
  const answer = readAnswer(asked.packet, asked.rcode === Rcode.nxDomain, server, end, type);
  if (answer.kind === 'alias') return undefined;
  if (answer.kind === 'found') {
    const alias = end !== name && { isBehindAlias: true as const };
    return { kind: 'found', server, values: answer.values, secondsLeft: answer.ttlSeconds, ...alias };
  }
  // A referral from a server without recursion denies nothing.
  if (asked.packet.authorities?.some((record) => record.type === 'NS') === true) return undefined;
  const { negativeTtlSeconds: secondsLeft } = answer;
  const age = ageOf(asked.packet);
  return {
    kind: 'denied',
    server,
    ...(secondsLeft !== undefined && { secondsLeft }),
    ...(age !== undefined && { ageSeconds: age }),
  };
}

/** A denial is remembered for the MINIMUM of the SOA record at most, and its TTL counts down, RFC 2308 section 5. */
function ageOf({ authorities = [] }: DecodedPacket): number | undefined {
  const soa = authorities.find((record) => record.type === 'SOA');
  const age = soa?.type === 'SOA' ? (soa.data.minimum ?? 0) - ttlOf(soa) : -1;
  return age < 0 ? undefined : age;
}

/** A resolver returns the whole CNAME chain in one answer. */
function aliasesIn(asked: ServerReply, name: string): readonly string[] {
  const aliases: string[] = [];
  if ('failure' in asked) return aliases;
  while (aliases.length < ALIASES_MAX) {
    const end = aliases.at(-1) ?? name;
    const alias = asked.packet.answers?.find((record) => record.type === 'CNAME' && normalName(record.name) === end);
    if (alias?.type !== 'CNAME') break;
    aliases.push(normalName(alias.data));
  }
  return aliases;
}
