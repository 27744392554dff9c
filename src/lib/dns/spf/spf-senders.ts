import type { DnsQuestion, LookUpType, ServerFailure } from '../resolver/answer.ts';
import { fitsInDns } from '../names/domain-name.ts';
import type { KnownDns } from './evaluate-spf.ts';
import { networkAt, type Network } from './spf-network.ts';
import { isSpf, type ReadSpf, type SpfTerm } from './spf-record.ts';

/** More than the ten lookups of a receiver, so only records that no receiver accepts are cut off. */
const RECORDS_MAX = 20;

/**
 * The addresses that an SPF record names to allow, even if another term rejects them.
 *
 * @param domain the domain that has the record
 */
export function listSpfSenders(record: string, domain: string, known: KnownDns, read: ReadSpf) {
  const networks: Network[] = [];
  /** To be asked before the list is complete. */
  const unread: DnsQuestion[] = [];
  const failures: ServerFailure[] = [];
  /** Some addresses depend on the message: `exists`, `ptr` and macros. */
  let dependsOnMail = false;
  const records = new Set<string>();

  const ask = (name: string, type: LookUpType): readonly string[] => {
    if (!fitsInDns(name)) return [];
    const answer = known({ name, type });
    if (answer === undefined) unread.push({ name, type });
    else if ('failed' in answer) failures.push(...answer.failed);
    else if (!('aliasFault' in answer)) return answer;
    return [];
  };

  const addHost = (host: string, prefixBits: SpfTerm['prefixBits']): void => {
    networks.push(...ask(host, 'A').flatMap((address) => networkAt(address, prefixBits.ipv4) ?? []));
    networks.push(...ask(host, 'AAAA').flatMap((address) => networkAt(address, prefixBits.ipv6) ?? []));
  };

  const addRecord = (text: string, of: string): void => {
    if (records.has(of) || records.size >= RECORDS_MAX) return;
    records.add(of);
    for (const term of read(text) ?? []) {
      const isRedirect = term.kind === 'modifier' && term.name === 'redirect';
      if (term.qualifier !== '+' && !isRedirect) continue;
      const target = term.target || of;
      if (term.network !== undefined) networks.push(term.network);
      else if (term.target.includes('%') || term.name === 'exists' || term.name === 'ptr') dependsOnMail = true;
      else if (term.name === 'a') addHost(target, term.prefixBits);
      else if (term.name === 'mx') {
        for (const value of ask(target, 'MX')) addHost(value.replace(/^\d+ /, ''), term.prefixBits);
      } else if (term.name === 'include' || isRedirect) {
        for (const included of ask(target, 'TXT').filter(isSpf)) addRecord(included, target);
      } else if (term.name === 'all') networks.push(...ALL_ADDRESSES);
    }
  };

  addRecord(record, domain);
  return { networks, unread, failures, dependsOnMail };
}

const ALL_ADDRESSES = ['0.0.0.0', '::'].flatMap((address) => networkAt(address, 0) ?? []);
