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

test('says for each record what operators need to know', () => {
  const doubled = zoneAnswers('k1._domainkey.acme.com.acme.com', [found(dkim.value)]);
  const look = diagnose('acme.com', [
    collected(spf, found(spf.value)),
    { ...collected(dkim, nxDomain()), doubled: [doubled] },
    collected(dmarc, failed('timeout')),
  ]);
  expect(describeCheck(look)).toBe(
    'SPF found. DKIM at k1._domainkey.acme.com: published at k1._domainkey.acme.com.acme.com instead (host doubled). ' +
      'DMARC at _dmarc.acme.com: cannot tell, ns1.acme.com (192.0.2.1) gave no answer (timeout).',
  );
});

test('names the server that differs', () => {
  const look = diagnose('acme.com', [collected(dkim, found(dkim.value), bySecond(nxDomain()))]);
  expect(describeCheck(look)).toBe(
    "DKIM at k1._domainkey.acme.com: ns2.acme.com (192.0.2.2) does not have what the zone's other servers have.",
  );
});

test('what resolvers remember does not change the sentence, so that it stays the same from look to look', () => {
  const right = collected(dkim, found(dkim.value));
  const denied = { kind: 'denied', server: '192.0.2.53:53', secondsLeft: 42 } as const;
  expect(describeCheck(diagnose('acme.com', [{ ...right, caches: [denied] }]))).toBe('DKIM found.');
});

test('says in a few words what is wrong with records that are there', () => {
  const other = found('v=spf1 mx -all');
  const alias = throughAlias(other, 'mail.other.example');
  const bogus = { kind: 'bogus', server: '192.0.2.53:53' } as const;
  const look = diagnose('acme.com', [
    { ...collected(dkim, found(dkim.value)), caches: [bogus] },
    collected(spf, alias),
    collected(dkim, found(dkim.value), bySecond(found('v=DKIM1; p=QUJD'))),
  ]);
  expect(describeCheck(look)).toBe(
    'DKIM at k1._domainkey.acme.com: the DNSSEC signatures do not fit (bogus). ' +
      'SPF at bounce.acme.com: a CNAME record is in the way. ' +
      "DKIM at k1._domainkey.acme.com: ns2.acme.com (192.0.2.2) still has another key than the zone's other servers.",
  );
});

test('stays under 1 KB and leaves keys out, however many records are wrong', () => {
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
