// Walks from the top-level domain down to the zone that holds a name, along the servers' referrals:
//
//   walkDown(name)   begins at the lowest zone known above the name, or at the top-level domain
//      ▼
//   settle(zone)     asks its servers; one without an address is walked to itself (`nesting`)
//      ▼
//   zonesBelow       those of referrals, and those that a server of this one serves as well
//      ├── none      the answers are the result
//      └── else      settle(each of them), and all their results
import { isIPv4 } from 'node:net';
import type { DelegationMismatch, DnsAnswer, DnsQuestion, LookUpType, ServerFailure } from './answer.ts';
import { askApex } from './ask-apex.ts';
import { askUnion, type ServerAnswer, type UnionAnswers } from './ask-union.ts';
import { delegationTo, type Delegation, type NameServer } from './delegation.ts';
import { fitsInDns, isAtOrBelow, lastLabel, namesBelowTopLevel, parentOf } from '../names/domain-name.ts';
import { isTenantZone } from '../names/form-place.ts';
import { mayBeEndlessAlias, readResponse, toAlias, type Alias, type Response } from './read-response.ts';
import { ask, type Walk } from './walk.ts';

export interface SettledName {
  readonly zone: string | undefined;
  readonly responses: readonly (DnsAnswer | Alias)[];
  readonly mismatches: readonly DelegationMismatch[];
}

/** How often a name server's host may be in a zone that must be walked to as well; real zones need one or two. */
const NESTING_MAX = 3;

/** One answering address is enough; more than these are not tried. */
const ADDRESSES_MAX = 4;

interface Question extends DnsQuestion {
  /** How many walks for the addresses of name servers led to this one. */
  readonly nesting: number;
}

/** Asks every server of the zone that holds the name. */
export async function walkDown(walk: Walk, name: string, type: LookUpType, nesting = 0): Promise<SettledName> {
  const top = await walk.recursive.topLevel(lastLabel(name), walk);
  if ('kind' in top) return { zone: undefined, responses: [top], mismatches: [] };
  const known = knownAbove(walk, name);
  for (const { zone } of known) walk.zonesSeen.add(zone);
  return settle(walk, known.at(-1) ?? top, { name, type, nesting });
}

/** The known zones that hold the name, from the highest to the lowest. */
const knownAbove = ({ known }: Walk, name: string): readonly Delegation[] =>
  namesBelowTopLevel(name)
    .flatMap((zone) => known.delegations.get(zone) ?? [])
    .reverse();

/** The answers of a zone and of those below it that its servers refer to; each is strictly below, so this ends. */
async function settle(walk: Walk, cut: Delegation, question: Question): Promise<SettledName> {
  // The servers of a registry agree; those of a tenant may not even agree on who serves a zone below.
  const isTenant = isTenantZone(cut.zone);
  const asked: UnionAnswers =
    isTenant && !walk.asksOne
      ? await askUnion(cut, (server) => askWithOwn(walk, cut, server, question))
      : { responses: await askUntilOneSpeaks(walk, cut, question), mismatches: [] };
  const speakers = [...asked.responses].filter(([, { kind }]) => kind !== 'serverFailure');
  const [speaker] = speakers[0] ?? [];
  if (speaker !== undefined) walk.known.speakers.set(cut.zone, speaker);
  const { below, here } = await zonesBelow(walk, cut, question, speakers);
  if (below.length === 0) {
    const responses =
      isTenant || walk.asksOne ? asked.responses : await askTheOthers(walk, cut, question, asked.responses);
    return settled(cut, { ...asked, responses });
  }
  for (const delegation of below) {
    walk.zonesSeen.add(delegation.zone);
    // Another lookup must find out as well that the servers disagree.
    if (below.length === 1 && here.length === 0 && delegation.servers.length > 0)
      walk.known.delegations.set(delegation.zone, delegation);
  }
  const settledBelow = await Promise.all(below.map((delegation) => settle(walk, delegation, question)));
  return {
    zone: settledBelow.map(({ zone }) => zone ?? '').sort((a, b) => b.length - a.length)[0],
    responses: [...here, ...settledBelow.flatMap(({ responses }) => responses)],
    mismatches: [...asked.mismatches, ...settledBelow.flatMap(({ mismatches }) => mismatches)],
  };
}

function settled(cut: Delegation, asked: UnionAnswers): SettledName {
  const answers = [...asked.responses].map(([server, response]) =>
    // The other servers answered for this zone, so one that refers elsewhere does not serve it.
    response.kind === 'referral' ? failure(server.host, 'lame') : response,
  );
  return {
    zone: cut.zone,
    responses: answers.length > 0 ? answers : [failure(cut.zone, 'noAddress')],
    mismatches: asked.mismatches,
  };
}

interface Below {
  readonly below: readonly Delegation[];
  /** The answers about the zone itself. */
  readonly here: readonly (DnsAnswer | Alias)[];
}

/** The zones that hold the name below this one, by referrals, or because a server serves both and answers for the lower one. */
async function zonesBelow(
  walk: Walk,
  cut: Delegation,
  question: Question,
  speakers: readonly (readonly [NameServer, Response])[],
): Promise<Below> {
  const below = new Map<string, Delegation>();
  const here: (DnsAnswer | Alias)[] = [];
  const servesBoth = new Map<string, NameServer>();
  let apexOfRecords: string | undefined;
  for (const [server, response] of speakers) {
    if (response.kind === 'referral') {
      below.set(response.zone, delegationTo(response.zone, response, below.get(response.zone)?.servers));
      continue;
    }
    if (walk.asksOne) {
      here.push(response);
      continue;
    }
    const hasRecords = response.kind === 'found' || response.kind === 'alias';
    // One question for all servers with records; a denial has the SOA record.
    if (hasRecords) apexOfRecords ??= await apexAbove(walk, cut, server, question, response);
    const apex = hasRecords ? apexOfRecords : await apexAbove(walk, cut, server, question, response);
    if (apex === undefined || apex === cut.zone) here.push(response);
    else if (!servesBoth.has(apex)) servesBoth.set(apex, server);
  }
  for (const [apex, server] of servesBoth) {
    if (!below.has(apex)) below.set(apex, await delegationBySpeaker(walk, server, apex, question.nesting));
  }
  return { below: [...below.values()], here };
}

