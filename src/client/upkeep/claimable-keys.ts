import { pagesOf } from '../../lib/sql/pages-of.ts';
import { apiKeyRef, tenantOfWorkflow } from '../../onboarding/onboarding-ids.ts';
import type { OnboardingOutcome } from '../../onboarding/onboarding-record.ts';
import { type Onboarding, tenantKeyOf } from '../../onboarding/onboarding.ts';
import { deleteIssued, getIssued } from '../../store/issued-secret.ts';
import { claimable } from '../../store/onboarding/api-key-claims.ts';
import type { Difference, DifferenceParts } from './difference.ts';

const PAGE = 100;

/** API tokens that the database has and that may have been claimed after its backup: what was claimed only the lost database knew. */
export async function* findClaimable(
  { database, register, secrets, revokeKey }: DifferenceParts,
  restoredAt: string,
  ended: ReadonlySet<string>,
): AsyncGenerator<Difference> {
  const refs = { table: 'secrets', key: ['ref'], columns: ['ref'] };
  for await (const rows of pagesOf<{ readonly ref: string }>(database, refs, { limit: PAGE })) {
    for (const { ref } of rows) {
      const tenantId = tenantOfWorkflow(ref.replace(/\/api-key$/, '')) ?? '';
      if (ref !== apiKeyRef(tenantId)) continue;
      const record = await register.get(tenantId);
      if (record === undefined) continue;
      const { outcome, endedAt, onboarding } = record;
      if (!wasClaimable({ restoredAt }, outcome, endedAt) && !ended.has(tenantId)) continue;
      const issued = await getIssued(secrets, ref);
      // That of a later onboarding is its own.
      if (issued?.id !== tenantKeyOf(onboarding).keyId) continue;
      const { id: keyId } = issued;
      if (isRevoked(onboarding)) {
        yield {
          ...{ kind: 'revoked_key', tenantId },
          found: `the token of ${keyId} is in the database, and the undo of the onboarding has revoked the key`,
          remedy: 'delete the token',
          repair: () => deleteIssued(secrets, ref, keyId),
        };
        continue;
      }
      const { provider } = onboarding;
      const revoke = async (): Promise<void> => {
        await revokeKey(keyId);
        await deleteIssued(secrets, ref, keyId);
      };
      yield {
        ...{ kind: 'claimable_key', tenantId },
        found: `the token of ${keyId} can be claimed, again if it was claimed after the backup`,
        ...(provider === undefined
          ? { remedy: 'decide with --claims accept or --claims revoke', repair: revoke }
          : {
              remedy: `revoke the key at ${provider} if it may be in wrong hands, then decide with --claims accept`,
              repair: undefined,
            }),
      };
    }
  }
}

const isRevoked = (onboarding: Onboarding): boolean => {
  const { step } = tenantKeyOf(onboarding);
  return onboarding.undo.some((undone) => undone.step === step && undone.result === 'undone');
};

/** Whether the key of an onboarding that ended then could be claimed before the restore. */
export const wasClaimable = (
  { restoredAt }: Pick<DifferenceParts, 'restoredAt'>,
  outcome: OnboardingOutcome,
  endedAt: string | null,
): boolean => claimable.includes(outcome) && restoredAt !== undefined && endedAt !== null && endedAt < restoredAt;
