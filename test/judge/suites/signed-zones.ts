// Zones signed with BIND's tools, each with what goes wrong with DNSSEC, as data.
import type { FindingCode } from '../../../src/lib/dns/findings/finding.ts';

/** A zone of a case. In its texts, `{dkim}` and `{spf}` are the values of the records, and `{zone}` is the zone of the case. */
export interface SignedZone {
  /** Below or beside the zone of the case. @default that zone */
  readonly at?: 'below' | 'beside';
  /** Of the zone, without SOA and NS records. */
  readonly lines: readonly string[];
  /** Absent for a zone that is not signed. */
  readonly signed?: {
    /** Arguments of dnssec-signzone. */
    readonly options?: readonly string[];
    /** Changes the signed zone, which has one record per line. */
    readonly change?: (lines: readonly string[]) => readonly string[];
    /** The zone does not have its DNSKEY record. */
    readonly withoutKey?: true;
  };
  /** The DS records in the zone above. @default none */
  readonly ds?: (of: { readonly own: string; readonly other: string }) => readonly string[];
}

export interface SignedCase {
  readonly name: string;
  /** @default dkim */
  readonly of?: 'spf';
  /** The first one has the record, at host `k1._domainkey` or `bounce`. */
  readonly zones: readonly SignedZone[];
  /** What names it, where it is refused. */
  readonly finding?: FindingCode;
}

const KEY_LINE = 'k1._domainkey TXT {dkim}';
const own: SignedZone['ds'] = ({ own }) => [own];
const other: SignedZone['ds'] = ({ other }) => [other];
const sound: SignedZone = { lines: [KEY_LINE], signed: {}, ds: own };

/** As in `dnssec-signzone -s -20d -e -10d`. */
const EXPIRED = ['-s', 'now-2592000', '-e', 'now-864000'];
const NOT_YET = ['-s', 'now+864000', '-e', 'now+2592000'];
const NSEC3 = ['-3', 'aabbccdd', '-H', '0'];
const OPT_OUT = [...NSEC3, '-A'];

const isSignatureOf =
  (type: string) =>
  (line: string): boolean =>
    new RegExp(`\\sRRSIG\\s+${type}\\s`).test(line);
const without =
  (isMeant: (line: string) => boolean) =>
  (lines: readonly string[]): readonly string[] =>
    lines.filter((line) => !isMeant(line));
const signed = (change: (lines: readonly string[]) => readonly string[]): SignedZone => ({
  ...sound,
  signed: { change },
});
const alias = (target: string): readonly string[] => [`k1._domainkey CNAME ${target}`];
const holder = (zone: Partial<SignedZone>): SignedZone => ({
  at: 'below',
  lines: ['k1 TXT {dkim}', 'spf TXT {spf}'],
  ...zone,
});
const bogus = holder({ signed: {}, ds: other });

