import { expect, test } from 'vitest';
import { toDnsRecord } from '../../../src/activities/onboarding/register-domain.ts';

test('what a record has instead is each value of the zone once, and not how a server failed', () => {
  const finding = (code: string, found: string[]) => ({
    ...{ code, severity: 'error', name: 'acme.test', expected: 'v', found, fix: 'x' },
  });
  const { found, findings } = toDnsRecord({
    ...{ purpose: 'spf', type: 'TXT', name: 'acme.test', host: '@', zone: 'acme.test', value: 'v' },
    ...{ required: true, status: 'wrong' },
    findings: [
      finding('spf_syntax', ['v=spf1 x', 'v=spf1 y']),
      finding('spf_multiple', ['v=spf1 x', 'v=spf1 y']),
      finding('ns_lame', ['refused']),
      finding('server_failure', ['servfail']),
      finding('resolver_failure', ['noAddress']),
    ],
  });
  expect(found).toEqual(['v=spf1 x', 'v=spf1 y']);
  expect(findings).toHaveLength(5);
});
