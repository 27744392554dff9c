import { ALIASES_MAX } from './alias-chain.ts';
import type { LookUpType } from './answer.ts';
import { askServer, Rcode } from './ask-server.ts';
import type { Asked } from './ask-server.ts';
import { normalName, parentOf } from '../names/domain-name.ts';
import { readAnswer } from './read-response.ts';
import type { TimeBudget } from './recursive-client.ts';
import { parseServerAddress } from './server-address.ts';

export interface CacheQuestion {
  readonly name: string;
  readonly type: LookUpType;
  /** The apex of the zone that holds the name: whether its delegation is signed decides what a SERVFAIL means. */
  readonly zone: string;
}

/** What a recursive resolver says about a record that the zone's own servers already have right. */
export type CachedAnswer = CachedRecord | CachedDenial | BogusAnswer;

export interface CachedRecord {
  readonly kind: 'found';
  /** Address and port of the resolver. */
  readonly server: string;
  readonly values: readonly string[];
  /** Behind a CNAME that the resolver followed, perhaps to a name that only its own network knows. */
  readonly isBehindAlias?: true;
  readonly secondsLeft: number;
}

export interface CachedDenial {
  readonly kind: 'denied';
  readonly server: string;
  /** Absent when the answer came without the SOA record that says it, RFC 2308 section 5. */
  readonly secondsLeft?: number;
}

/** SERVFAIL, twice, for what the resolver gives with checking disabled, below a signed delegation: RFC 4035 section 5.5. */
export interface BogusAnswer {
  readonly kind: 'bogus';
  readonly server: string;
}

/** More resolvers than a machine has configured sensibly say nothing new. */
const RESOLVERS_MAX = 3;

const EXTENDED_DNS_ERROR = 15;

/** So many questions about the zones of aliases are enough to find the signed one among ordinary names. */
const ALIAS_ZONES_MAX = 6;

/**
 * What recursive resolvers remember of a name. To be called only after the zone's own servers gave the right record: a
 * resolver that is asked earlier learns that there is none, and keeps it. A resolver that gives no answer is left out.
 */
export async function askCaches(
  resolvers: readonly string[],
  question: CacheQuestion,
  budget: TimeBudget,
): Promise<readonly CachedAnswer[]> {
  const answers = await Promise.all(
    resolvers.slice(0, RESOLVERS_MAX).map((resolver) => askCache(resolver, question, budget)),
  );
  return answers.filter((answer) => answer !== undefined);
}

async function askCache(
  server: string,
  question: CacheQuestion,
  budget: TimeBudget,
): Promise<CachedAnswer | undefined> {
  const { name, type } = question;
  const ask = (of: string, ofType: LookUpType, checkingDisabled: boolean): Promise<Asked> => {
    const timeoutMs = budget.timeoutMs();
    if (timeoutMs === 0) return Promise.resolve({ failure: 'limit' });
    return askServer(parseServerAddress(server), of, ofType, { recursionDesired: true, checkingDisabled, timeoutMs });
  };
  const asked = await ask(name, type, false);
  if (isServFail(asked)) return (await isBogus(ask, question)) ? { kind: 'bogus', server } : undefined;
  return readCached(asked, server, name, type);
}

/**
 * A resolver that was only in trouble gives the record the second time, and one that cannot reach the zone never does.
 * What is signed may be the zone of the name or that of an alias on the way; a resolver that says so itself is believed.
 */
async function isBogus(
  ask: (name: string, type: LookUpType, checkingDisabled: boolean) => Promise<Asked>,
  { name, type, zone }: CacheQuestion,
): Promise<boolean> {
  const unchecked = await ask(name, type, true);
  if (readCached(unchecked, '', name, type)?.kind !== 'found') return false;
  const checked = await ask(name, type, false);
  if (!isServFail(checked)) return false;
  if (namesDnssec(checked)) return true;
  for (const apex of [zone, ...zonesAbove(aliasesIn(unchecked, name))]) {
    if (readCached(await ask(apex, 'DS', true), '', apex, 'DS')?.kind === 'found') return true;
  }
  return false;
}

/** Extended DNS Errors, RFC 8914: 6 is DNSSEC Bogus, and the five after it are its causes. */
function namesDnssec(asked: Asked): boolean {
  if ('failure' in asked) return false;
  const opt = asked.packet.additionals?.find((record) => record.type === 'OPT');
  if (opt?.type !== 'OPT') return false;
  return opt.options.some((option: { code: number; data?: Buffer | undefined }) => {
    const cause =
      option.code === EXTENDED_DNS_ERROR && (option.data?.length ?? 0) >= 2 ? option.data?.readUInt16BE(0) : undefined;
    return cause !== undefined && cause >= 6 && cause <= 12;
  });
}

/** Every name that may be the apex of an alias's zone; top-level domains are always signed and say nothing. */
function zonesAbove(aliases: readonly string[]): readonly string[] {
  const zones = new Set<string>();
  for (const alias of aliases) {
    for (let zone = alias; zone.includes('.'); zone = parentOf(zone)) zones.add(zone);
  }
  return [...zones].slice(0, ALIAS_ZONES_MAX);
}

function isServFail(asked: Asked): boolean {
  return 'rcode' in asked && asked.rcode === Rcode.servFail;
}

function readCached(asked: Asked, server: string, name: string, type: LookUpType): CachedAnswer | undefined {
  if ('failure' in asked || (asked.rcode !== Rcode.noError && asked.rcode !== Rcode.nxDomain)) return undefined;
  const end = aliasesIn(asked, name).at(-1) ?? name;
  const answer = readAnswer(asked.packet, asked.rcode === Rcode.nxDomain, server, end, type);
  if (answer.kind === 'alias') return undefined;
  if (answer.kind === 'found') {
    const alias = end !== name && { isBehindAlias: true as const };
    return { kind: 'found', server, values: answer.values, secondsLeft: answer.ttlSeconds, ...alias };
  }
  // A server that does not recurse refers to others, which denies nothing.
  if (asked.packet.authorities?.some((record) => record.type === 'NS') === true) return undefined;
  const { negativeTtlSeconds: secondsLeft } = answer;
  return { kind: 'denied', server, ...(secondsLeft !== undefined && { secondsLeft }) };
}

/** A resolver puts the whole CNAME chain into one answer. */
function aliasesIn(asked: Asked, name: string): readonly string[] {
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
