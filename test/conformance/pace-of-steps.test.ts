// The pace of each provider's Task Queue fits what an onboarding asks there.
import { expect, test } from 'vitest';
import { openInstallation } from '../../src/conformance/installation.ts';
import { openFake } from '../../src/conformance/targets/fake-target.ts';
import { createTenant } from '../../src/conformance/tenant.ts';
import { asksNothing, stepRows } from '../../src/onboarding/steps.ts';
import { providerNames } from '../../src/onboarding/provider-name.ts';

test.each(providerNames)('the steps at %s make as many requests as its facts say', async (provider) => {
  const farEnd = await openFake(provider);
  const { account } = farEnd.connect(farEnd.url);
  const installation = await openInstallation(farEnd);
  try {
    const tenant = createTenant(installation, 'pace');
    const counts: number[] = [];
    /** Emails have a limit of their own at SES. */
    const paced = () => installation.relay.exchanges.filter(({ path }) => !path.endsWith('/outbound-emails')).length;
    const counted = async (step: () => Promise<unknown>): Promise<number> => {
      const before = paced();
      await step();
      return paced() - before;
    };
    for (const { step } of stepRows) {
      if (step === 'createSender') {
        await farEnd.publish(tenant.domain, tenant.ids.records);
        counts.push(await counted(() => tenant.check('zone')));
        counts.push(await counted(() => tenant.check('zone')));
      }
      const requests = await counted(() => tenant.perform(step));
      if (asksNothing(provider, step)) expect(requests, step).toBe(0);
      else counts.push(requests);
    }
    counts.push(await counted(() => tenant.outcome()));
    const { most, average } = account?.facts.requestsOfStep ?? { most: 0, average: 0 };
    expect(Math.max(...counts), counts.join()).toBeLessThanOrEqual(most);
    const found = counts.reduce((sum, count) => sum + count, 0) / counts.length;
    expect(average, counts.join()).toBeGreaterThan(found * 0.9);
    expect(average, counts.join()).toBeLessThan(found * 1.2);
  } finally {
    await installation.close();
    await account?.close();
    await farEnd.close();
  }
});
