import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { codeHosts } from '../../src/agents-md/code-hosts.ts';
import { paceOf, requestsPerSecondTo } from '../../src/agents-md/request-rates.ts';

test('the rate to a host is what it allows, unless a setting names another', () => {
  expect(requestsPerSecondTo('github.com', undefined)).toBeCloseTo(1 / 60);
  expect(requestsPerSecondTo('gitlab.com', undefined)).toBeCloseTo(500 / 60);
  expect(requestsPerSecondTo('github.com', 5)).toBe(5);
});

test.each([
  [{ 'github.com': 1_000 }, undefined, { requestsMax: 2_000, hoursMax: 33.3 }],
  [{ 'github.com': 50_000 }, undefined, { requestsMax: 100_000, hoursMax: 1_666.7 }],
  // A setting beyond the limit makes nothing faster: the host refuses.
  [{ 'github.com': 1_000 }, 100, { requestsMax: 2_000, hoursMax: 33.3 }],
  [{ 'gitlab.com': 1_000, 'codeberg.org': 1_800 }, undefined, { requestsMax: 5_600, hoursMax: 1 }],
  [{}, undefined, { requestsMax: 0, hoursMax: 0 }],
])('%o with a setting of %s takes %o', (hosts, setting, pace) => {
  expect(paceOf(hosts, setting)).toEqual(pace);
});

test('docs/agents-md.md has a row for each host', () => {
  const document = readFileSync(new URL('../../docs/agents-md.md', import.meta.url), 'utf8');
  for (const host of Object.keys(codeHosts)) expect(document).toMatch(new RegExp(`^\\| ${host} \\|`, 'm'));
});
