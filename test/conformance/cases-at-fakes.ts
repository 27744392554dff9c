import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ConformanceCase, runCase } from '../../src/conformance/conformance-case.ts';
import { faultsOfError } from '../../src/conformance/documents/document-judge.ts';
import type { FarEnd } from '../../src/conformance/far-end.ts';
import { postmarkOverlay } from '../../src/conformance/documents/overlays.ts';
import type { RelayedExchange } from '../../src/dev/relay.ts';
import { columnOf } from '../../src/conformance/report.ts';
import { resultsOn } from '../../src/conformance/results-on-page.ts';
import { openFake } from '../../src/conformance/targets/fake-target.ts';
import type { ProviderName } from '../../src/onboarding/provider-name.ts';

export const page = resultsOn(readFileSync(new URL('../../docs/providers.md', import.meta.url), 'utf8'));

/** They repeat a whole onboarding for each of its requests. */
export const isLong = ({ name }: ConformanceCase): boolean => name.includes('each request in turn');

/** Resend's and SES's errors are judged with their documents, where these are at hand. */
function errorFaults({ method, path, answer }: RelayedExchange): string[] {
  if (answer === undefined || answer.status < 400) return [];
  const [resource = ''] = path.split('?');
  return faultsOfError(`${method} ${resource.replace(/\/[^/]*[0-9][^/]*/, '/{id}')}`, answer, postmarkOverlay);
}

/** Tests that the cases hold at these simulated providers, as docs/providers.md says. */
export function casesAtFakes(providers: readonly ProviderName[], cases: readonly ConformanceCase[]): void {
  describe.each(providers)('the simulated %s', (provider) => {
    let farEnd: FarEnd;
    beforeAll(async () => {
      farEnd = await openFake(provider);
    });
    afterAll(() => farEnd.close());

    test.each(cases.map((one) => [one.group, one.name, one] as const))('%s: %s', async (_group, name, one) => {
      const answered: RelayedExchange[] = [];
      const onExchanges = (seen: readonly RelayedExchange[]) => void answered.push(...seen);
      const { verdict, reason } = await runCase(one, { farEnd, run: 't', onExchanges });
      if (provider === 'postmark') expect(answered.flatMap(errorFaults)).toEqual([]);
      expect(verdict, reason).not.toBe('failed');
      // Otherwise: npm run conformance -- --write docs/providers.md
      expect(page.get(columnOf({ provider, target: 'fake' }))?.get(name)).toBe(verdict);
    });
  });
}
