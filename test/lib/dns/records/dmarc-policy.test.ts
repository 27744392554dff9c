import { expect, test } from 'vitest';
import { intendedPolicy, isValidDmarc, isWeakerThanMeant } from '../../../../src/lib/dns/records/dmarc-policy.ts';

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

test.each([
  ['v=DMARC1; p=<reject>', 'v=DMARC1; p=reject'],
  ['v=DMARC1; p=reject.', 'v=DMARC1; p=reject'],
  ['v=DMARC1; policy=reject', 'v=DMARC1; p=reject'],
  ['v=DMARC1; Policy: Reject', 'v=DMARC1; p=reject'],
  ['v=DMARC1; p=rejected; rua=mailto:d@acme.com; adkim=s', 'v=DMARC1; p=reject; rua=mailto:d@acme.com; adkim=s'],
  ['v=DMARC1; p=quarentine; sp=rejekt', 'v=DMARC1; p=quarantine; sp=reject'],
  ['v=DMARC1; p=re ject', 'v=DMARC1; p=reject'],
  ['v=DMARC1; p\uff1dreject', 'v=DMARC1; p=reject'],
  ['v=DMARC1; p reject', 'v=DMARC1; p=reject'],
  ['v=DMARC1; p=deny', 'v=DMARC1; p=reject'],
  ['v=DMARC1; p=<b>reject</b>', 'v=DMARC1; p= reject'],
  ['v=DMARC1 p=reject rua=mailto:d@acme.com', 'v=DMARC1; p=reject; rua=mailto:d@acme.com'],
  ['v=DMARC1; reject', 'v=DMARC1; p=reject'],
  ['v=DMRAC1; p=reject', 'v=DMARC1; p=reject'],
  ['p=reject', 'v=DMARC1; p=reject'],
  ['v=DMARC1; sp=reject', 'v=DMARC1; p=none; sp=reject'],
  ['v=DMARC1; p=none|quarantine|reject', 'v=DMARC1; p=none'],
  ['v=DMARC1; p=monitor; rua=mailto:d@acme.com', 'v=DMARC1; p=none; rua=mailto:d@acme.com'],
  ['v=DMARC1; p=REJECT;', 'v=DMARC1; p=REJECT;'],
])('%j was meant as %j', (value, meant) => {
  expect(intendedPolicy(value)).toBe(meant);
});

test.each(['v=DKIM1; k=rsa; p=MIIBIjAN', 'google-site-verification=abc', 'v=spf1 -all', 'v=DMARC1; p=xyz'])(
  '%j was meant as no policy that can be told',
  (value) => {
    expect(intendedPolicy(value)).toBeUndefined();
  },
);

test.each([
  ['v=DMARC1; p=reject.; rua=mailto:d@acme.com', true],
  ['v=DMARC1; p=reject; sp=rejekt; rua=mailto:d@acme.com', true],
  ['v=DMARC1; p=monitor; rua=mailto:d@acme.com', false],
  ['v=DMARC1; p=reject; rua=mailto:d@acme.com', false],
  ['v=DMARC1; p=reject.', false],
])('receivers apply less than is meant by %j: %s', (value, isWeaker) => {
  expect(isWeakerThanMeant(value)).toBe(isWeaker);
});
