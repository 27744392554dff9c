// Apart from the environments, whose import of the SDK's Worker costs a test of the register or of HTTP more than all its tests.
import type { OnboardTenantInput } from '../../src/onboarding/input.ts';

export const validInput = (overrides: Partial<OnboardTenantInput> = {}): OnboardTenantInput => ({
  tenantId: 'acme',
  domain: 'acme.test',
  fromAddress: 'hello@acme.test',
  firstEmail: { recipient: 'ada@inbox.test', subject: 'Welcome', body: 'It works.' },
  ...overrides,
});

/** For tests of several onboardings at once: each tenant has its own domain and its own recipient. */
export const inputOf = (tenantId: string, overrides: Partial<OnboardTenantInput> = {}): OnboardTenantInput =>
  validInput({
    tenantId,
    domain: `${tenantId}.test`,
    fromAddress: `hello@${tenantId}.test`,
    firstEmail: { ...validInput().firstEmail, recipient: recipientOf(tenantId) },
    ...overrides,
  });

export const recipientOf = (tenantId: string): string => `ada@${tenantId}-inbox.test`;
