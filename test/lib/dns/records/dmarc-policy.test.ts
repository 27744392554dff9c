import { expect, test } from 'vitest';
import { isValidDmarc } from '../../../../src/lib/dns/records/dmarc-policy.ts';

test.each([
  'v=DMARC1; p=none',
  'v=DMARC1;p=REJECT;',
  // RFC 7489 section 6.6.3 step 6: with an address for reports it is taken as p=none.
  'v=DMARC1; p=monitor; rua=mailto:a@reports.example',
  'v=DMARC1; rua=mailto:a@reports.example!10m, mailto:b@reports.example',
  'v=DMARC1; p=none; sp=other; rua=mailto:a@reports.example',
  // Section 6.3: what cannot be read in the rest is ignored.
  'v=DMARC1; p=none; foo',
  'v=DMARC1; p=none;;',
])('receivers act on %j', (value) => {
  expect(isValidDmarc(value)).toBe(true);
});

test.each([
  'v=DMARC1',
  'v=DMARC1; rua=',
  'v=DMARC1; rua=reports.example',
  'v=DMARC1; p=monitor',
  'v=DMARC1; p=none; sp=other',
  'p=none; v=DMARC1',
  ' v=DMARC1; p=none',
])('receivers ignore %j', (value) => {
  expect(isValidDmarc(value)).toBe(false);
});
