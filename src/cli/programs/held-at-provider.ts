import type { UndoableStep } from '../../onboarding/failures.ts';
import { listAtProvider, type OperatorAccess } from './list-at-provider.ts';

/** Which list of the email service shows what a step makes. */
const lists: Readonly<Record<UndoableStep, string>> = {
  issueApiKey: 'api-keys',
  registerWebhook: 'webhooks',
  registerDomain: 'domains',
  createSender: 'senders',
};

export type HeldAtProvider = Record<UndoableStep, string[]>;

/** The ids that the email service's own lists show for a tenant, asked with the operator credential, oldest first. */
export async function heldAtProvider(access: OperatorAccess, tenantId: string): Promise<HeldAtProvider> {
  const entries = Object.entries(lists).map(async ([step, list]) => {
    const resources = await listAtProvider<{ id: string }>(access, list, tenantId);
    return [step, resources.map(({ id }) => id)] as const;
  });
  return Object.fromEntries(await Promise.all(entries)) as HeldAtProvider;
}
