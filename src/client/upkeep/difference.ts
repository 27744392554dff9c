import type { Database } from '../../store/database.ts';
import type { Register } from '../../store/onboarding/register.ts';
import type { SecretStore } from '../../store/secret-store.ts';
import type { StartParts } from '../onboarding/start-onboarding.ts';

export type DifferenceKind =
  | 'missing_execution'
  | 'missing_record'
  | 'missing_key'
  | 'old_record'
  | 'claimable_key'
  | 'revoked_key'
  | 'not_compared';

export interface Difference {
  readonly kind: DifferenceKind;
  readonly tenantId: string;
  /** The difference, in words. */
  readonly found: string;
  /** The action that the repair takes, or that a person must take. */
  readonly remedy: string;
  /** Undefined if only a person can repair it. @returns a string with what is left to do, if anything is */
  readonly repair: (() => Promise<unknown>) | undefined;
}

export interface DifferenceParts {
  readonly database: Database;
  readonly register: Register;
  readonly secrets: SecretStore;
  readonly start: StartParts;
  /** Revokes API keys that a restored database no longer knows. Throws if the provider does not answer. */
  readonly revokeKey: (keyId: string) => Promise<unknown>;
  /** When the sweep found that the database was restored. */
  readonly restoredAt: string | undefined;
}
