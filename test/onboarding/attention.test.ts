import { expect, test } from 'vitest';
import { attentionOf, findingCodes, withCause } from '../../src/onboarding/attention.ts';
import type { DnsRecord } from '../../src/onboarding/dns-record.ts';
import { dkimRecord } from './dns-operators/records.ts';

const record = (changes: Partial<DnsRecord> = {}, ...codes: string[]): DnsRecord => ({
  ...dkimRecord,
  status: 'wrong',
  findings: codes.map((code) => ({ code, name: 'k1._domainkey.acme.com.acme.com', fix: `fix ${code}` })),
  ...changes,
});

test('a definite mistake in a required record needs attention', () => {
  expect(attentionOf([record({}, 'host_doubled'), record({ purpose: 'spf' }, 'spf_syntax', 'host_doubled')])).toEqual({
    cause: 'host_doubled@k1._domainkey.acme.com.acme.com spf_syntax@k1._domainkey.acme.com.acme.com',
    findings: [
      { code: 'host_doubled', name: 'k1._domainkey.acme.com.acme.com', fix: 'fix host_doubled', purpose: 'dkim' },
      { code: 'spf_syntax', name: 'k1._domainkey.acme.com.acme.com', fix: 'fix spf_syntax', purpose: 'spf' },
      { code: 'host_doubled', name: 'k1._domainkey.acme.com.acme.com', fix: 'fix host_doubled', purpose: 'spf' },
    ],
  });
});

test.each([
  ['a record that is not published yet', record({ status: 'missing' }, 'not_published')],
  ['name servers that differ, as while a change spreads', record({}, 'ns_inconsistent', 'key_stale')],
  ['name servers that do not answer', record({ status: 'inconclusive' }, 'server_failure', 'resolver_failure')],
  ['resolvers without an answer', record({ status: 'inconclusive' }, 'not_resolved')],
  ['a recommended record', record({ required: false }, 'value_mismatch')],
  ['a record that is found, with a warning', record({ status: 'found' }, 'ns_lame')],
  ['a mistake of the sending service', record({}, 'sender_spf_broken')],
])('%s needs none', (_, one) => {
  expect(attentionOf([one])).toBeNull();
});

test('reported causes grow with each new one, up to a hundred', () => {
  expect(withCause('', 'a@x b@x')).toBe('a@x b@x');
  expect(withCause('a@x b@x', 'a@x')).toBe('a@x b@x');
  expect(withCause('a@x', 'a@y')).toBe('a@x a@y');
  const many = Array.from({ length: 150 }, (_, n) => `a@${n}`).join(' ');
  expect(withCause('a@x', many).split(' ')).toHaveLength(100);
});

test('the codes of definite mistakes are sorted, without repetitions, and few and short whatever a provider sends', () => {
  expect(findingCodes([record({}, 'spf_syntax', 'host_doubled', 'host_doubled', 'not_published')])).toEqual([
    'host_doubled',
    'spf_syntax',
  ]);
  const codes = Array.from({ length: 1_000 }, (_, index) => `code_${1_000 + index}`);
  expect(findingCodes([record({}, '', 'a b', 'x'.repeat(3_000), ...codes)])).toEqual(codes.slice(0, 10));
  expect(findingCodes([])).toEqual([]);
});
