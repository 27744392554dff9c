import { expect, test } from 'vitest';
import { withSections } from '../../bench/benchmarks-file.ts';
import type { Results } from '../../bench/run-rounds.ts';
import type { Lines } from '../../bench/scenario.ts';
import { sectionsOf } from '../../bench/shown-report.ts';
import { percentile, spreadOf } from '../../bench/statistics.ts';

test.each([
  { values: [3, 1, 2], percent: 50, expected: 2 },
  { values: [4, 1, 3, 2], percent: 50, expected: 2.5 },
  { values: [7], percent: 99, expected: 7 },
  { values: Array.from({ length: 100 }, (_, index) => 100 - index), percent: 99, expected: 99 },
  { values: [], percent: 50, expected: NaN },
])('percentile $percent of $values is $expected', ({ values, percent, expected }) => {
  expect(percentile(values, percent)).toBe(expected);
});

test('a spread has minimum, median and maximum, and leaves the values in their order', () => {
  const values = [5, 1, 9];
  expect(spreadOf(values)).toEqual({ min: 1, median: 5, max: 9 });
  expect(values).toEqual([5, 1, 9]);
});

const about = { server: 'dev', rounds: 3, quick: false, machine: '2 cores', versions: ['sendoff 0.1.0', 'Node 20'] };

test('a report has a table for each title, a column for each figure, and the spread of the rounds', () => {
  const scenarios = [
    { name: 'one', table: 'Onboardings' },
    { name: 'other', table: 'Onboardings' },
    { name: 'mail', table: 'Emails' },
  ];
  const empty = { 'an empty Workflow': { 'ended/s': 48 } };
  const results: Results = new Map<string, Lines[]>([
    ['one', [12.345, 11, 140.4].map((perSecond) => ({ sendoff: { 'ended/s': perSecond, events: 29 } }))],
    ['other', [empty, empty, empty]],
    ['mail', [{ sendoff: { 'delivered/s': 0.04567 } }]],
  ]);
  const about3 = '3 rounds on 2 cores. sendoff 0.1.0, Node 20.';
  expect(sectionsOf(scenarios, results, about)).toEqual([
    {
      title: 'Onboardings',
      text: [
        '### Onboardings',
        '',
        '|  | ended/s | events |',
        '| --- | ---: | ---: |',
        '| sendoff | 12.3 (11 to 140) | 29 |',
        '| an empty Workflow | 48 |  |',
        '',
        about3,
      ].join('\n'),
    },
    {
      title: 'Emails',
      text: ['### Emails', '', '|  | delivered/s |', '| --- | ---: |', '| sendoff | 0.05 |', '', about3].join('\n'),
    },
  ]);
});

test('tables replace those of their title and server, the others stay, and a file without the marks is refused', () => {
  const text = 'Before\n<!-- dev -->\n\n### One\n\nold\n\n### Two\n\nkept\n\n<!-- /dev -->\nAfter\n';
  const sections = [
    { title: 'One', text: '### One\n\nnew' },
    { title: 'Three', text: '### Three\n\nadded' },
  ];
  expect(withSections(text, 'dev', sections)).toBe(
    'Before\n<!-- dev -->\n\n### One\n\nnew\n\n### Two\n\nkept\n\n### Three\n\nadded\n\n<!-- /dev -->\nAfter\n',
  );
  expect(() => withSections('nothing', 'dev', sections)).toThrow(
    'BENCHMARKS.md has no place between <!-- dev --> and <!-- /dev -->',
  );
});
