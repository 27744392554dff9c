import type { Answer, DecodedPacket } from 'dns-packet';
import type { Found, LookUpType, NoData, NxDomain, ServerFailure } from './answer.ts';
import { packetType, Rcode } from './ask-server.ts';
import type { Asked } from './ask-server.ts';
import { isAtOrBelow, isBelow, normalName } from '../names/domain-name.ts';

/** "Not here: ask those." RFC 1034 section 4.3.2, step 3b. */
interface Referral {
  readonly kind: 'referral';
  readonly zone: string;
  readonly hosts: readonly string[];
  /** Addresses the parent gave along, by host. */
  readonly glue: ReadonlyMap<string, readonly string[]>;
}

/** The name is another name for `target`, and this server does not say more. */
export interface Alias {
  readonly kind: 'alias';
  readonly server: string;
  readonly target: string;
}

export type Response = Found | NoData | NxDomain | ServerFailure | Referral | Alias;

/** What an authoritative server of `zone` said about a name. */
export function readResponse(asked: Asked, server: string, zone: string, name: string, type: LookUpType): Response {
  if ('failure' in asked) return { kind: 'serverFailure', server, reason: asked.failure };
  const { packet, rcode } = asked;
  if (rcode === Rcode.servFail) return { kind: 'serverFailure', server, reason: 'servfail' };
  if (rcode === Rcode.refused) return { kind: 'serverFailure', server, reason: 'refused' };
  if (rcode !== Rcode.noError && rcode !== Rcode.nxDomain)
    return { kind: 'serverFailure', server, reason: 'malformed' };

  const referral = readReferral(packet, zone, name);
  if (referral !== undefined) return referral;
  if (!packet.flag_aa) return { kind: 'serverFailure', server, reason: 'lame' };
  return readAnswer(packet, rcode === Rcode.nxDomain, server, name, type);
}

/** What the packet says about the name, whoever sent it. */
export function readAnswer(
  packet: DecodedPacket,
  nxDomain: boolean,
  server: string,
  name: string,
  type: LookUpType,
): Found | NoData | NxDomain | Alias {
  const answered = { server, authoritative: packet.flag_aa, aliases: [] };
  const here = (packet.answers ?? []).filter((record) => normalName(record.name) === name);
  const records = here.filter((record) => record.type === packetType(type));
  const alias = here.find((record) => record.type === 'CNAME');
  if (records.length > 0) {
    const ttlSeconds = Math.min(...records.map(ttlOf));
    const beside = alias?.type === 'CNAME' && type !== 'CNAME' && { conflictingAlias: normalName(alias.data) };
    return { kind: 'found', ...answered, values: records.flatMap(valueOf), ttlSeconds, ...beside };
  }
  if (alias?.type === 'CNAME') return { kind: 'alias', server, target: normalName(alias.data) };

  const soa = packet.authorities?.find((record) => record.type === 'SOA' && isAtOrBelow(name, normalName(record.name)));
  const denial =
    soa?.type === 'SOA'
      ? { zone: normalName(soa.name), negativeTtlSeconds: Math.min(ttlOf(soa), soa.data.minimum ?? 0) }
      : {};
  return { kind: nxDomain ? 'nxDomain' : 'noData', ...answered, ...denial };
}

/** A server that follows a chain of aliases itself and finds no end answers SERVFAIL; each alias it still gives. */
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
  // Only downwards: a server that points up or sideways does not know the zone, and following it could go on for ever.
  const delegations = authorities.filter(
    (record) =>
      record.type === 'NS' && isBelow(normalName(record.name), zone) && isAtOrBelow(name, normalName(record.name)),
  );
  const below = delegations[0];
  if (below === undefined) return undefined;
  return { kind: 'referral', zone: normalName(below.name), ...serversNamed(delegations, packet.additionals ?? []) };
}

/** Name servers with the addresses that stand in the same packet. */
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

function ttlOf(record: Answer): number {
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
  // dns-packet gives the data of type SPF as it was sent.
  if ('data' in record && Buffer.isBuffer(record.data)) return [textOf(stringsOf(record.data))];
  if (record.type !== 'TXT') return [];
  const strings = Array.isArray(record.data) ? record.data : [record.data];
  return [textOf(Buffer.concat(strings.map((text) => Buffer.from(text))))];
}

/** Each string has its length before it, RFC 1035 section 3.3. */
function stringsOf(data: Buffer): Buffer {
  const strings: Buffer[] = [];
  for (let at = 0; at < data.length; at += 1 + (data[at] ?? 0))
    strings.push(data.subarray(at + 1, at + 1 + (data[at] ?? 0)));
  return Buffer.concat(strings);
}

/** Ten times the longest key. What is longer is read as its beginning, which no key and no mechanism fits into. */
const TEXT_BYTES_MAX = 8 * 1024;
const TEXT_BYTES_READ = 200;

function textOf(bytes: Buffer): string {
  if (bytes.length <= TEXT_BYTES_MAX) return bytes.toString('utf8');
  return `${bytes.toString('utf8', 0, TEXT_BYTES_READ)}... (${String(bytes.length)} bytes)`;
}
