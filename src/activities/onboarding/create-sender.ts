import { cancellationSignal } from '@temporalio/activity';
import type { AccountProvider } from '../../email-provider/email-provider.ts';
import { domainOfAddress } from '../../email-provider/mailbox-text.ts';
import type { MarkedSender } from '../../email-provider/operator-account.ts';
import { ProviderError } from '../../email-provider/provider-error.ts';
import { apiKeyRef } from '../../onboarding/onboarding-ids.ts';
import { keyStepOf, type ProviderName } from '../../onboarding/provider-name.ts';
import { deleteIssued, getIssued, putIssued } from '../../store/issued-secret.ts';
import type { IntentKey } from '../../store/onboarding/provider-intents.ts';
import type { Register } from '../../store/onboarding/register.ts';
import { Stage } from '../../onboarding/stage.ts';
import { makeOnce, mayHaveMade } from './make-once.ts';
import { optionalCall } from './optional-call.ts';
import { accountAt, markedTenant } from './operator-accounts.ts';
import { creationOf, hasAccount, tenantAccount } from './tenant-account.ts';
import type { CancelRequested, StepInput, UndoInput, Undone } from './step-input.ts';
import type { ActivityDependencies } from '../activity-dependencies.ts';
import { goneAfter, idOfLostAnswer } from './undo.ts';

/** Not the end of a step: an adopted sender also sends under its earlier name. */
const RENAME_TIMEOUT_MS = 2_000;

export interface SenderStepInput extends StepInput, CancelRequested {
  readonly fromAddress: string;
  readonly fromName?: string;
}

export interface CreatedSender {
  readonly senderId: string;
  readonly adopted: boolean;
  /** Set of an onboarding that is to stop if a Workflow Task that was lost created it, and perhaps sent the email. */
  readonly isRepeated?: boolean;
}

export function senderActivities(
  dependencies: Pick<ActivityDependencies, 'provider' | 'operatorAccounts' | 'secrets'> & {
    readonly register: Pick<Register, 'get'>;
  },
) {
  const { operatorAccounts, secrets, register } = dependencies;
  const { intents } = operatorAccounts;
  const create = (account: AccountProvider, step: SenderStepInput) => {
    const { fromAddress, fromName } = step;
    const sender = { fromAddress, ...(fromName !== undefined && { name: fromName }) };
    return account.createSender(sender, creationOf(step, 'createSender'));
  };

  /** The register enters the step's stage before the step. */
  async function mayHaveBegun({ tenantId, attemptId }: StepInput): Promise<boolean> {
    const record = await register.get(tenantId);
    if (record?.attemptId !== attemptId) return true;
    return record.onboarding.stages.some(({ stage }) => stage === Stage.creatingSender);
  }

  /** Whether this run has already left the step's stage. */
  async function hasLeft({ tenantId, attemptId, stagesEntered = 0 }: StepInput): Promise<boolean> {
    const record = await register.get(tenantId);
    return record?.attemptId === attemptId && record.stagesEntered > stagesEntered;
  }

  /** At an operator's account. A key that came with the sender is shown once: without its token, another one replaces it. */
  async function prepareSender(step: SenderStepInput, provider: ProviderName): Promise<CreatedSender> {
    const { tenantId, attemptId, fromAddress } = step;
    const account = accountAt(provider, operatorAccounts);
    const record = await register.get(tenantId);
    const { senderId = null, domainId = null } = record?.attemptId === attemptId ? record.onboarding : {};
    const tenant = await markedTenant(tenantId, provider, dependencies);
    const sender = { domainId: domainId ?? '', fromAddress, ...tenant };
    const signal = cancellationSignal();
    const heldKey = async () => {
      const held = await getIssued(secrets, apiKeyRef(tenantId));
      return held?.id === senderId ? held : undefined;
    };
    const { resource, adopted } = await makeOnce(intents, senderIntent(provider, sender), {
      step,
      find: () => (account.findSender === undefined ? heldKey() : account.findSender(sender, { signal })),
      create: async (isFirst) => {
        const { id, token } = await account.createSender(sender, { signal, isFirst });
        if (token !== undefined) await putIssued(secrets, apiKeyRef(tenantId), { id, secret: token });
        return { id };
      },
      isMarked: () => true,
    });
    return { senderId: resource.id, adopted };
  }

  async function removeSenders(undo: UndoInput<SenderStepInput>, provider: ProviderName): Promise<Undone> {
    const { tenantId, resourceId, fromAddress } = undo;
    const account = accountAt(provider, operatorAccounts);
    const tenant = await markedTenant(tenantId, provider, dependencies);
    const sender = { fromAddress, ...tenant };
    const key = senderIntent(provider, sender);
    if (!mayHaveMade(await intents.get(key), undo)) return { resourceId };
    // Before the request: even if the provider fails, the token must not be used again.
    if (keyStepOf(provider) === 'createSender') await deleteIssued(secrets, apiKeyRef(tenantId), resourceId);
    const removed = await account.deleteSenders?.(sender, { signal: cancellationSignal() });
    await intents.forget(key);
    return { resourceId: resourceId ?? removed?.[0] ?? null };
  }

  return {
    /** POST /senders. Adopts an existing sender, under the name of the onboarding if the provider can rename it. Throws DomainNotVerified, which is not retryable (F2). */
    async createSender(step: SenderStepInput): Promise<CreatedSender> {
      if (step.provider !== undefined) return prepareSender(step, step.provider);
      const account = await tenantAccount(step.tenantId, dependencies);
      const repetition = step.cancelRequested === true && (await hasLeft(step)) ? { isRepeated: true } : {};
      try {
        return { senderId: (await create(account, step)).id, adopted: false, ...repetition };
      } catch (error) {
        if (!(error instanceof ProviderError) || error.existingId === undefined) throw error;
        const { existingId } = error;
        const { fromName } = step;
        if (fromName !== undefined) {
          await optionalCall(RENAME_TIMEOUT_MS, (signal) => account.renameSender(existingId, fromName, { signal }));
        }
        return { senderId: existingId, adopted: true, ...repetition };
      }
    },

    /** DELETE /senders/{id}. */
    async deleteSender(undo: UndoInput<SenderStepInput>): Promise<Undone> {
      if (undo.provider !== undefined) return removeSenders(undo, undo.provider);
      if (undo.resourceId === null && !((await mayHaveBegun(undo)) && (await hasAccount(undo.tenantId, dependencies))))
        return { resourceId: null };
      const account = await tenantAccount(undo.tenantId, dependencies);
      const senderId = undo.resourceId ?? (await idOfLostAnswer(() => create(account, undo)));
      if (senderId === null) return { resourceId: null };
      const deletion = account.deleteSender(senderId, { signal: cancellationSignal() });
      return { resourceId: senderId, ...(await goneAfter(senderId, deletion, undo)) };
    },
  };
}

const senderIntent = (provider: ProviderName, { mark, fromAddress }: MarkedSender): IntentKey => ({
  ...{ provider, kind: 'sender', subject: `${mark}/${domainOfAddress(fromAddress)}` },
});
