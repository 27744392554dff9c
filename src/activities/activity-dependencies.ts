import type { ExpectedRecord } from '../lib/dns/expected-record.ts';
import type { DomainCheck } from '../lib/dns/domain-check.ts';
import type { EmailProvider } from '../email-provider/email-provider.ts';
import type { OperatorAccounts } from './onboarding/operator-accounts.ts';
import type { Register } from '../store/onboarding/register.ts';
import type { SecretStore } from '../store/secret-store.ts';

export interface ActivityDependencies {
  readonly provider: EmailProvider;
  readonly operatorAccounts: OperatorAccounts;
  readonly secrets: SecretStore;
  readonly register: Register;
  /** Asks the zone's authoritative servers. */
  readonly checkRecords: (domain: string, expected: readonly ExpectedRecord[]) => Promise<DomainCheck>;
  /** The address for the provider's webhooks of a tenant; undefined if none reach us, and polling is all there is. */
  readonly webhookUrl: ((tenantId: string) => string) | undefined;
}
