import type { ProviderName } from './provider-name.ts';
import type { StepName } from './steps.ts';

/** Steps that ask a provider for nothing, because it has nothing of the kind: they need not wait for its pace. */
const idleSteps: Readonly<Record<ProviderName, readonly StepName[]>> = {
  resend: ['issueApiKey', 'registerWebhook'],
  postmark: [],
  ses: ['registerWebhook'],
};

export const asksNothing = (provider: ProviderName | undefined, step: StepName): boolean =>
  provider !== undefined && idleSteps[provider].includes(step);
