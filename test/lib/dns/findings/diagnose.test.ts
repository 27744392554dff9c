import { describe, expect, test } from 'vitest';
import { diagnose } from '../../../../src/lib/dns/findings/diagnose.ts';
import { findingRules } from '../../../../src/lib/dns/findings/finding-rules.ts';
import type { DnsAnswer } from '../../../../src/lib/dns/resolver/answer.ts';
import {
  alias,
  bounceAlias,
  bySecond,
  collected,
  dkim,
  dmarc,
  failed,
  found,
  KEY,
  noData,
  nxDomain,
  returnPath,
  spf,
  throughAlias,
  zoneAnswers,
} from '../collected.ts';
import { ENTERING_NOTHING, findingCases, tenHosts } from './finding-cases.ts';

describe('each finding', () => {
  test.each(findingCases)('$code: $when', (row) => {
    const { code, record, found: values, name, fix, extra = [] } = row;
    const { domain = 'acme.com', severity = 'error', status = 'wrong' } = row;
    const entersNothing = ENTERING_NOTHING.includes(code) || row.entersNothing === true;
    const check = diagnose(domain, [record, ...(row.beside ?? [])]).records[0]!;
    expect(check.findings.map((finding) => [finding.code, finding.severity])).toEqual([
      [code, severity],
      ...extra.map((other) => [other, 'error']),
    ]);
    expect(check.status).toBe(status);
    const [finding] = check.findings;
    expect(finding).toMatchObject({ name: name ?? record.expected.name, expected: row.value ?? record.expected.value });
    expect(finding!.fix).toContain(fix);
    expect(finding!.fix).toMatch(/^[A-Z]/);
    // Copying to the end of a host or value must not copy punctuation.
    const { host } = check;
    for (const copied of [`host ${host}`, record.expected.value])
      for (const mark of ['.', ',', ';', ':', '!', '?', ')', '"']) expect(finding!.fix).not.toContain(copied + mark);
    const { type } = record.expected;
    const value = row.value ?? record.expected.value;
    expect(finding!.publish).toEqual(entersNothing ? undefined : { type, host, value });
    if (values !== undefined) expect(finding!.found).toEqual(values);
  });

  test('has a case for each code', () => {
    expect(new Set(findingCases.map(({ code }) => code))).toEqual(new Set(Object.keys(findingRules)));
  });
});

describe('values that mean the same are found', () => {
  const half = Math.floor(KEY.length / 2);
  test.each([
    ['DKIM as it is', dkim, [dkim.value]],
    ['DKIM with its tags in another order and a final ;', dkim, [`v=DKIM1; p=${KEY}; k=rsa;`]],
    ['DKIM whose v= is not the first tag', dkim, [`k=rsa; v=DKIM1; p=${KEY}`]],
    ['DKIM without the optional tags', dkim, [`p=${KEY}`]],
    ['DKIM with whitespace inside p=', dkim, [` v=DKIM1; p = ${KEY.slice(0, half)} \t\r\n ${KEY.slice(half)} `]],
    ['DKIM without padding', dkim, [`v=DKIM1; p=${KEY.replace(/=+$/, '')}`]],
    ['DKIM with unknown tags and notes', dkim, [`v=DKIM1; n=ours; x-y=1; p=${KEY}`]],
    ['DKIM for the domain itself only', dkim, [`v=DKIM1; t=s; p=${KEY}`]],
    ['DKIM in testing mode, as the provider shows it', { ...dkim, value: `t=y; p=${KEY}` }, [`t=y; p=${KEY}`]],
    ['SPF with more senders', spf, ['v=spf1 mx include:spf.sendoff.example ~all']],
    ['SPF in other letters and spacing', spf, ['V=SPF1  +INCLUDE:spf.Sendoff.example.  -all']],
    ['SPF with many other terms after ours', spf, [`v=spf1 include:spf.sendoff.example ${tenHosts} -all`]],
    [
      'SPF with nine terms that ask DNS before ours',
      spf,
      [`v=spf1 ${tenHosts.slice(13)} include:spf.sendoff.example -all`],
    ],
    ['SPF next to other texts', spf, [spf.value, 'some-site-verification=1']],
    ['MX with another preference', returnPath, ['50 MX.sendoff.example']],
    ['MX with a spare one', returnPath, ['10 mx.sendoff.example', '20 mx.other.example']],
    ['DKIM with padding that its key does not need', dkim, [`${dkim.value}==`]],
    ['DKIM with spaces in its padding', { ...dkim, value: 'v=DKIM1; p=QUJDRA==' }, ['v=DKIM1; p=QUJDRA = =']],
    ['DKIM with a vertical tab in notes, which verifiers accept', dkim, [`v=DKIM1; n=a\vb; p=${KEY}`]],
    ['DKIM with notes of printable ASCII', dkim, [`v=DKIM1; n=a b\t!"~; p=${KEY}`]],
    ['DMARC with a tag in UTF-8', dmarc, ['v=DMARC1; p=none; x=\u00fc']],
    ['CNAME as it is', alias, [alias.value]],
    ['CNAME as the provider shows it', { ...alias, value: 'T1.DKIM.Sendoff.example.' }, ['t1.dkim.sendoff.example']],
    [
      'CNAME of a DMARC record that a service keeps',
      { ...alias, purpose: 'dmarc' as const, name: dmarc.name, value: 'd.example' },
      ['d.example'],
    ],
    ['any DMARC policy', dmarc, ['v=DMARC1;p=reject;rua=mailto:a@acme.com']],
  ])('%s', (_title, expected, values) => {
    const check = diagnose('acme.com', [collected(expected, found(...values))]);
    expect(check.records[0]).toMatchObject({ status: 'found', findings: [] });
  });
});