/** Asks one that has answered before or the first, and all others at once if it fails: few queries, and at most two timeouts. */
async function askUntilOneSpeaks(
  walk: Walk,
  cut: Delegation,
  question: Question,
): Promise<ReadonlyMap<NameServer, Response>> {
  const first = walk.known.speakers.get(cut.zone) ?? cut.servers[0];
  if (first === undefined) return new Map();
  const { response } = await askHost(walk, cut, first, question);
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
    async (server) => [server, known.get(server) ?? (await askHost(walk, cut, server, question)).response] as const,
  );
  return new Map(await Promise.all(pairs));
}

/** The answer of one server, and whom it names as servers of its zone. */
async function askWithOwn(walk: Walk, cut: Delegation, server: NameServer, question: Question): Promise<ServerAnswer> {
  const { response, address } = await askHost(walk, cut, server, question);
  if (address === undefined || question.nesting > 0) return { response, own: [] };
  return { response, own: (await askApex(walk, cut.zone, address)).servers };
}

interface HostAnswer {
  readonly response: Response;
  /** The one that answered. */
  readonly address?: string;
}

async function askHost(
  walk: Walk,
  { zone }: Delegation,
  server: NameServer,
  { name, type, nesting }: Question,
): Promise<HostAnswer> {
  const addresses = await addressesOf(walk, server, nesting);
  if ('kind' in addresses) return { response: addresses };
  let response: Response = failure(server.host, 'noAddress');
  for (const address of addresses) {
    const askAbout = async (about: LookUpType, inLowerCase = false): Promise<Response> => {
      const asked = await ask(walk, address, name, about, inLowerCase);
      return readResponse(asked, `${server.host} (${address})`, zone, name, about);
    };
    const knowsCapitals = async (): Promise<boolean> => (await askApex(walk, zone, address)).knowsCapitals;
    if (walk.asksOne && isTenantZone(zone) && !(await knowsCapitals())) {
      response = await askAbout(type, true);
      if (response.kind !== 'serverFailure') return { response, address };
      continue;
    }
    response = await askAbout(type);
    if (mayBeEndlessAlias(response, type)) response = toAlias(await askAbout('CNAME')) ?? response;
    if (isTenantZone(zone) && mayNeedLowerCase(response) && !(await knowsCapitals())) {
      const inLowerCase = await askAbout(type, true);
      if (inLowerCase.kind !== 'serverFailure') response = inLowerCase;
    }
    if (response.kind !== 'serverFailure') return { response, address };
  }
  return { response };
}

/** A denial or a refusal, which a server may mean for the capital letters in the question. */
function mayNeedLowerCase(response: Response): boolean {
  if (response.kind !== 'serverFailure') return response.kind === 'noData' || response.kind === 'nxDomain';
  return !['timeout', 'unreachable', 'limit'].includes(response.reason);
}

type Addresses = readonly string[] | ServerFailure;

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
    // The lookup's limit is no failure of the resolver.
    if ('kind' in found) return found.reason === 'limit' ? failure(host, 'limit') : found;
    // A resolver may know names of a private network, which must look like names without an address.
    const open = found.addresses.filter(walk.mayAsk);
    return found.isAlias && open.length > 0 ? failure(host, 'alias') : open;
  }
  if (nesting >= NESTING_MAX) return [];
  const { responses } = await walkDown(walk, host, 'A', nesting + 1);
  const found = responses.find((response) => response.kind === 'found');
  if (found?.kind === 'found') return found.values;
  const failedResolver = responses.find(
    (response) => response.kind === 'serverFailure' && response.isResolver === true,
  );
  if (failedResolver?.kind === 'serverFailure') return failedResolver;
  if (responses.some((response) => response.kind === 'alias')) return failure(host, 'alias');
  const six = await walkDown(walk, host, 'AAAA', nesting + 1);
  return six.responses.flatMap((response) => (response.kind === 'found' ? response.values : []));
}

/** The apex of the zone that an answer came from, by its SOA record, or by one more question for it. */
async function apexAbove(
  walk: Walk,
  cut: Delegation,
  speaker: NameServer,
  { name, type, nesting }: Question,
  response: Response,
): Promise<string> {
  const within = (zone: string | undefined): zone is string => zone !== undefined && isAtOrBelow(zone, cut.zone);
  if ((response.kind === 'noData' || response.kind === 'nxDomain') && within(response.zone)) return response.zone;
  // An alias has no SOA record (RFC 1034 section 3.6.2), so it is not the apex of its zone.
  const isAlias = response.kind === 'alias' || (response.kind === 'found' && type === 'CNAME');
  const at = isAlias ? parentOf(name) : name;
  const { response: soa } = await askHost(walk, cut, speaker, { name: at, type: 'SOA', nesting });
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
    const { servers } = await askApex(walk, apex, address);
    if (servers.length > 0) return { zone: apex, servers };
  }
  return { zone: apex, servers: [speaker] };
}

function failure(server: string, reason: ServerFailure['reason']): ServerFailure {
  return { kind: 'serverFailure', server, reason };
}
