import {
  heldAtProvider,
  type HeldAtProvider,
  listAtProvider,
  type OperatorAccess,
} from '../../src/cli/local/held-at-provider.ts';
import type { EmailResource } from '../../src/email-service/resources/email.ts';

/** What the email service holds for one tenant, by its own lists. */
export interface Held {
  readonly byStep: Readonly<HeldAtProvider>;
  readonly emails: readonly Pick<
    EmailResource,
    'id' | 'message_id' | 'status' | 'attempts' | 'recipient' | 'bounce' | 'late_bounce'
  >[];
}

/** Throws while the email service does not answer. */
export async function heldAtService(access: OperatorAccess, tenantId: string): Promise<Held> {
  const byStep = await heldAtProvider(access, tenantId);
  return { byStep, emails: await listAtProvider<EmailResource>(access, 'emails', tenantId) };
}