test.each([
  ['text other than a key at the return path', bounceAlias, throughAlias(noData(), bounceAlias.value)],
  ['answer of the servers of the target', alias, failed('timeout')],
])('a CNAME record is found without %s', (_title, expected, answer) => {
  const record = { ...collected(expected, found(expected.value)), leadsTo: zoneAnswers(expected.name, [answer]) };
  expect(diagnose('acme.com', [record]).records[0]).toMatchObject({ status: 'found', findings: [] });
});

describe('values that check alike but do not mean the same are wrong', () => {
  test.each([
    ['DKIM that allows no hash', dkim, `v=DKIM1; h=; p=${KEY}`],
    ['DKIM that allows no service', dkim, `v=DKIM1; s=; p=${KEY}`],
    ['DKIM of another version', dkim, `v=DKIM2; p=${KEY}`],
    ['DKIM with a tag twice', dkim, `v=DKIM1; p=${KEY}; p=${KEY}`],
    ['DKIM for a service in another case', dkim, `v=DKIM1; s=Email; p=${KEY}`],
    ['DKIM for SHA-1 only', dkim, `v=DKIM1; h=sha1; p=${KEY}`],
    ['DKIM for another service', dkim, `v=DKIM1; s=tlsrpt; p=${KEY}`],
    ['DKIM of another kind of key', dkim, `v=DKIM1; k=ed25519; p=${KEY}`],
    ['DKIM with a character that is no base64', dkim, `v=DKIM1; p=${KEY.slice(0, 8)}*${KEY.slice(8)}`],
    ['DKIM with less padding than its key needs', { ...dkim, value: 'v=DKIM1; p=QUJDRA==' }, 'v=DKIM1; p=QUJDRA='],
    ['SPF with whitespace before it', spf, ` ${spf.value}`],
    ['DMARC without a policy', dmarc, 'v=DMARC1; pct=50'],
    ['DMARC with an unknown policy', dmarc, 'v=DMARC1; p=maybe'],
  ])('%s', (_title, expected, value) => {
    expect(diagnose('acme.com', [collected(expected, found(value))]).records[0]).toMatchObject({ status: 'wrong' });
  });
});

