// Builders of collected answers for the pure tests: one valid check, of which each test breaks one thing.
import { generateKeyPairSync } from 'node:crypto';
import type { DnsAnswer, FailureReason, ZoneAnswers } from '../../../src/lib/dns/resolver/answer.ts';
import type { CollectedRecord } from '../../../src/lib/dns/collect/collected-record.ts';
import type { ExpectedRecord } from '../../../src/lib/dns/expected-record.ts';

export const KEY = Buffer.from(Array.from({ length: 294 }, (_, at) => (at * 37) % 256)).toString('base64');

/** The whole key of another sender. */
export const OTHER_KEY = generateKeyPairSync('rsa', { modulusLength: 2048 })
  .publicKey.export({ type: 'spki', format: 'der' })
  .toString('base64');

export const dkim: ExpectedRecord = {
  purpose: 'dkim',
  type: 'TXT',
  name: 'k1._domainkey.acme.com',
  value: `v=DKIM1; k=rsa; p=${KEY}`,
  required: true,
};

export const spf: ExpectedRecord = {
  purpose: 'spf',
  type: 'TXT',
  name: 'bounce.acme.com',
  value: 'v=spf1 include:spf.sendoff.example -all',
  required: true,
};

export const returnPath: ExpectedRecord = {
  purpose: 'return_path',
  type: 'MX',
  name: 'bounce.acme.com',
  value: '10 mx.sendoff.example',
  required: false,
};

export const dmarc: ExpectedRecord = {
  purpose: 'dmarc',
  type: 'TXT',
  name: '_dmarc.acme.com',
  value: 'v=DMARC1; p=none',
  required: false,
};

/** The four of a domain whose mail comes from this machine. */
export function recordsOf(domain: string) {
  const at = (record: ExpectedRecord): ExpectedRecord => ({ ...record, name: record.name.replace('acme.com', domain) });
  const ownSpf = { ...spf, value: 'v=spf1 ip4:127.0.0.1 -all' };
  return { dkim: at(dkim), spf: at(ownSpf), returnPath: at(returnPath), dmarc: at(dmarc) };
}

/** One of three that Amazon SES asks for. */
export const alias: ExpectedRecord = {
  purpose: 'dkim',
  type: 'CNAME',
  name: 't1._domainkey.acme.com',
  value: 't1.dkim.sendoff.example',
  required: true,
};

/** As Postmark asks for it. */
export const bounceAlias: ExpectedRecord = {
  purpose: 'return_path',
  type: 'CNAME',
  name: 'pm-bounces.acme.com',
  value: 'pm.sendoff.example',
  required: true,
};

const about = { authoritative: true, aliases: [] };

export function found(...values: readonly string[]): DnsAnswer {
  return { kind: 'found', server: 'ns1.acme.com (192.0.2.1)', ...about, values, ttlSeconds: 60 };
}

export function nxDomain(): DnsAnswer {
  return { kind: 'nxDomain', server: 'ns1.acme.com (192.0.2.1)', ...about };
}

export function noData(): DnsAnswer {
  return { kind: 'noData', server: 'ns1.acme.com (192.0.2.1)', ...about };
}

/** What is found behind a CNAME at the name. */
export function throughAlias(answer: DnsAnswer, target: string): DnsAnswer {
  return answer.kind === 'serverFailure' ? answer : { ...answer, aliases: [target] };
}

export function failed(reason: FailureReason): DnsAnswer {
  return { kind: 'serverFailure', server: 'ns1.acme.com (192.0.2.1)', reason };
}

export function bySecond(answer: DnsAnswer): DnsAnswer {
  return { ...answer, server: 'ns2.acme.com (192.0.2.2)' };
}

export function zoneAnswers(
  name: string,
  answers: readonly DnsAnswer[],
  zone: string | undefined = 'acme.com',
): ZoneAnswers {
  return { name, type: 'TXT', zone, answers };
}

export const tenNames = Array.from({ length: 10 }, (_, at) => `h${String(at)}.example`);

/** What receivers find at other names: where the mail of the expected record comes from, and who else sends. */
export const spfAnswers: readonly ZoneAnswers[] = [
  zoneAnswers('spf.sendoff.example', [found('v=spf1 ip4:192.0.2.1 -all')], 'sendoff.example'),
  zoneAnswers('spf.other.example', [found('v=spf1 ip4:198.51.100.7 -all')], 'other.example'),
  { ...zoneAnswers('bounce.acme.com', [found('10 h0.example')]), type: 'MX' },
  ...['bounce.acme.com', ...tenNames].map((name) => ({
    ...zoneAnswers(name, [found('198.51.100.7')]),
    type: 'A' as const,
  })),
];

export function collected(expected: ExpectedRecord, ...answers: readonly DnsAnswer[]): CollectedRecord {
  const at = { ...zoneAnswers(expected.name, answers), type: expected.type };
  return expected.purpose === 'spf' ? { expected, at, spfAnswers } : { expected, at };
}
