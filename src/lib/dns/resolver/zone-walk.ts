// Walks from the top-level domain down to the zone that holds a name, along the servers' referrals.
import { isIPv4 } from 'node:net';
import type { DnsAnswer, LookUpType, ServerFailure } from './answer.ts';
import { askServer } from './ask-server.ts';
import { delegationTo, type Delegation, type NameServer } from './delegation.ts';
import { fitsInDns, isAtOrBelow, lastLabel, normalName, parentOf } from '../names/domain-name.ts';
import type { AddressPolicy } from '../address-policy.ts';
import { mayBeEndlessAlias, readResponse, serversNamed, toAlias, type Alias, type Response } from './read-response.ts';
import type { Addresses, RecursiveClient, TimeBudget } from './recursive-client.ts';

/** The way to zones as the lookups of one check have found it; never records, and nothing that failed or does not exist. */
export interface KnownZones {
  /** By zone, below the top-level domains. */
  readonly delegations: Map<string, Delegation>;
  /** Addresses of name servers that were looked up, by host. */
  readonly addresses: Map<string, readonly string[]>;
}

export const newKnownZones = (): KnownZones => ({ delegations: new Map(), addresses: new Map() });

/** The state of one lookup. */
export interface Walk extends TimeBudget {
  readonly recursive: RecursiveClient;
  readonly port: number;
  readonly mayAsk: AddressPolicy;
  queriesLeft: number;
  /** Zones below the top-level domain; no recursive resolver is asked about names in them. */
  readonly zonesSeen: Set<string>;
  readonly known: KnownZones;
}

export interface Settled {
  readonly zone: string | undefined;
  readonly responses: readonly (DnsAnswer | Alias)[];
}

/** How often a name server's host may be in a zone that must be walked to as well; real zones need one or two. */
const NESTING_MAX = 3;

/** One answering address is enough; more than these are not tried. */
const ADDRESSES_MAX = 4;

interface Question {
  readonly name: string;
  readonly type: LookUpType;
  /** How many walks for the addresses of name servers led to this one. */
  readonly nesting: number;
}

/** Asks every server of the zone that holds the name. */
export async function walkDown(walk: Walk, name: string, type: LookUpType, nesting = 0): Promise<Settled> {
  const question: Question = { name, type, nesting };
  const top = await walk.recursive.topLevel(lastLabel(name), walk);
  if ('kind' in top) return { zone: undefined, responses: [top] };
  let cut: Delegation = top;
  for (const delegation of knownAbove(walk, name)) {
    walk.zonesSeen.add(delegation.zone);
    cut = delegation;
  }
  for (;;) {
    const responses = await askUntilOneSpeaks(walk, cut, question);
    const spoken = [...responses].find(([, response]) => response.kind !== 'serverFailure');
    if (spoken === undefined) return settled(cut, responses);
    const [speaker, response] = spoken;
    if (response.kind === 'referral') {
      // Each zone is strictly below the one before it, so the walk ends.
      cut = learn(walk, delegationTo(response.zone, response));
      continue;
    }
    const apex = await apexAbove(walk, cut, speaker, question, response);
    if (apex === cut.zone) return settled(cut, await askTheOthers(walk, cut, question, responses));
    // The server serves both the parent and the child zone, so it answered instead of referring.
    walk.zonesSeen.add(apex);
    cut = learn(walk, await delegationBySpeaker(walk, speaker, apex, nesting));
  }
}

/** The known zones that hold the name, from the highest to the lowest. */
function knownAbove({ known }: Walk, name: string): readonly Delegation[] {
  const found: Delegation[] = [];
  for (let zone = name; zone.includes('.'); zone = parentOf(zone)) {
    const delegation = known.delegations.get(zone);
    if (delegation !== undefined) found.unshift(delegation);
  }
  return found;
}

function learn(walk: Walk, delegation: Delegation): Delegation {
  walk.zonesSeen.add(delegation.zone);
  if (delegation.servers.length > 0) walk.known.delegations.set(delegation.zone, delegation);
  return delegation;
}

function settled(cut: Delegation, responses: ReadonlyMap<NameServer, Response>): Settled {
  const answers = [...responses].map(([server, response]) =>
    // The other servers answered for this zone, so one that refers elsewhere does not serve it.
    response.kind === 'referral' ? failure(server.host, 'lame') : response,
  );
  return { zone: cut.zone, responses: answers.length > 0 ? answers : [failure(cut.zone, 'noAddress')] };
}

/** Asks the first server, and all others at once if it fails: few queries, and at most two timeouts. */
async function askUntilOneSpeaks(
  walk: Walk,
  cut: Delegation,
  question: Question,
): Promise<ReadonlyMap<NameServer, Response>> {
  const first = cut.servers[0];
  if (first === undefined) return new Map();
  const response = await askHost(walk, cut, first, question);
  const responses = new Map([[first, response]]);
  return response.kind === 'serverFailure' ? askTheOthers(walk, cut, question, responses) : responses;
}

