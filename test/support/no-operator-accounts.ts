import type { OperatorAccounts } from '../../src/activities/onboarding/operator-accounts.ts';

const refuse = (): never => {
  throw new Error('this test has no operator account');
};

/** For tests in which each tenant has an account at the provider. */
export const noOperatorAccounts: OperatorAccounts = {
  configured: {},
  intents: {
    get: refuse,
    note: refuse,
    release: refuse,
    releasesOf: refuse,
    releases: refuse,
    setMade: refuse,
    forget: refuse,
  },
  events: { email: refuse, emailIdOf: refuse },
  installationId: 'test',
};