export const signedCases: readonly SignedCase[] = [
  { name: 'not signed', zones: [{ lines: [KEY_LINE] }] },
  { name: 'signed', zones: [sound] },
  { name: 'signed, with NSEC3', zones: [{ ...sound, signed: { options: NSEC3 } }] },
  { name: 'signed, without a DS record', zones: [{ lines: [KEY_LINE], signed: {} }] },
  { name: 'a DS record of no key of the zone', zones: [{ ...sound, ds: other }], finding: 'dnssec_bogus' },
  {
    name: 'a DS record of a zone that is not signed',
    zones: [{ lines: [KEY_LINE], ds: other }],
    finding: 'dnssec_bogus',
  },
  {
    name: 'DS records of the former key and of the new one',
    zones: [{ ...sound, ds: ({ own, other }) => [other, own] }],
  },
  { name: 'expired signatures', zones: [{ ...sound, signed: { options: EXPIRED } }], finding: 'dnssec_bogus' },
  {
    name: 'expired signatures, without a DS record',
    zones: [{ lines: [KEY_LINE], signed: { options: EXPIRED } }],
  },
  {
    name: 'signatures that are not valid yet',
    zones: [{ ...sound, signed: { options: NOT_YET } }],
    finding: 'dnssec_bogus',
  },
  { name: 'a record without a signature', zones: [signed(without(isSignatureOf('TXT')))], finding: 'dnssec_bogus' },
  {
    name: 'a record that was changed after it was signed',
    zones: [signed((lines) => lines.map((line) => line.replace('; k=rsa;', ';k=rsa ;')))],
    finding: 'dnssec_bogus',
  },
  { name: 'keys without a signature', zones: [signed(without(isSignatureOf('DNSKEY')))], finding: 'dnssec_bogus' },
  {
    name: 'no DNSKEY record',
    zones: [signed(without((line) => /\s(?:RRSIG\s+)?DNSKEY\s/.test(line)))],
    finding: 'dnssec_bogus',
  },
  {
    name: 'a DS record with an unknown algorithm',
    zones: [{ ...sound, ds: ({ own }) => [own.replace(/ 13 2 /, ' 200 2 ')] }],
  },
  {
    name: 'a DS record with an unknown digest',
    zones: [{ ...sound, ds: ({ own }) => [own.replace(/ 13 2 /, ' 13 200 ')] }],
  },
  {
    name: 'a DS record with an unknown algorithm, of a zone that is not signed',
    zones: [{ lines: [KEY_LINE], ds: ({ other }) => [other.replace(/ 13 2 /, ' 200 2 ')] }],
  },
  {
    name: 'a DS record with a damaged digest',
    zones: [{ ...sound, ds: ({ own }) => [own.slice(0, -4) + (own.endsWith('0000') ? '1111' : '0000')] }],
    finding: 'dnssec_bogus',
  },
  {
    name: 'a zone below that is not signed',
    zones: [holder({ lines: [KEY_LINE] }), { lines: [], signed: {}, ds: own }],
  },
  {
    name: 'a zone below that is not signed, with NSEC3',
    zones: [holder({ lines: [KEY_LINE] }), { lines: [], signed: { options: NSEC3 }, ds: own }],
  },
  {
    name: 'a zone below that is not signed, with NSEC3 and opt-out',
    zones: [holder({ lines: [KEY_LINE] }), { lines: [], signed: { options: OPT_OUT }, ds: own }],
  },
  {
    name: 'a zone below with a DS record of no key',
    zones: [holder({ lines: [KEY_LINE], signed: {}, ds: other }), { lines: [], signed: {}, ds: own }],
    finding: 'dnssec_bogus',
  },
  {
    name: 'a zone below without the proof that it has no DS record',
    zones: [
      holder({ lines: [KEY_LINE] }),
      { lines: [], signed: { change: without((line) => /\s(?:RRSIG\s+)?NSEC\s/.test(line)) }, ds: own },
    ],
    finding: 'dnssec_bogus',
  },
  {
    name: 'a zone below whose proof that it has no DS record has expired',
    zones: [holder({ lines: [KEY_LINE] }), { lines: [], signed: { options: EXPIRED }, ds: own }],
    finding: 'dnssec_bogus',
  },
  { name: 'a wildcard', zones: [{ ...sound, lines: ['* TXT {dkim}'] }] },
  {
    name: 'a wildcard without the proof that nothing is closer',
    zones: [
      { ...sound, lines: ['* TXT {dkim}'], signed: { change: without((line) => /\s(?:RRSIG\s+)?NSEC\s/.test(line)) } },
    ],
    finding: 'dnssec_bogus',
  },
  {
    name: 'an alias into a signed zone',
    zones: [{ ...sound, lines: alias('k1.below') }, holder({ signed: {}, ds: own })],
  },
  { name: 'an alias into a zone that is not signed', zones: [{ ...sound, lines: alias('k1.below') }, holder({})] },
  {
    name: 'an alias into a bogus zone',
    zones: [{ ...sound, lines: alias('k1.below') }, bogus],
    finding: 'dnssec_bogus',
  },
  {
    name: 'an alias of a zone that is not signed into a bogus zone',
    zones: [{ lines: alias('k1.beside-{zone}.') }, { ...bogus, at: 'beside' }],
    finding: 'dnssec_bogus_alias',
  },
  {
    name: 'an alias into a bogus zone of another owner',
    zones: [
      { ...sound, lines: alias('k1.beside-{zone}.') },
      { ...bogus, at: 'beside' },
    ],
    finding: 'dnssec_bogus_alias',
  },
  { name: 'a bogus zone below one that is not signed', zones: [{ lines: alias('k1.below') }, bogus] },
  {
    name: 'an alias of a zone that is not signed into a signed zone',
    zones: [{ lines: alias('k1.below') }, holder({ signed: {}, ds: own })],
  },
  {
    name: 'an alias without a signature',
    zones: [{ ...sound, lines: alias('k1.below'), signed: { change: without(isSignatureOf('CNAME')) } }, holder({})],
    finding: 'not_resolved',
  },
  { name: 'an SPF record', of: 'spf', zones: [{ lines: ['bounce TXT {spf}'], signed: {}, ds: own }] },
  {
    name: 'an SPF record that includes a signed one',
    of: 'spf',
    zones: [
      { lines: ['bounce TXT "v=spf1 include:spf.beside-{zone} -all"'] },
      holder({ at: 'beside', signed: {}, ds: own }),
    ],
  },
  {
    name: 'an SPF record that includes one in a bogus zone',
    of: 'spf',
    zones: [{ lines: ['bounce TXT "v=spf1 include:spf.beside-{zone} -all"'] }, { ...bogus, at: 'beside' }],
    finding: 'dnssec_bogus_alias',
  },
  {
    name: 'an SPF record that includes one in a bogus zone before it allows the sender',
    of: 'spf',
    zones: [
      { ...sound, lines: ['bounce TXT "v=spf1 include:none.beside-{zone} ip4:192.0.2.1 -all"'] },
      { ...bogus, lines: ['none TXT "v=spf1 -all"'], at: 'beside' },
    ],
    finding: 'dnssec_bogus_alias',
  },
  {
    name: 'an SPF record that includes one in a bogus zone after it allows the sender',
    of: 'spf',
    zones: [
      { ...sound, lines: ['bounce TXT "v=spf1 ip4:192.0.2.1 include:spf.beside-{zone} -all"'] },
      { ...bogus, at: 'beside' },
    ],
  },
  {
    name: 'too many iterations of NSEC3',
    zones: [{ ...sound, lines: ['* TXT {dkim}'], signed: { options: ['-3', 'aabbccdd', '-H', '150'] } }],
  },
];
