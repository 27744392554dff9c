/**
 * Providers at which all tenants send through the operator's one account, each with the step that brings the tenant's key; null: tenants get
 * none. The embedded email service, and any with its API, has no name.
 */
const keySteps = {
  resend: 'createSender',
  postmark: 'issueApiKey',
  ses: null,
} as const satisfies Record<string, KeyStep>;

type KeyStep = 'issueApiKey' | 'createSender' | null;

export type ProviderName = keyof typeof keySteps;
export const providerNames = Object.keys(keySteps) as ProviderName[];

/** In settings and the register, of the embedded email service and any with its API. */
export const EMBEDDED = 'sendoff' as const;

export const isProviderName = (word: unknown): word is ProviderName => providerNames.some((name) => name === word);

export const keyStepOf = (provider: ProviderName | undefined): KeyStep =>
  provider === undefined ? 'issueApiKey' : keySteps[provider];
