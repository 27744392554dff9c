import { cancellationSignal } from '@temporalio/activity';
import type { AccountProvider } from '../email-provider/email-provider.ts';
import { ProviderError } from '../email-provider/provider-error.ts';
import { stepIdempotencyKey } from '../onboarding/onboarding-ids.ts';
import type { Register } from '../store/register.ts';
import { Stage } from '../onboarding/stage.ts';
import { hasAccount, tenantAccount } from './tenant-account.ts';
import type { StepInput, UndoInput, Undone } from './step-input.ts';
import type { ActivityDependencies } from './activity-dependencies.ts';
import { goneAfter, idOfLostAnswer } from './undo.ts';

export interface SenderStepInput extends StepInput {
  readonly fromAddress: string;
}

export function senderActivities(
  dependencies: Pick<ActivityDependencies, 'provider' | 'secrets'> & { readonly register: Pick<Register, 'get'> },
) {
  const create = (account: AccountProvider, { tenantId, attemptId, fromAddress }: SenderStepInput) =>
    account.createSender(
      { fromAddress },
      { idempotencyKey: stepIdempotencyKey(tenantId, attemptId, 'createSender'), signal: cancellationSignal() },
    );

  /** The register enters the step's stage before the step. An onboarding of an earlier version has no record. */
  async function mayHaveBegun({ tenantId, attemptId }: StepInput): Promise<boolean> {
    const record = await dependencies.register.get(tenantId);
    if (record?.attemptId !== attemptId) return true;
    return record.onboarding.stages.some(({ stage }) => stage === Stage.creatingSender);
  }

  return {
    /** POST /senders. Adopts an existing sender. Throws DomainNotVerified, which is not retryable (F2). */
    async createSender(step: SenderStepInput): Promise<{ senderId: string; adopted: boolean }> {
      const account = await tenantAccount(step.tenantId, dependencies);
      try {
        return { senderId: (await create(account, step)).id, adopted: false };
      } catch (error) {
        if (!(error instanceof ProviderError) || error.existingId === undefined) throw error;
        return { senderId: error.existingId, adopted: true };
      }
    },

    /** DELETE /senders/{id}. */
    async deleteSender(undo: UndoInput<SenderStepInput>): Promise<Undone> {
      if (undo.resourceId === null && !((await mayHaveBegun(undo)) && (await hasAccount(undo.tenantId, dependencies))))
        return { resourceId: null };
      const account = await tenantAccount(undo.tenantId, dependencies);
      const senderId = undo.resourceId ?? (await idOfLostAnswer(() => create(account, undo)));
      if (senderId !== null)
        await goneAfter(senderId, account.deleteSender(senderId, { signal: cancellationSignal() }));
      return { resourceId: senderId };
    },
  };
}
