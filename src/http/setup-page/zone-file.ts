import { valueChunks } from '../../lib/dns/records/value-chunks.ts';
import type { DnsRecord } from '../../onboarding/dns-record.ts';
import type { SetupRecord } from './setup-view.ts';

/** Short enough that a corrected record is seen within the hour. */
const TTL_SECONDS = 3_600;

/** What is still to be entered, or cannot be judged; everything, once that is nothing. */
export function recordsInZoneFile(records: readonly SetupRecord[]): readonly SetupRecord[] {
  // The policy that applies may be stricter than the one shown, and may be that of the domain above.
  const others = records.filter(({ purpose }) => purpose !== 'dmarc');
  const unchecked = others.filter(({ status, needsEntry }) => !needsEntry && status === 'inconclusive');
  const toEnter = [...records.filter(({ needsEntry }) => needsEntry), ...unchecked];
  return toEnter.length === 0 ? others : toEnter;
}

/**
 * Lines for a BIND zone file (RFC 1035 section 5), with absolute names, so that they can be pasted into any zone.
 * @param comments lines before the records
 */
export function zoneFile(
  records: readonly Pick<DnsRecord, 'type' | 'name' | 'value'>[],
  comments: readonly string[] = [],
): string {
  const lines = [...comments.map((line) => `; ${oneLine(line)}`), ...records.map(recordLine)];
  return `${lines.join('\n')}\n`;
}

function recordLine({ type, name, value }: Pick<DnsRecord, 'type' | 'name' | 'value'>): string {
  const data = dataOf(type, value);
  const owner = `${nameText(name)}. ${TTL_SECONDS} IN`;
  return data === undefined ? `; ${owner} ${oneLine(`${type} ${value}`)}` : `${owner} ${type} ${data}`;
}

/** Undefined for what another provider asks for and this cannot write: it then stays a comment. */
function dataOf(type: string, value: string): string | undefined {
  const [, priority, target] = /^(\d{1,5})\s+(\S+)$/.exec(value) ?? [];
  switch (type) {
    case 'TXT':
      return valueChunks(value)
        .map((string) => `"${escaped(string, /[^\x20-\x7e]|["\\]/)}"`)
        .join(' ');
    case 'MX':
      return priority === undefined || target === undefined ? undefined : `${priority} ${absolute(target)}`;
    case 'CNAME':
      return /\s/.test(value) ? undefined : absolute(value);
    default:
      return undefined;
  }
}

const encoder = new TextEncoder();
const absolute = (name: string): string => `${nameText(name.replace(/\.$/, ''))}.`;
const nameText = (name: string): string => escaped(name, /[^a-zA-Z0-9._*-]/);
const oneLine = (text: string): string => text.replace(/[^\x20-\x7e\u{a0}-\u{10ffff}]/gu, ' ');

/** Characters of a zone file's syntax, and bytes outside of ASCII, as `\DDD`. */
function escaped(text: string, special: RegExp): string {
  return Array.from(text, (character) =>
    special.test(character)
      ? Array.from(encoder.encode(character), (byte) => `\\${String(byte).padStart(3, '0')}`).join('')
      : character,
  ).join('');
}
