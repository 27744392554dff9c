// The responses of an authoritative server: RFC 1034 section 4.3.2 without wildcards.
import { type Answer, AUTHORITATIVE_ANSWER } from 'dns-packet';
import { valueChunks } from '../../lib/dns/records/value-chunks.ts';
import { isAtOrBelow, normalName } from '../../lib/dns/names/domain-name.ts';
import { Rcode } from '../../lib/dns/resolver/ask-server.ts';
import type { ZoneRecord } from './zone-record.ts';

export interface ZoneAnswer {
  /** RCODE and AA. */
  readonly flags: number;
  readonly answers: readonly Answer[];
  readonly authorities: readonly Answer[];
  readonly additionals: readonly Answer[];
}

const TTL_SECONDS = 60;
const ALIASES_MAX = 8;

export function answerFromZones(records: readonly ZoneRecord[], name: string, type: string): ZoneAnswer {
  const asked = normalName(name);
  const apex = zoneOf(records, asked);
  if (apex === undefined) return { flags: Rcode.refused, answers: [], authorities: [], additionals: [] };
  if (hasExpired(records, apex)) return { flags: Rcode.servFail, answers: [], authorities: [], additionals: [] };

  const cut = delegationOf(records, asked, apex);
  if (cut !== undefined) {
    const servers = records.filter((record) => record.name === cut && record.type === 'NS');
    return { flags: 0, answers: [], authorities: servers.map(toAnswer), additionals: addressesOf(records, servers) };
  }
  const found = recordsAt(records, asked, type);
  if (found.length > 0) {
    const servers = found.filter((record) => record.type === 'NS');
    const additionals = addressesOf(records, servers);
    return { flags: AUTHORITATIVE_ANSWER, answers: found.map(toAnswer), authorities: [], additionals };
  }
  // A name with names below it exists: NXDOMAIN denies everything below a name (RFC 8020).
  const exists = records.some((record) => isAtOrBelow(record.name, asked));
  const soa = records.find((record) => record.name === apex && record.type === 'SOA');
  return {
    flags: AUTHORITATIVE_ANSWER | (exists ? 0 : Rcode.nxDomain),
    answers: [],
    authorities: soa === undefined ? [] : [toAnswer(soa)],
    additionals: [],
  };
}

/** The records, or the CNAME chain with the records of its last target that this server has. */
function recordsAt(records: readonly ZoneRecord[], asked: string, type: string): readonly ZoneRecord[] {
  const chain: ZoneRecord[] = [];
  let name = asked;
  while (chain.length < ALIASES_MAX) {
    const here = records.filter((record) => record.name === name);
    const found = here.filter((record) => record.type === type);
    if (found.length > 0) return [...chain, ...found];
    const alias = here.find((record) => record.type === 'CNAME');
    if (alias === undefined) return chain;
    chain.push(alias);
    name = normalName(alias.value);
  }
  return chain;
}

function zoneOf(records: readonly ZoneRecord[], name: string): string | undefined {
  const apexes = records.filter((record) => record.type === 'SOA' && isAtOrBelow(name, record.name));
  return apexes.map((record) => record.name).sort((a, b) => b.length - a.length)[0];
}

/** Whether EXPIRE of its SOA is 0: a server no longer uses its copy of the zone (RFC 1035 section 3.3.13). */
function hasExpired(records: readonly ZoneRecord[], apex: string): boolean {
  return records.some(({ name, type, value }) => name === apex && type === 'SOA' && value.split(/\s+/)[5] === '0');
}

/** The highest name between the apex and the name that is delegated to other servers. */
function delegationOf(records: readonly ZoneRecord[], name: string, apex: string): string | undefined {
  const cuts = records.filter(
    (record) =>
      record.type === 'NS' && record.name !== apex && isAtOrBelow(record.name, apex) && isAtOrBelow(name, record.name),
  );
  return cuts.map((record) => record.name).sort((a, b) => a.length - b.length)[0];
}

function addressesOf(records: readonly ZoneRecord[], servers: readonly ZoneRecord[]): readonly Answer[] {
  const hosts = new Set(servers.map((record) => normalName(record.value)));
  return records
    .filter((record) => hosts.has(record.name) && (record.type === 'A' || record.type === 'AAAA'))
    .map(toAnswer);
}

export function toAnswer({ name, type, value, ttlSeconds }: ZoneRecord): Answer {
  const about = { name, ttl: ttlSeconds ?? TTL_SECONDS };
  const words = value.trim().split(/\s+/);
  switch (type) {
    case 'TXT':
      return { ...about, type, data: valueChunks(value).map((chunk) => Buffer.from(chunk)) };
    case 'MX':
      return { ...about, type, data: { preference: Number(words[0]), exchange: words[1] ?? '.' } };
    case 'SOA': {
      const [serial, refresh, retry, expire, minimum] = words.slice(2).map(Number);
      const names = { mname: words[0] ?? '.', rname: words[1] ?? '.' };
      return { ...about, type, data: { ...names, serial, refresh, retry, expire, minimum } };
    }
    case 'A':
    case 'AAAA':
    case 'NS':
    case 'CNAME':
    case 'PTR':
      return { ...about, type, data: value };
  }
}
