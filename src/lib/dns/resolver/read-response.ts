import type { Answer, DecodedPacket } from 'dns-packet';
import type { Found, LookUpType, NoData, NxDomain, ServerFailure } from './answer.ts';
import { packetType, Rcode, type ServerReply } from './ask-server.ts';
import { isAtOrBelow, isBelow, normalName } from '../names/domain-name.ts';

/** The servers of a zone below, RFC 1034 section 4.3.2, step 3b. */
interface Referral {
  readonly kind: 'referral';
  readonly zone: string;
  readonly hosts: readonly string[];
  /** The addresses in the same packet, by host. */
  readonly glue: ReadonlyMap<string, readonly string[]>;
}

/** The name is an alias of `target`, whose records the caller has to look up. */
export interface Alias {
  readonly kind: 'alias';
  readonly server: string;
  readonly target: string;
  /** The owner of the DNAME record that makes it, RFC 6672 section 3.1. */
  readonly redirectedAt?: string;
}

export type Response = Found | NoData | NxDomain | ServerFailure | Referral | Alias;

/** Reads the answer of an authoritative server of `zone`. @param server as in `ZoneAnswers` */
export function readResponse(
  asked: ServerReply,
  server: string,
  zone: string,
  name: string,
  type: LookUpType,
): Response {
  if ('failure' in asked) return { kind: 'serverFailure', server, reason: asked.failure };
  const { packet, rcode } = asked;
  if (rcode === Rcode.servFail) return { kind: 'serverFailure', server, reason: 'servfail' };
  if (rcode === Rcode.refused) return { kind: 'serverFailure', server, reason: 'refused' };
  if (rcode !== Rcode.noError && rcode !== Rcode.nxDomain)
    return { kind: 'serverFailure', server, reason: 'malformed' };

  const referral = readReferral(packet, zone, name);
  if (referral !== undefined) return referral;
  if (!packet.flag_aa && refersElsewhere(packet)) return { kind: 'serverFailure', server, reason: 'lame' };
  // BIND and Unbound accept any other answer without the AA bit.
  return readAnswer(packet, rcode === Rcode.nxDomain, server, name, type);
}

/** What a packet of any server says about the name. */
export function readAnswer(
  packet: DecodedPacket,
  nxDomain: boolean,
  server: string,
  name: string,
  type: LookUpType,
): Found | NoData | NxDomain | Alias {
  const answered = { server, authoritative: packet.flag_aa, aliases: [] };
  const here = (packet.answers ?? []).filter((record) => normalName(record.name) === name);
  // Resolvers go by the RCODE, whatever is in the packet.
  const records = nxDomain ? [] : withoutRepeats(here.filter((record) => record.type === packetType(type)));
  const alias = here.find((record) => record.type === 'CNAME');
  const redirection = packet.answers?.find((one) => one.type === 'DNAME' && isBelow(name, normalName(one.name)));
  const source = redirection && { redirectedAt: normalName(redirection.name) };
  if (records.length > 0) {
    const ttlSeconds = Math.min(...records.map(ttlOf));
    const beside = alias?.type === 'CNAME' && type !== 'CNAME' && { conflictingAlias: normalName(alias.data) };
    return { kind: 'found', ...answered, values: records.flatMap(valueOf), ttlSeconds, ...beside, ...source };
  }
  if (alias?.type === 'CNAME') {
    return { kind: 'alias', server, target: normalName(alias.data), ...source };
  }
  // Resolvers make the CNAME record that the server should have added.
  if (redirection?.type === 'DNAME') {
    const redirectedAt = normalName(redirection.name);
    const target = `${name.slice(0, -redirectedAt.length)}${normalName(redirection.data)}`;
    return { kind: 'alias', server, target, redirectedAt };
  }

  const soa = packet.authorities?.find((record) => record.type === 'SOA' && isAtOrBelow(name, normalName(record.name)));
  const denial =
    soa?.type === 'SOA'
      ? { zone: normalName(soa.name), negativeTtlSeconds: Math.min(ttlOf(soa), soa.data.minimum ?? 0) }
      : {};
  return { kind: nxDomain ? 'nxDomain' : 'noData', ...answered, ...denial };
}

