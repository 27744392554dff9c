import { cancellationSignal, log } from '@temporalio/activity';
import type { AccountProvider } from '../email-provider/email-provider.ts';
import { ProviderError } from '../email-provider/provider-error.ts';
import { signingSecretRef, stepIdempotencyKey } from '../onboarding/onboarding-ids.ts';
import { deleteIssued, getIssued, putIssued } from '../store/issued-secret.ts';
import { tenantAccount, hasAccount } from './tenant-account.ts';
import { isConfirmed } from './confirmed-answer.ts';
import type { StepInput, UndoInput, Undone } from './step-input.ts';
import type { ActivityDependencies } from './activity-dependencies.ts';
import { goneAfter, idOfLostAnswer } from './undo.ts';

/** The events that end one of the two waits. */
const EVENTS = ['domain.verified', 'email.delivered', 'email.bounced'];

export function webhookActivities(dependencies: Pick<ActivityDependencies, 'provider' | 'secrets' | 'webhookUrl'>) {
  const { secrets, webhookUrl } = dependencies;
  const create = (
    account: AccountProvider,
    url: string,
    { tenantId, attemptId }: StepInput,
    step = 'registerWebhook',
  ) =>
    account.createWebhook(
      { url, events: EVENTS },
      { idempotencyKey: stepIdempotencyKey(tenantId, attemptId, step), signal: cancellationSignal() },
    );

  return {
    /** POST /webhooks. `webhookId` is null if there is none: the waits then rely on polling. */
    async registerWebhook(step: StepInput): Promise<{ webhookId: string | null }> {
      if (webhookUrl === undefined) return { webhookId: null };
      const url = webhookUrl(step.tenantId);
      const account = await tenantAccount(step.tenantId, dependencies);
      try {
        let webhook = await create(account, url, step);
        if (webhook.signingSecret === undefined) {
          // A repetition so late that the provider no longer returns the secret: the webhook is unusable.
          await goneAfter(webhook.id, account.deleteWebhook(webhook.id, { signal: cancellationSignal() }));
          webhook = await create(account, url, step, `registerWebhook-after-${webhook.id}`);
        }
        if (webhook.signingSecret === undefined) throw new Error('POST /webhooks answered without a signing secret');
        const ref = signingSecretRef(step.tenantId);
        const previous = await getIssued(secrets, ref);
        if (previous !== undefined && previous.id !== webhook.id) {
          // An earlier onboarding's webhook posts to the same address, and its signatures would no longer verify.
          await goneAfter(previous.id, account.deleteWebhook(previous.id, { signal: cancellationSignal() }));
        }
        await putIssued(secrets, ref, { id: webhook.id, secret: webhook.signingSecret });
        return { webhookId: webhook.id };
      } catch (error) {
        if (!(error instanceof ProviderError)) throw error;
        // Webhooks are optional: without them, polling finds the same.
        const isUnavailable = error.meaning === 'refused' || error.meaning === 'unsupported';
        if (!isUnavailable || !isConfirmed(error)) throw error;
        log.warn('the provider refused the webhook; relying on polling', {
          code: error.code,
          requestId: error.requestId,
        });
        return { webhookId: null };
      }
    },

    /** DELETE /webhooks/{id}, and forgets its signing secret. */
    async deleteWebhook(undo: UndoInput): Promise<Undone> {
      if (webhookUrl === undefined && undo.resourceId === null) return { resourceId: null };
      if (undo.resourceId === null && !(await hasAccount(undo.tenantId, dependencies))) return { resourceId: null };
      const account = await tenantAccount(undo.tenantId, dependencies);
      const webhookId =
        undo.resourceId ??
        (webhookUrl && (await idOfLostAnswer(() => create(account, webhookUrl(undo.tenantId), undo)))) ??
        null;
      if (webhookId !== null)
        await goneAfter(webhookId, account.deleteWebhook(webhookId, { signal: cancellationSignal() }));
      const ref = signingSecretRef(undo.tenantId);
      // The secret of an earlier onboarding's webhook stays: it is needed to replace that webhook.
      await deleteIssued(secrets, ref, webhookId);
      return { resourceId: webhookId };
    },
  };
}
