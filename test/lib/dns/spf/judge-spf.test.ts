import { expect, test } from 'vitest';
import type { DnsAnswer, LookUpType, ZoneAnswers } from '../../../../src/lib/dns/resolver/answer.ts';
import { judgeSpf } from '../../../../src/lib/dns/spf/judge-spf.ts';

const SENDER = 'v=spf1 ip4:192.0.2.1 -all';
const answered = { authoritative: true, aliases: [] } as const;

const at = (name: string, type: LookUpType, ...answers: readonly DnsAnswer[]): ZoneAnswers => ({
  name,
  type,
  zone: 'acme.test',
  answers,
});
const found = (...values: readonly string[]): DnsAnswer => ({
  kind: 'found',
  server: 'ns.acme.test (127.0.0.3)',
  ...answered,
  values,
  ttlSeconds: 60,
});
const endless: DnsAnswer = { kind: 'noData', server: 'ns.acme.test (127.0.0.3)', ...answered, aliasFault: 'loop' };

const judge = (published: string, ...answers: readonly ZoneAnswers[]): ReturnType<typeof judgeSpf> =>
  judgeSpf({ domain: 'bounce.acme.test', expected: SENDER, published, answers });

test.each([
  ['the reverse name', [at('1.2.0.192.in-addr.arpa', 'PTR', endless)]],
  ['a host', [at('1.2.0.192.in-addr.arpa', 'PTR', found('lp.acme.test')), at('lp.acme.test', 'A', endless)]],
])('skips %s that is an endless alias in ptr', (_title, answers) => {
  expect(judge('v=spf1 ptr ip4:192.0.2.1 -all', ...answers)).toEqual({ kind: 'authorized' });
});

test('reports a fault if one of several servers has an endless alias', () => {
  expect(judge('v=spf1 a:us.acme.test -all', at('us.acme.test', 'A', found('192.0.2.1'), endless))).toEqual({
    kind: 'fault',
    fault: 'loop',
    name: 'us.acme.test',
  });
});

test.each([2, 6])('judges any combination of answers for %i names with two answers each', (count) => {
  const names = Array.from({ length: count }, (_, place) => `h${String(place)}.acme.test`);
  const answers = names.map((name, place) => {
    const both = [found('192.0.2.1'), found('198.51.100.7')];
    return at(name, 'A', ...(place % 2 === 0 ? both : both.reverse()));
  });
  const published = `v=spf1 ${names.map((name) => `a:${name}`).join(' ')} -all`;
  expect(judge(published, ...answers)).toMatchObject({ kind: 'fault' });
});

test('reports no fault if each of the differing answers allows the sender', () => {
  const answers = Array.from({ length: 8 }, (_, place) =>
    at(`h${String(place)}.acme.test`, 'A', found('198.51.100.7'), found('198.51.100.8'), found('198.51.100.9')),
  );
  const terms = answers.map(({ name }) => `a:${name}`).join(' ');
  expect(judge(`v=spf1 ${terms} ip4:192.0.2.1 -all`, ...answers)).toEqual({ kind: 'authorized' });
});
