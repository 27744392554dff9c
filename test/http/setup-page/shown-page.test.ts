import { h } from 'preact';
import { render } from 'preact-render-to-string';
import { describe, expect, test } from 'vitest';
import { timeLeft } from '../../../src/http/setup-page/moments.tsx';
import { SetupPage } from '../../../src/http/setup-page/setup-page.tsx';
import type { SetupEnd, SetupView } from '../../../src/http/setup-page/setup-view.ts';
import { en } from '../../../src/http/setup-page/texts/en.ts';
import { dkimRecord, spfRecord } from '../../onboarding/dns-operators/records.ts';
import { setupRecord, setupView } from './setup-views.ts';

const NOW = Date.parse('2026-11-22T12:00:00.000Z');
const missing = setupRecord(dkimRecord);
const found = setupRecord({ ...dkimRecord, status: 'found' });

const page = (fields: Partial<SetupView>, records = [missing]): string =>
  render(
    h(SetupPage, {
      ...{
        view: setupView(records, fields),
        texts: en,
        version: '1',
        etag: '"1"',
        notice: undefined,
        query: () => '?',
      },
      timeLeft: fields.deadline == null ? undefined : timeLeft(fields.deadline, NOW, en),
      product: { name: 'Acme Mail', support: undefined },
    }),
  );

const ended = (type: SetupEnd['type'], conclusive = true): Partial<SetupView> => ({
  ...{ state: 'failed', mayCheck: false },
  end: { type, at: null, conclusive, recipient: '', reason: '' },
});

const steps = (html: string): string[] =>
  [...html.matchAll(/<span class="unseen">([^<]+)/g)].map(([, step = '']) => step);

test.each([
  [true, 'that needs an entry', missing],
  [false, 'whose name servers fail', { ...setupRecord({ ...spfRecord, status: 'inconclusive' }), needsEntry: false }],
  [false, 'that is right', found],
] as const)('asks %s to enter a record %s', (asks, _, record) => {
  expect(page({}, [record]).includes(en.records.enterThis)).toBe(asks);
});

test('shows no record to enter after a refused step, which is undone', () => {
  expect(page(ended('ProviderRejected'))).not.toContain(dkimRecord.value);
  expect(page(ended('ProviderUnavailable'))).toContain(dkimRecord.value);
});

test('says a finding about the zone once, and one about a record at the record', () => {
  const of = (code: string) => ({ code, name: 'acme.com', fix: code });
  const cards = [dkimRecord, spfRecord].map((record) => ({
    ...setupRecord({ ...record, status: 'inconclusive' }),
    problems: [of('server_failure'), of('negative_cached')],
  }));
  const html = page({ state: 'unanswered' }, cards);
  const beforeInstructions = html.slice(0, html.indexOf('<textarea'));
  expect(beforeInstructions.match(/gave no usable answer/g)).toHaveLength(1);
  expect(beforeInstructions.match(/receivers still remember/g)).toHaveLength(2);
});

describe('the steps', () => {
  test.each([
    [missing, true, ['not reached', 'to come', 'to come']],
    [found, false, ['done', 'not reached', 'to come']],
  ] as const)('of a verification that took too long say what was reached', (record, conclusive, expected) => {
    expect(steps(page(ended('DomainVerificationTimedOut', conclusive), [record]))).toEqual(expected);
  });

  test('of F2 claim the records only if the last check found them', () => {
    expect(steps(page(ended('DomainNotVerified'), [found]))).toEqual(['done', 'not reached', 'to come']);
    expect(steps(page(ended('DomainNotVerified'), [missing]))).toEqual(['not reached', 'to come', 'to come']);
  });

  test('of a domain that has drifted say that the records are no longer correct', () => {
    expect(steps(page({ state: 'drifted', mayCheck: false }))).toEqual(['no longer correct', 'done', 'done']);
  });
});

test.each([
  [1, true],
  [-1, false],
])('with %i minutes left, shows until when: %s', (minutes, isShown) => {
  const html = page({ deadline: new Date(NOW + minutes * 60_000).toISOString() });
  expect(html.includes('class="until"')).toBe(isShown);
  expect(html.includes(en.checks.timeOver)).toBe(!isShown);
});

test.each([
  ['preparing', true],
  ['verified', true],
  ['delivered', false],
  ['drifted', false],
] as const)('%s: has a link to the latest state without JavaScript: %s', (state, isLive) => {
  expect(page({ state, mayCheck: false }).includes('class="refresh"')).toBe(isLive);
});