async function askTheOthers(
  walk: Walk,
  cut: Delegation,
  question: Question,
  known: ReadonlyMap<NameServer, Response>,
): Promise<ReadonlyMap<NameServer, Response>> {
  const pairs = cut.servers.map(
    async (server) => [server, known.get(server) ?? (await askHost(walk, cut, server, question))] as const,
  );
  return new Map(await Promise.all(pairs));
}

async function askHost(
  walk: Walk,
  { zone }: Delegation,
  server: NameServer,
  { name, type, nesting }: Question,
): Promise<Response> {
  const addresses = await addressesOf(walk, server, nesting);
  if ('kind' in addresses) return addresses;
  let response: Response = failure(server.host, 'noAddress');
  for (const address of addresses) {
    const askAbout = async (about: LookUpType): Promise<Response> =>
      readResponse(await ask(walk, address, name, about), `${server.host} (${address})`, zone, name, about);
    response = await askAbout(type);
    if (mayBeEndlessAlias(response, type)) response = toAlias(await askAbout('CNAME')) ?? response;
    if (response.kind !== 'serverFailure') return response;
  }
  return response;
}

function ask(walk: Walk, address: string, name: string, type: LookUpType): ReturnType<typeof askServer> {
  const timeoutMs = walk.timeoutMs();
  if (walk.queriesLeft <= 0 || timeoutMs === 0) return Promise.resolve({ failure: 'limit' });
  walk.queriesLeft -= 1;
  return askServer({ address, port: walk.port }, name, type, { recursionDesired: false, timeoutMs });
}

async function addressesOf(walk: Walk, server: NameServer, nesting: number): Promise<Addresses> {
  const known = server.addresses.length > 0 ? server.addresses : walk.known.addresses.get(server.host);
  const addresses = known ?? (await findAddresses(walk, server.host, nesting));
  if ('kind' in addresses) return addresses;
  // Only results are shared: lookups that waited for each other could wait forever.
  if (addresses.length > 0) walk.known.addresses.set(server.host, addresses);
  const open = addresses.filter(walk.mayAsk);
  // A tenant must not learn whether something answers at a private address.
  if (addresses.length > 0 && open.length === 0) return failure(server.host, 'privateAddress');
  // IPv4 first, because more machines lack IPv6 than IPv4.
  return open.sort((a, b) => Number(isIPv4(b)) - Number(isIPv4(a))).slice(0, ADDRESSES_MAX);
}

async function findAddresses(walk: Walk, host: string, nesting: number): Promise<Addresses> {
  if (!fitsInDns(host)) return [];
  const ours = [...walk.zonesSeen].some((zone) => isAtOrBelow(host, zone));
  if (!ours) {
    const found = await walk.recursive.addressesOf(host, walk);
    // A resolver may know names of a private network, which must look like names without an address.
    return 'kind' in found ? found : found.filter(walk.mayAsk);
  }
  if (nesting >= NESTING_MAX) return [];
  const { responses } = await walkDown(walk, host, 'A', nesting + 1);
  const found = responses.find((response) => response.kind === 'found');
  if (found?.kind === 'found') return found.values;
  const failedResolver = responses.find(
    (response) => response.kind === 'serverFailure' && response.isResolver === true,
  );
  if (failedResolver?.kind === 'serverFailure') return failedResolver;
  const six = await walkDown(walk, host, 'AAAA', nesting + 1);
  return six.responses.flatMap((response) => (response.kind === 'found' ? response.values : []));
}

/** The apex of the zone that an answer came from, by its SOA record, or by one more question for it. */
async function apexAbove(
  walk: Walk,
  cut: Delegation,
  speaker: NameServer,
  { name, nesting }: Question,
  response: Response,
): Promise<string> {
  const within = (zone: string | undefined): zone is string => zone !== undefined && isAtOrBelow(zone, cut.zone);
  if ((response.kind === 'noData' || response.kind === 'nxDomain') && within(response.zone)) return response.zone;
  // An alias has no SOA record (RFC 1034 section 3.6.2), so it is not the apex of its zone.
  const at = response.kind === 'alias' ? parentOf(name) : name;
  const soa = await askHost(walk, cut, speaker, { name: at, type: 'SOA', nesting });
  if (soa.kind === 'found') return at;
  if ((soa.kind === 'noData' || soa.kind === 'nxDomain') && within(soa.zone)) return soa.zone;
  return cut.zone;
}

async function delegationBySpeaker(
  walk: Walk,
  speaker: NameServer,
  apex: string,
  nesting: number,
): Promise<Delegation> {
  const addresses = await addressesOf(walk, speaker, nesting);
  for (const address of 'kind' in addresses ? [] : addresses) {
    const asked = await ask(walk, address, apex, 'NS');
    if ('failure' in asked) continue;
    const records = (asked.packet.answers ?? []).filter((record) => normalName(record.name) === apex);
    const delegation = delegationTo(apex, serversNamed(records, asked.packet.additionals ?? []));
    if (delegation.servers.length > 0) return delegation;
  }
  return { zone: apex, servers: [speaker] };
}

function failure(server: string, reason: ServerFailure['reason']): ServerFailure {
  return { kind: 'serverFailure', server, reason };
}
