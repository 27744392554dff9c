import { createHash } from 'node:crypto';
import type { Mark, MarkedTenant, OperatorAccount } from '../../email-provider/operator-account.ts';
import { expectedFailure } from '../../lib/expected-failure.ts';
import { apiKeyRef } from '../../onboarding/onboarding-ids.ts';
import { keyStepOf, type ProviderName } from '../../onboarding/provider-name.ts';
import { getIssued } from '../../store/issued-secret.ts';
import type { ProviderEvents } from '../../store/onboarding/provider-events.ts';
import type { ProviderIntents } from '../../store/onboarding/provider-intents.ts';
import type { SecretStore } from '../../store/secret-store.ts';

/** The providers at which all tenants send through the operator's one account. */
export interface OperatorAccounts {
  readonly configured: Partial<Record<ProviderName, OperatorAccount>>;
  readonly intents: ProviderIntents;
  readonly events: Pick<ProviderEvents, 'email' | 'emailIdOf'>;
  /** Two installations may share an account. */
  readonly installationId: string;
}

/** Throws a retryable ProviderNotConfigured: another Worker's settings may have the provider. */
export function accountAt(provider: ProviderName, { configured }: OperatorAccounts): OperatorAccount {
  const account = configured[provider];
  if (account !== undefined) return account;
  throw expectedFailure({
    type: 'ProviderNotConfigured',
    message: `This onboarding runs at ${provider}, for which this Worker has no credential. Set the settings that docs/providers.md lists for it, also if EMAIL_PROVIDER names another provider for new onboardings`,
  });
}

const MARK_DIGITS = 32;

type Installation = Pick<OperatorAccounts, 'installationId'>;

const hashOf = (name: string, { installationId }: Installation): string =>
  createHash('sha256').update(`${installationId}/${name}`).digest('hex').slice(0, MARK_DIGITS);

export const markOf = (tenantId: string, installation: Installation): Mark => `so-${hashOf(tenantId, installation)}`;

/** What an email carries as a tag, because tags allow no `.` or `/`. @param idempotencyKey has the tenant, which is no other's name */
export const intentIdOf = (idempotencyKey: string, installation: Installation): string =>
  hashOf(idempotencyKey, installation);

/** The tenant of a call. A key that came with the sender may only send, and is the tenant's alone. */
export async function markedTenant(
  tenantId: string,
  provider: ProviderName,
  {
    operatorAccounts,
    secrets,
  }: { readonly operatorAccounts: OperatorAccounts; readonly secrets: Pick<SecretStore, 'get'> },
): Promise<MarkedTenant> {
  const mark = markOf(tenantId, operatorAccounts);
  if (keyStepOf(provider) !== 'issueApiKey') return { mark };
  const issued = await getIssued(secrets, apiKeyRef(tenantId));
  return { mark, ...(issued && { token: issued.secret }) };
}
