import { expect, test } from 'vitest';
import { countSpfLookups } from '../../src/dns/spf-lookups.ts';

const expected = 'v=spf1 include:spf.sendoff.example -all';
const ours = 'include:spf.sendoff.example';

test.each<[title: string, terms: string, included: Record<string, string>, count: number, unread: string[]]>([
  ['the record as it was shown costs nothing that is the tenant’s', ours, {}, 0, []],
  ['networks cost nothing', `ip4:192.0.2.1 ip6:2001:db8::1 ${ours}`, {}, 0, []],
  ['each of a, mx, ptr and exists costs one', `a mx ptr exists:x.example ${ours}`, {}, 5, ['spf.sendoff.example']],
  ['what stands behind ours is not read', `a ${ours} mx include:b.example`, {}, 2, ['spf.sendoff.example']],
  [
    'an include costs one and what it holds',
    `include:b.example ${ours}`,
    { 'b.example': 'v=spf1 a mx -all' },
    4,
    ['spf.sendoff.example'],
  ],
  [
    'a redirect beside all is ignored',
    `include:b.example ${ours}`,
    { 'b.example': 'v=spf1 redirect=c.example -all' },
    2,
    ['spf.sendoff.example'],
  ],
  [
    'a redirect without all is followed',
    `include:b.example ${ours}`,
    { 'b.example': 'v=spf1 redirect=c.example' },
    3,
    ['c.example', 'spf.sendoff.example'],
  ],
  [
    'a name without an SPF record costs one',
    `include:b.example ${ours}`,
    { 'b.example': '' },
    2,
    ['spf.sendoff.example'],
  ],
  ['a macro is not followed', `include:%{d}.b.example ${ours}`, {}, 2, ['spf.sendoff.example']],
  [
    'a circle ends just above the limit',
    `include:b.example ${ours}`,
    { 'b.example': 'v=spf1 include:b.example' },
    11,
    [],
  ],
])('%s', (_title, terms, included, count, unread) => {
  const lookups = countSpfLookups(expected, `v=spf1 ${terms} -all`, new Map(Object.entries(included)));
  expect(lookups).toEqual({ count, unread });
});
