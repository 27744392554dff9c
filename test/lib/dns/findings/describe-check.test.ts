import { expect, test } from 'vitest';
import { describeCheck } from '../../../../src/lib/dns/findings/describe-check.ts';
import { diagnose } from '../../../../src/lib/dns/findings/diagnose.ts';
import {
  bySecond,
  collected,
  dkim,
  dmarc,
  failed,
  found,
  nxDomain,
  spf,
  throughAlias,
  zoneAnswers,
} from '../collected.ts';

test('returns one sentence for each record', () => {
  const doubled = zoneAnswers('k1._domainkey.acme.com.acme.com', [found(dkim.value)]);
  const check = diagnose('acme.com', [
    collected(spf, found(spf.value)),
    { ...collected(dkim, nxDomain()), doubled: [doubled] },
    collected(dmarc, failed('timeout')),
  ]);
  expect(describeCheck(check)).toBe(
    'SPF record found. DKIM record at k1._domainkey.acme.com: published at k1._domainkey.acme.com.acme.com, where part of the domain is repeated. ' +
      'DMARC record at _dmarc.acme.com: inconclusive, name server ns1.acme.com (192.0.2.1) gave no usable answer (timeout).',
  );
});

test('names the server that differs', () => {
  const check = diagnose('acme.com', [collected(dkim, found(dkim.value), bySecond(nxDomain()))]);
  expect(describeCheck(check)).toBe(
    'DKIM record at k1._domainkey.acme.com: name server ns2.acme.com (192.0.2.2) differs from the other name servers of the zone.',
  );
});

test('leaves out what resolvers remember, so the text is the same from check to check', () => {
  const right = collected(dkim, found(dkim.value));
  const denied = { kind: 'denied', server: '192.0.2.53:53', secondsLeft: 42 } as const;
  expect(describeCheck(diagnose('acme.com', [{ ...right, caches: [denied] }]))).toBe('DKIM record found.');
});

test('describes what is wrong with published records', () => {
  const other = found('v=spf1 mx -all');
  const alias = throughAlias(other, 'mail.other.example');
  const bogus = { kind: 'bogus', server: '192.0.2.53:53', zone: 'acme.com' } as const;
  const check = diagnose('acme.com', [
    { ...collected(dkim, found(dkim.value)), caches: [bogus] },
    collected(spf, alias),
    collected(dkim, found(dkim.value), bySecond(found('v=DKIM1; p=QUJD'))),
  ]);
  expect(describeCheck(check)).toBe(
    'DKIM record at k1._domainkey.acme.com: validating resolvers reject the record, because the DNSSEC signatures of the zone are not valid. ' +
      'SPF record at bounce.acme.com: a CNAME record is in the way, and no other record can exist beside it. ' +
      'DKIM record at k1._domainkey.acme.com: name server ns2.acme.com (192.0.2.2) still has another key than the other name servers of the zone.',
  );
});

test('returns at most 1,000 bytes without keys, however many records are wrong', () => {
  const many = Array.from({ length: 30 }, (_, at) => ({
    ...dkim,
    name: `k${at}._domainkey.${'x'.repeat(60)}.acme.com`,
  }));
  const text = describeCheck(
    diagnose(
      'acme.com',
      many.map((record) => collected(record, found('v=DKIM1; p=QUJD'))),
    ),
  );
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1_000);
  expect(text).toMatch(/\.\.\.$/);
  expect(text).not.toContain('QUJD');
});
