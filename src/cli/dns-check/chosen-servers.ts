import { lookup } from 'node:dns/promises';
import { deadEnd, throughAlias } from '../../lib/dns/resolver/alias-chain.ts';
import type { DnsAnswer, LookUpType, ZoneAnswers } from '../../lib/dns/resolver/answer.ts';
import { askServer, Rcode } from '../../lib/dns/resolver/ask-server.ts';
import type { AuthoritativeResolver } from '../../lib/dns/resolver/authoritative-resolver.ts';
import { normalName, parentOf } from '../../lib/dns/names/domain-name.ts';
import {
  mayBeEndlessAlias,
  readAnswer,
  readResponse,
  toAlias,
  type Alias,
} from '../../lib/dns/resolver/read-response.ts';
import { parseServerAddress, type ServerAddress } from '../../lib/dns/resolver/server-address.ts';
import { CommandError } from '../command-error.ts';

/** A user waits at a terminal; a healthy server answers in a tenth of this time. */
const TIMEOUT_MS = 2_000;
/** A server that was chosen may serve any zone. */
const ROOT = '';

export interface ChosenServer extends ServerAddress {
  /** The server's name in findings. */
  readonly title: string;
}

/**
 * Reads `HOST`, `HOST:PORT` or `[IPV6]:PORT`; a host name is looked up with the machine's own resolver.
 *
 * @throws CommandError when it is none of them or has no address
 */
export async function findServer(text: string, defaultPort: number): Promise<ChosenServer> {
  const [, host, port = defaultPort] = /^([a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?)\.?(?::(\d{1,5}))?$/i.exec(text) ?? [];
  try {
    if (host === undefined || /^[\d.]+$/.test(host)) return { ...parseServerAddress(text, defaultPort), title: text };
    const { address } = await lookup(host);
    const bracketed = address.includes(':') ? `[${address}]` : address;
    return { ...parseServerAddress(`${bracketed}:${port}`), title: `${host} (${address})` };
  } catch (error) {
    throw new CommandError(
      `--server ${JSON.stringify(text)} is not a name server: expected HOST, HOST:PORT or [IPV6]:PORT`,
      { cause: error },
    );
  }
}

/**
 * Asks these servers and no others, so it also checks a zone that is not delegated yet, or what one recursive resolver
 * returns. A server that fails makes an answer of kind `serverFailure`, never a rejection.
 */
export const createChosenServers = (servers: readonly ChosenServer[]): AuthoritativeResolver => ({
  async lookUp(name, type): Promise<ZoneAnswers> {
    const asked = normalName(name);
    const answers = await Promise.all(servers.map((server) => throughAliases(server, asked, type, [])));
    return { name: asked, type, zone: await zoneOf(servers, asked, type, answers), answers };
  },
  async lookUpAtOne(name, type): Promise<ZoneAnswers> {
    const answers: DnsAnswer[] = [];
    for (const server of servers) {
      const answer = await throughAliases(server, name, type, []);
      if (answer.kind !== 'serverFailure') return { name, type, zone: undefined, answers: [answer] };
      answers.push(answer);
    }
    return { name, type, zone: undefined, answers };
  },
  askCaches: async () => [],
});

async function throughAliases(
  server: ChosenServer,
  name: string,
  type: LookUpType,
  followed: readonly string[],
): Promise<DnsAnswer> {
  const answer = await ask(server, name, type);
  if (answer.kind !== 'alias') return answer;
  const passed = [...followed, name];
  const end = deadEnd(answer, passed);
  if (end !== undefined) return end;
  return throughAlias(answer, await throughAliases(server, answer.target, type, passed));
}

async function ask(server: ChosenServer, name: string, type: LookUpType): Promise<DnsAnswer | Alias> {
  const response = await askOnce(server, name, type);
  if (!mayBeEndlessAlias(response, type)) return response;
  return toAlias(await askOnce(server, name, 'CNAME')) ?? response;
}

async function askOnce(server: ChosenServer, name: string, type: LookUpType): Promise<DnsAnswer | Alias> {
  const asked = await askServer(server, name, type, { recursionDesired: true, timeoutMs: TIMEOUT_MS });
  const response = readResponse(asked, server.title, ROOT, name, type);
  if (response.kind === 'referral') return { kind: 'serverFailure', server: server.title, reason: 'lame' };
  const isLame = response.kind === 'serverFailure' && response.reason === 'lame';
  const answer =
    isLame && 'packet' in asked && asked.packet.flag_ra
      ? readAnswer(asked.packet, asked.rcode === Rcode.nxDomain, server.title, name, type)
      : response;
  // A server that was chosen may be a recursive resolver, which needs no authority over the zone.
  return answer.kind === 'alias' || answer.kind === 'serverFailure' ? answer : { ...answer, authoritative: true };
}

/** The apex of the zone that holds the name, from the SOA record in a denial, or from a further question for it. */
async function zoneOf(
  servers: readonly ChosenServer[],
  name: string,
  type: LookUpType,
  answers: readonly DnsAnswer[],
): Promise<string | undefined> {
  for (const answer of answers)
    if ((answer.kind === 'noData' || answer.kind === 'nxDomain') && answer.aliases.length === 0 && answer.zone)
      return answer.zone;
  const speaker = servers.find((_, at) => answers[at]?.kind !== 'serverFailure');
  if (speaker === undefined) return undefined;
  const isAlias = answers.some(
    (answer) =>
      answer.kind !== 'serverFailure' && (answer.aliases.length > 0 || (answer.kind === 'found' && type === 'CNAME')),
  );
  // An alias has no SOA record, so it is not the apex of its zone.
  const at = isAlias ? parentOf(name) : name;
  const soa = await ask(speaker, at, 'SOA');
  if (soa.kind === 'found') return at;
  return soa.kind === 'noData' || soa.kind === 'nxDomain' ? soa.zone : undefined;
}
