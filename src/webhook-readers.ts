import type { Config } from './config.ts';
import { createResendWebhookReader } from './email-provider/adapters/resend/read-webhook.ts';
import { createSesWebhookReader } from './email-provider/adapters/ses/read-webhook.ts';
import type { WebhookReader } from './onboarding/provider-event.ts';
import type { ProviderName } from './onboarding/provider-name.ts';

export type WebhookReaders = Partial<Record<ProviderName, WebhookReader>>;

/**
 * Of the providers whose webhooks the server can tell from a stranger's.
 *
 * @param warn receives what the operator has to change at the provider
 */
export const webhookReaders = (
  { resendWebhookSecrets, accounts: { ses } }: Pick<Config, 'resendWebhookSecrets' | 'accounts'>,
  warn: (message: string) => void,
): WebhookReaders => ({
  ...(resendWebhookSecrets && { resend: createResendWebhookReader(resendWebhookSecrets) }),
  ...(ses && { ses: createSesWebhookReader({ ...ses, warn }) }),
});