/** RFC 2181 section 5: resolvers keep one of the records that are the same in name, type and data. */
function withoutRepeats(records: readonly Answer[]): readonly Answer[] {
  return [...new Map(records.map((record) => ['data' in record ? JSON.stringify(record.data) : '', record])).values()];
}

/** A server that itself follows an endless chain of aliases answers SERVFAIL, but still returns each alias. */
export function mayBeEndlessAlias(response: Response, type: LookUpType): boolean {
  return response.kind === 'serverFailure' && response.reason === 'servfail' && type !== 'CNAME';
}

/** @param response to a question about CNAME */
export function toAlias(response: Response): Alias | undefined {
  const target = response.kind === 'found' ? response.values[0] : undefined;
  return response.kind === 'found' && target !== undefined
    ? { kind: 'alias', server: response.server, target }
    : undefined;
}

function readReferral(packet: DecodedPacket, zone: string, name: string): Referral | undefined {
  const authorities = packet.authorities ?? [];
  if ((packet.answers ?? []).length > 0 || authorities.some((record) => record.type === 'SOA')) return undefined;
  // Only to zones below: following a server that refers up or sideways could go on forever.
  const delegations = authorities.filter(
    (record) =>
      record.type === 'NS' && isBelow(normalName(record.name), zone) && isAtOrBelow(name, normalName(record.name)),
  );
  const below = delegations[0];
  if (below === undefined) return undefined;
  return { kind: 'referral', zone: normalName(below.name), ...serversNamed(delegations, packet.additionals ?? []) };
}

/** To the servers of a zone above, beside or the same. */
function refersElsewhere({ answers = [], authorities = [] }: DecodedPacket): boolean {
  return (
    answers.length === 0 &&
    authorities.some(({ type }) => type === 'NS') &&
    !authorities.some(({ type }) => type === 'SOA')
  );
}

/** The name servers in NS records, with the addresses in the same packet. */
export function serversNamed(
  records: readonly Answer[],
  additionals: readonly Answer[],
): { hosts: readonly string[]; glue: ReadonlyMap<string, readonly string[]> } {
  const hosts = records.flatMap((record) => (record.type === 'NS' ? [normalName(record.data)] : []));
  const glue = new Map<string, string[]>();
  for (const record of additionals) {
    if (record.type !== 'A' && record.type !== 'AAAA') continue;
    const host = normalName(record.name);
    glue.set(host, [...(glue.get(host) ?? []), record.data]);
  }
  return { hosts: [...new Set(hosts)], glue };
}

export function ttlOf(record: Answer): number {
  return 'ttl' in record ? (record.ttl ?? 0) : 0;
}

function valueOf(record: Answer): string[] {
  if (record.type === 'A' || record.type === 'AAAA') return [record.data];
  if (record.type === 'NS' || record.type === 'CNAME' || record.type === 'PTR') return [normalName(record.data)];
  if (record.type === 'SOA') return [normalName(record.data.mname)];
  if (record.type === 'MX') {
    return [`${String(record.data.preference ?? 0)} ${normalName(record.data.exchange) || '.'}`];
  }
  if (record.type === 'DS') return [`${String(record.data.keyTag)} ${String(record.data.algorithm)}`];
  // dns-packet returns the data of type SPF undecoded.
  if ('data' in record && Buffer.isBuffer(record.data)) return [textOf(stringsOf(record.data))];
  if (record.type !== 'TXT') return [];
  const strings = Array.isArray(record.data) ? record.data : [record.data];
  return [textOf(Buffer.concat(strings.map((text) => Buffer.from(text))))];
}

/** Each string follows its length in one byte, RFC 1035 section 3.3. */
function stringsOf(data: Buffer): Buffer {
  const strings: Buffer[] = [];
  for (let at = 0; at < data.length; at += 1 + (data[at] ?? 0))
    strings.push(data.subarray(at + 1, at + 1 + (data[at] ?? 0)));
  return Buffer.concat(strings);
}

/** Ten times the longest key. Only the beginning of a longer value is read: too little for a key or an SPF record. */
const TEXT_BYTES_MAX = 8 * 1024;
const TEXT_BYTES_READ = 200;

function textOf(bytes: Buffer): string {
  if (bytes.length <= TEXT_BYTES_MAX) return bytes.toString('utf8');
  return `${bytes.toString('utf8', 0, TEXT_BYTES_READ)}... (${String(bytes.length)} bytes)`;
}
