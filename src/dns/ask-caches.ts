import type { LookUpType } from './answer.ts';
import { askServer, Rcode } from './ask-server.ts';
import type { Asked } from './ask-server.ts';
import type { CachedAnswer } from './cached-answer.ts';
import { normalName } from './domain-name.ts';
import { readAnswer } from './read-response.ts';
import type { TimeBudget } from './recursive-client.ts';
import { parseServerAddress } from './server-address.ts';

export interface CacheQuestion {
  readonly name: string;
  readonly type: LookUpType;
  /** The apex of the zone that holds the name: whether its delegation is signed decides what a SERVFAIL means. */
  readonly zone: string;
}

/** More resolvers than a machine has configured sensibly say nothing new. */
const RESOLVERS_MAX = 3;

/** As long as the chains that recursive resolvers follow. */
const ALIASES_MAX = 8;

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

/** A resolver that was only in trouble gives the record the second time, and one that cannot reach the zone never does. */
async function isBogus(
  ask: (name: string, type: LookUpType, checkingDisabled: boolean) => Promise<Asked>,
  { name, type, zone }: CacheQuestion,
): Promise<boolean> {
  const unchecked = readCached(await ask(name, type, true), '', name, type);
  if (unchecked?.kind !== 'found') return false;
  const signed = readCached(await ask(zone, 'DS', true), '', zone, 'DS');
  return signed?.kind === 'found' && isServFail(await ask(name, type, false));
}

function isServFail(asked: Asked): boolean {
  return 'rcode' in asked && asked.rcode === Rcode.servFail;
}

function readCached(asked: Asked, server: string, name: string, type: LookUpType): CachedAnswer | undefined {
  if ('failure' in asked || (asked.rcode !== Rcode.noError && asked.rcode !== Rcode.nxDomain)) return undefined;
  const end = endOfChain(asked, name);
  const answer = readAnswer(asked.packet, asked.rcode === Rcode.nxDomain, server, end, type);
  if (answer.kind === 'alias') return undefined;
  if (answer.kind === 'found') {
    return { kind: 'found', server, values: answer.values, secondsLeft: answer.ttlSeconds };
  }
  const { negativeTtlSeconds: secondsLeft } = answer;
  return { kind: 'denied', server, ...(secondsLeft !== undefined && { secondsLeft }) };
}

/** A resolver puts the whole CNAME chain into one answer. */
function endOfChain({ packet }: Extract<Asked, { packet: unknown }>, name: string): string {
  let end = name;
  for (let followed = 0; followed < ALIASES_MAX; followed++) {
    const alias = packet.answers?.find((record) => record.type === 'CNAME' && normalName(record.name) === end);
    if (alias?.type !== 'CNAME') break;
    end = normalName(alias.data);
  }
  return end;
}
