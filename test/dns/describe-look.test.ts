import { expect, test } from 'vitest';
import { describeLook } from '../../src/dns/describe-look.ts';
import { diagnose } from '../../src/dns/diagnose.ts';
import { bySecond, collected, dkim, dmarc, failed, found, nxDomain, spf, zoneAnswers } from './collected.ts';

test('says for each record what operators need to know', () => {
  const doubled = zoneAnswers('k1._domainkey.acme.com.acme.com', [found(dkim.value)]);
  const look = diagnose('acme.com', [
    collected(spf, found(spf.value)),
    { ...collected(dkim, nxDomain()), doubled },
    collected(dmarc, failed('timeout')),
  ]);
  expect(describeLook(look)).toBe(
    'SPF found. DKIM at k1._domainkey.acme.com: published at k1._domainkey.acme.com.acme.com instead (host doubled). ' +
      'DMARC at _dmarc.acme.com: cannot tell, ns1.acme.com (192.0.2.1) gave no answer (timeout).',
  );
});

test('names the server that differs', () => {
  const look = diagnose('acme.com', [collected(dkim, found(dkim.value), bySecond(nxDomain()))]);
  expect(describeLook(look)).toBe(
    "DKIM at k1._domainkey.acme.com: ns2.acme.com (192.0.2.2) does not have what the zone's other servers have.",
  );
});

test('stays under 1 KB and leaves keys out, however many records are wrong', () => {
  const many = Array.from({ length: 30 }, (_, at) => ({
    ...dkim,
    name: `k${at}._domainkey.${'x'.repeat(60)}.acme.com`,
  }));
  const text = describeLook(
    diagnose(
      'acme.com',
      many.map((record) => collected(record, found('v=DKIM1; p=QUJD'))),
    ),
  );
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1_000);
  expect(text).toMatch(/\.\.\.$/);
  expect(text).not.toContain('QUJD');
});
