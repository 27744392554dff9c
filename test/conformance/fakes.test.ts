// The cases of the conformance kit against the simulated providers.
import { expect, test } from 'vitest';
import { allCases } from '../../src/conformance/cases/all-cases.ts';
import { columnOf } from '../../src/conformance/report.ts';
import { casesAtFakes, isLong, page } from './cases-at-fakes.ts';
import { providerNames } from '../../src/onboarding/provider-name.ts';

// The others, and the long cases, are in fakes.long.test.ts.
casesAtFakes(
  ['resend'],
  allCases.filter((one) => !isLong(one)),
);

test('docs/providers.md has every case, in this order, and claims nothing of a live run without a report', () => {
  expect([...(page.get('embedded')?.keys() ?? [])]).toEqual(allCases.map(({ name }) => name));
  for (const provider of providerNames)
    expect(new Set(page.get(columnOf({ provider, target: 'live' }))?.values())).toEqual(new Set(['not proven']));
});