describe('the check of a domain', () => {
  test('verifies a domain when its required records are found', () => {
    const check = diagnose('acme.com', [
      collected(dkim, found(dkim.value)),
      collected(spf, found(spf.value)),
      collected(dmarc, nxDomain()),
      collected(returnPath, failed('timeout')),
    ]);
    expect(check).toMatchObject({ domain: 'acme.com', zone: 'acme.com', verified: true, conclusive: true });
    expect(check.records.map(({ host }) => host)).toEqual(['k1._domainkey', 'bounce', '_dmarc', 'bounce']);
  });

  test.each(['servfail', 'refused', 'timeout', 'lame', 'unreachable', 'malformed', 'noAddress', 'limit'] as const)(
    '%s is inconclusive, never missing',
    (reason) => {
      const check = diagnose('acme.com', [collected(dkim, failed(reason)), collected(spf, found(spf.value))]);
      expect(check).toMatchObject({ verified: false, conclusive: false, records: [{ status: 'inconclusive' }, {}] });
    },
  );

  test.each([
    ['no record', []],
    ['only a recommended record', [collected(dmarc, found(dmarc.value))]],
  ])('of %s shows nothing', (_name, records) => {
    expect(diagnose('acme.com', records)).toMatchObject({ verified: false, conclusive: false });
  });

  test('warns about a failing server beside one that has the record', () => {
    const check = diagnose('acme.com', [collected(dkim, found(dkim.value), bySecond(failed('timeout')))]);
    expect(check).toMatchObject({ verified: true, conclusive: true });
    expect(check.records[0]!.findings).toMatchObject([
      { code: 'server_failure', severity: 'warning', server: 'ns2.acme.com (192.0.2.2)' },
    ]);
  });

  test('counts a denial even when another server fails', () => {
    const check = diagnose('acme.com', [collected(dkim, nxDomain(), bySecond(failed('servfail')))]);
    expect(check).toMatchObject({ verified: false, conclusive: true, records: [{ status: 'missing' }] });
    expect(check.records[0]!.findings.map(({ code }) => code)).toEqual(['server_failure', 'not_published']);
  });

  test('finds a record through an alias', () => {
    const answer = found(dkim.value);
    const check = diagnose('acme.com', [
      collected(dkim, answer.kind === 'found' ? { ...answer, aliases: ['acme.keys.example'] } : answer),
    ]);
    expect(check).toMatchObject({ verified: true, records: [{ findings: [] }] });
  });

  test.each([
    ['another record is found', spf, found(spf.value)],
    ['the name of another record exists', returnPath, noData()],
    ['another record’s name is an alias', spf, { ...nxDomain(), aliases: ['gone.other.com'] } as DnsAnswer],
  ])('does not report a domain as unregistered when %s', (_title, other, answer) => {
    const at = { name: other.name, type: other.type, zone: 'com', answers: [answer] };
    const check = diagnose('acme.com', [
      { expected: dkim, at: zoneAnswers(dkim.name, [nxDomain()], 'com') },
      { expected: other, at },
    ]);
    expect(check.records[0]!.findings.map(({ code }) => code)).toEqual(['not_published']);
    expect(check.records[1]!.findings.map(({ code }) => code)).not.toContain('domain_unregistered');
  });

  test('ignores records of other domains when it judges the registration', () => {
    const check = diagnose('acme.com', [
      { expected: dkim, at: zoneAnswers(dkim.name, [nxDomain()], 'com') },
      collected({ ...spf, name: 'bounce.other.example' }, found(spf.value)),
    ]);
    expect(check.records[0]!.findings.map(({ code }) => code)).toEqual(['domain_unregistered']);
  });

  test('reports only the alias when a name outside any zone leads to nothing', () => {
    const answer = { ...nxDomain(), aliases: ['gone.other.com'] } as DnsAnswer;
    const check = diagnose('acme.com', [{ expected: dkim, at: zoneAnswers(dkim.name, [answer], 'com') }]);
    expect(check.records[0]!.findings.map(({ code }) => code)).toEqual(['cname_conflict']);
  });

  test('does not take a delegated _domainkey as the zone of the domain', () => {
    const check = diagnose('acme.com', [
      { expected: dkim, at: zoneAnswers(dkim.name, [found(dkim.value)], '_domainkey.acme.com') },
      collected(spf, found(spf.value)),
    ]);
    expect(check.zone).toBe('acme.com');
    expect(check.records[0]!.host).toBe('k1');
  });

  test('returns hosts relative to the zone, not to a subdomain within it', () => {
    const check = diagnose('mail.acme.com', [collected({ ...spf, name: 'bounce.mail.acme.com' }, nxDomain())]);
    expect(check).toMatchObject({ zone: 'acme.com', records: [{ host: 'bounce.mail' }] });
  });

  test('compares an expected record that breaks the rules as text', () => {
    const odd = { ...dkim, value: 'some text' };
    expect(diagnose('acme.com', [collected(odd, found('p=QUJD'))]).records[0]!.status).toBe('wrong');
  });
});
