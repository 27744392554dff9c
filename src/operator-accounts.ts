import type { Config } from './config.ts';
import { createPostmarkAccount } from './email-provider/adapters/postmark/postmark-account.ts';
import { createResendAccount } from './email-provider/adapters/resend/resend-account.ts';
import { createSesAccount } from './email-provider/adapters/ses/ses-account.ts';
import type { OperatorAccount } from './email-provider/operator-account.ts';
import { ProviderError, ProviderUnreachable } from './email-provider/provider-error.ts';
import type { Closers } from './lib/closers.ts';
import { withDeadline } from './lib/timing/with-deadline.ts';
import type { ProviderName } from './onboarding/provider-name.ts';
import type { AccountConfigs } from './provider-settings.ts';

export type Accounts = Partial<Record<ProviderName, OperatorAccount>>;

/** A start must not wait long for a provider that does not answer. */
const EXAMINE_TIMEOUT_MS = 5_000;

/** Those with a credential: also of onboardings that began before EMAIL_PROVIDER named another one. */
export function operatorAccounts(closers: Closers, { resend, postmark, ses }: AccountConfigs): Accounts {
  const accounts: Accounts = {
    ...(resend && { resend: createResendAccount(resend) }),
    ...(postmark && { postmark: createPostmarkAccount(postmark) }),
    ...(ses && { ses: createSesAccount(ses) }),
  };
  for (const account of Object.values(accounts)) closers.add(() => account.close());
  return accounts;
}

/**
 * Throws if no onboarding could succeed with the settings. What may pass only warns: no answer now, or a state of the account. A Worker also
 * serves other providers, and the topic's subscription is confirmed by a server that may be this process.
 */
export async function requireUsable(
  accounts: Accounts,
  { provider, publicUrl }: Pick<Config, 'provider' | 'publicUrl'>,
  warn: (message: string, meta: object) => void,
): Promise<void> {
  const account = provider && accounts[provider];
  if (account === undefined) return;
  if (!account.facts.delivery.poll && publicUrl === undefined)
    throw new Error(
      `SENDOFF_PUBLIC_URL is not set. ${provider} reports whether an email was delivered in webhooks alone: set it to the address at which they reach sendoff`,
    );
  try {
    const problems = await withDeadline(EXAMINE_TIMEOUT_MS, (signal) => account.examine({ signal }));
    const lasting = problems.filter(({ passes }) => passes !== true);
    if (lasting.length > 0) throw new Error(lasting.map(({ remedy }) => remedy).join('\n'));
    for (const { code, remedy } of problems)
      warn('the provider cannot serve onboardings now', { provider, code, remedy });
  } catch (error) {
    if (!(error instanceof ProviderError || error instanceof ProviderUnreachable)) throw error;
    warn('the provider was not examined', { provider, reason: error.message });
  }
}
