import { cancellationSignal, log } from '@temporalio/activity';
import type { AccountProvider } from '../email-provider/email-provider.ts';
import { ProviderError } from '../email-provider/provider-error.ts';
import { signingSecretRef, stepIdempotencyKey } from '../onboarding/onboarding-ids.ts';
import { getIssued, putIssued } from '../store/issued-secret.ts';
import { tenantAccount, hasAccount } from './tenant-account.ts';
import { isConfirmed } from './confirmed-answer.ts';
import type { StepInput, UndoInput, Undone } from './step-input.ts';
import type { ActivityDependencies } from './activity-dependencies.ts';
import { goneAfter, idOfLostAnswer } from './undo.ts';

/** What ends one of the two waits. */
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
    /** POST /webhooks. `webhookId` is null when there is none: the waits then go by polling alone. */
    async registerWebhook(step: StepInput): Promise<{ webhookId: string | null }> {
      if (webhookUrl === undefined) return { webhookId: null };
      const url = webhookUrl(step.tenantId);
      const account = await tenantAccount(step.tenantId, dependencies);
      try {
        let webhook = await create(account, url, step);
        if (webhook.signingSecret === undefined) {
          // As with a late repetition of POST /api-keys: without its secret the webhook is of no use.
          await goneAfter(webhook.id, account.deleteWebhook(webhook.id, { signal: cancellationSignal() }));
          webhook = await create(account, url, step, `registerWebhook-after-${webhook.id}`);
        }
        if (webhook.signingSecret === undefined) throw new Error('POST /webhooks answered without a signing secret');
        const ref = signingSecretRef(step.tenantId);
        const forerunner = await getIssued(secrets, ref);
        if (forerunner !== undefined && forerunner.id !== webhook.id) {
          // Kept by an earlier onboarding of the tenant: its posts to the same address would no longer verify.
          await goneAfter(forerunner.id, account.deleteWebhook(forerunner.id, { signal: cancellationSignal() }));
        }
        await putIssued(secrets, ref, { id: webhook.id, secret: webhook.signingSecret });
        return { webhookId: webhook.id };
      } catch (error) {
        if (!(error instanceof ProviderError)) throw error;
        // A webhook is only a hint: a provider that refuses it, or does not know these events, is asked by polling.
        const isWithout = error.meaning === 'refused' || error.meaning === 'unsupported';
        if (!isWithout || !isConfirmed(error)) throw error;
        log.warn('The provider refuses the webhook; going on by polling', {
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
      // The secret of a webhook that an earlier onboarding has kept is needed to replace that webhook.
      if ((await getIssued(secrets, ref))?.id === webhookId) await secrets.delete(ref);
      return { resourceId: webhookId };
    },
  };
}
