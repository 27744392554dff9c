// What a stranger sends is parsed in linear time, and does not become much longer.
import { describe, expect, test } from 'vitest';
import { diagnose } from '../../src/lib/dns/findings/diagnose.ts';
import { judgeSpf } from '../../src/lib/dns/spf/judge-spf.ts';
import { expandMacros } from '../../src/lib/dns/spf/spf-macro.ts';
import { collected, dkim, dmarc, found, spf, zoneAnswers } from '../lib/dns/collected.ts';
import { BYTES, isLinear, macroValues, testParsers } from './worst-inputs.ts';

// Of which each has another text before and behind it than the one before.
testParsers(7);

test.each([
  [dmarc, (bytes: number) => ' '.repeat(bytes)],
  [dkim, (bytes: number) => `v=DKIM1; p=${' '.repeat(bytes)}x`],
  [dkim, (bytes: number) => `${dkim.value}${';p='.repeat(bytes / 3)}`],
  [spf, (bytes: number) => `v=spf1 ${'ip6:1 '.repeat(bytes / 6)}`],
] as const)('a check of the record %j', (expected, attack) => {
  expect(isLinear((text) => diagnose('acme.com', [collected(expected, found(text))]), attack)).toBe(true);
});

test('not by an expression that backtracks', () => {
  expect(
    isLinear(
      // With the cube of the length, so that a busy machine cannot hide it.
      (text) => /\s+\s+$/.test(text),
      (bytes) => `${' '.repeat(bytes / 16)}x`,
    ),
  ).toBe(false);
});

describe('SPF', () => {
  test.each(['%{d}', '%{d}.', '%{dr}', '%{i}', '%{i}.', '%{o1}', 'a%%'])(
    'expands only the end of %s, repeated',
    (macro) => {
      let reads = 0;
      const counted = {
        get domain() {
          reads += 1;
          return 'acme.com';
        },
        get sender() {
          reads += 1;
          return 'acme.com';
        },
        get client() {
          reads += 1;
          return macroValues.client;
        },
      };
      expandMacros(macro, counted);
      const readsOfOne = reads;
      reads = 0;
      const expanded = expandMacros(macro.repeat(BYTES / macro.length), counted) ?? '';
      // No name has more than 253 characters, and no macro here fewer than one.
      expect(reads).toBeLessThanOrEqual(255 * readsOfOne + BYTES / macro.length);
      expect(expanded.length).toBeLessThan(600);
    },
  );

  test('with different long records on each server is not judged to the end', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `${name}.example`);
    const terms = (count: number, term: (at: number) => string): string =>
      Array.from({ length: count }, (_, at) => term(at)).join(' ');
    const answers = names.map((name, at) => ({
      ...zoneAnswers(
        name,
        [0, 1].map((server) => found(`v=spf1 ${terms(500, (one) => `ip4:10.${at}.${server}.${one % 256}`)}`)),
      ),
    }));
    const judged = judgeSpf({
      domain: 'acme.com',
      expected: 'v=spf1 ip4:192.0.2.0/24 -all',
      published: `v=spf1 ${names.map((name) => `include:${name}`).join(' ')} ${terms(128, (one) => `ip4:192.0.2.${one * 2}/31`)} -all`,
      answers,
    });
    expect(judged).toMatchObject({ kind: 'unanswered', failures: [{ reason: 'limit' }] });
  });
});
