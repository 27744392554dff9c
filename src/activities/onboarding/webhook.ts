import { cancellationSignal, log } from '@temporalio/activity';
import type { AccountProvider } from '../../email-provider/email-provider.ts';
import { ProviderError, ProviderUnreachable } from '../../email-provider/provider-error.ts';
import { signingSecretRef, stepIdempotencyKey } from '../../onboarding/onboarding-ids.ts';
import { deleteIssued, getIssued, putIssued } from '../../store/issued-secret.ts';
import { tenantAccount, hasAccount } from './tenant-account.ts';
import { isConfirmed, isOverdue } from '../confirmed-answer.ts';
import { withoutSecrets } from '../../lib/without-secrets.ts';
import { optionalCall } from './optional-call.ts';
import type { StepInput, UndoInput, Undone } from './step-input.ts';
import type { ActivityDependencies } from '../activity-dependencies.ts';
import { goneAfter, idOfLostAnswer } from './undo.ts';

/** Short, because a quick attempt of the step takes at most four seconds. */
const REMOVAL_TIMEOUT_MS = 1_000;
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

  const remove = async (account: AccountProvider, webhookId: string): Promise<boolean> =>
    (await optionalCall(REMOVAL_TIMEOUT_MS, async (signal) => {
      await account.deleteWebhook(webhookId, { signal });
      return true;
    })) ?? false;

  /** Throws if no webhook can be created. */
  async function register(step: StepInput, url: string): Promise<RegisteredWebhook> {
    const account = await tenantAccount(step.tenantId, dependencies);
    let webhook = await create(account, url, step);
    if (webhook.signingSecret === undefined && webhook.id !== undefined) {
      const isRemoved = await remove(account, webhook.id);
      // Without a signing secret the webhook is of no use. If its removal failed, the undo report lists its ID.
      if (webhook.isWithheld !== true) return isRemoved ? NONE : { webhookId: webhook.id };
      // A repetition so late that the provider no longer returns the secret.
      webhook = await create(account, url, step, `registerWebhook-after-${webhook.id}`);
    }
    const { id, signingSecret } = webhook;
    if (id === undefined || signingSecret === undefined) return NONE;
    const ref = signingSecretRef(step.tenantId);
    const previous = await getIssued(secrets, ref);
    // An earlier onboarding's webhook posts to the same address, and its signatures no longer verify.
    if (previous !== undefined && previous.id !== id) await remove(account, previous.id);
    await putIssued(secrets, ref, { id, secret: signingSecret });
    return { webhookId: id };
  }

  return {
    /** POST /webhooks. Webhooks are optional: without one, polling finds the same. */
    async registerWebhook(step: StepInput): Promise<RegisteredWebhook> {
      if (webhookUrl === undefined) return { webhookId: null };
      try {
        return await register(step, webhookUrl(step.tenantId));
      } catch (error) {
        if (!(error instanceof ProviderError || error instanceof ProviderUnreachable)) throw error;
        const isRefused = error instanceof ProviderError && ['refused', 'unsupported'].includes(error.meaning);
        const isConfirmedRefusal = isRefused && isConfirmed(error);
        if (cancellationSignal().aborted || !(isConfirmedRefusal || isOverdue())) throw error;
        log.warn('no webhook; relying on polling', { reason: withoutSecrets(error.message) });
        // Unless it was refused, the webhook of a lost answer may exist.
        return isConfirmedRefusal ? NONE : { webhookId: null };
      }
    },

    /** DELETE /webhooks/{id}, and forgets its signing secret. */
    async deleteWebhook(undo: UndoInput): Promise<Undone> {
      if (webhookUrl === undefined && undo.resourceId === null) return { resourceId: null };
      if (undo.resourceId === null && !(await hasAccount(undo.tenantId, dependencies))) return { resourceId: null };
      const account = await tenantAccount(undo.tenantId, dependencies);
      let webhookId = undo.resourceId;
      if (webhookId === null && webhookUrl !== undefined) {
        try {
          webhookId = await idOfLostAnswer(() => create(account, webhookUrl(undo.tenantId), undo));
        } catch (error) {
          if (!isOverdue()) throw error;
          return { resourceId: null, kept: "the provider's response was lost, so the resource may exist" };
        }
      }
      const kept =
        webhookId !== null &&
        (await goneAfter(webhookId, account.deleteWebhook(webhookId, { signal: cancellationSignal() }), undo));
      const ref = signingSecretRef(undo.tenantId);
      // The secret of an earlier onboarding's webhook stays: it is needed to replace that webhook.
      await deleteIssued(secrets, ref, webhookId);
      return { resourceId: webhookId, ...kept };
    },
  };
}

/** `webhookId` null: the waits rely on polling. */
export interface RegisteredWebhook {
  readonly webhookId: string | null;
  /** Nothing is left to undo, nor to be found by a repetition. */
  readonly isAbsent?: boolean;
}

const NONE: RegisteredWebhook = { webhookId: null, isAbsent: true };
