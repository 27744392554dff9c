import { cancellationSignal, log } from '@temporalio/activity';
import { randomBytes } from 'node:crypto';
import type { AccountProvider } from '../../email-provider/email-provider.ts';
import type { MarkedTenant } from '../../email-provider/operator-account.ts';
import { ProviderError, ProviderUnreachable } from '../../email-provider/provider-error.ts';
import type { ProviderName } from '../../onboarding/provider-name.ts';
import { signingSecretRef, WEBHOOK_SECRET_HEADER } from '../../onboarding/onboarding-ids.ts';
import { deleteIssued, getIssued, putIssued } from '../../store/issued-secret.ts';
import type { IntentKey } from '../../store/onboarding/provider-intents.ts';
import { mayHaveMade, timeOfAttempt } from './make-once.ts';
import { accountAt, markedTenant } from './operator-accounts.ts';
import { creationOf, tenantAccount, hasAccount } from './tenant-account.ts';
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

/** Of a secret that sendoff makes. */
const SECRET_BYTES = 32;

export function webhookActivities(
  dependencies: Pick<ActivityDependencies, 'provider' | 'operatorAccounts' | 'secrets' | 'webhookUrl'>,
) {
  const { operatorAccounts, secrets, webhookUrl } = dependencies;
  const { intents } = operatorAccounts;
  const create = (account: AccountProvider, url: string, step: StepInput, name = 'registerWebhook') =>
    account.createWebhook({ url, events: EVENTS }, creationOf(step, name));

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

  /** At an operator's account. One whose answer was lost is replaced too, because it has the same URL. */
  async function replaceWebhook(
    { tenantId, attemptId }: StepInput,
    provider: ProviderName,
    url: string,
  ): Promise<RegisteredWebhook> {
    const { webhooks } = accountAt(provider, operatorAccounts);
    const tenant = await markedTenant(tenantId, provider, dependencies);
    const signal = cancellationSignal();
    const key = webhookIntent(provider, tenant);
    await intents.note(key, { tenantId, attemptId, notedAt: timeOfAttempt(), replaces: true });
    await webhooks?.delete(url, tenant, { signal });
    const secret = randomBytes(SECRET_BYTES).toString('base64url');
    const made = await webhooks?.create({ url, headers: { [WEBHOOK_SECRET_HEADER]: secret } }, tenant, { signal });
    if (made === undefined) return NONE;
    await putIssued(secrets, signingSecretRef(tenantId), { id: made.id, secret });
    await intents.setMade(key, { resourceId: made.id, attemptId });
    return { webhookId: made.id };
  }

  async function removeWebhooks(undo: UndoInput, provider: ProviderName): Promise<Undone> {
    const { tenantId, resourceId } = undo;
    const { webhooks } = accountAt(provider, operatorAccounts);
    if (webhooks === undefined) return { resourceId };
    if (webhookUrl === undefined)
      return resourceId === null
        ? { resourceId }
        : { resourceId, kept: 'SENDOFF_PUBLIC_URL is no longer set, so its address is unknown' };
    const tenant = await markedTenant(tenantId, provider, dependencies);
    const key = webhookIntent(provider, tenant);
    if (!mayHaveMade(await intents.get(key), undo)) return { resourceId };
    const removed = await webhooks.delete(webhookUrl(tenantId), tenant, { signal: cancellationSignal() });
    await intents.forget(key);
    await deleteIssued(secrets, signingSecretRef(tenantId), resourceId);
    return { resourceId: resourceId ?? removed[0] ?? null };
  }

  return {
    /** POST /webhooks. Webhooks are optional: without one, polling finds the same. */
    async registerWebhook(step: StepInput): Promise<RegisteredWebhook> {
      const { provider } = step;
      // What belongs to the operator's account serves all tenants, and is no tenant's to register.
      if (provider !== undefined && accountAt(provider, operatorAccounts).webhooks === undefined) return NONE;
      if (webhookUrl === undefined) return provider === undefined ? { webhookId: null } : NONE;
      try {
        const url = webhookUrl(step.tenantId);
        return await (provider === undefined ? register(step, url) : replaceWebhook(step, provider, url));
      } catch (error) {
        if (!(error instanceof ProviderError || error instanceof ProviderUnreachable)) throw error;
        const isRefused = error instanceof ProviderError && (error.isRefusal || error.meaning === 'unsupported');
        const isConfirmedRefusal = isRefused && isConfirmed(error);
        if (cancellationSignal().aborted || !(isConfirmedRefusal || isOverdue())) throw error;
        log.warn('no webhook; relying on polling', { reason: withoutSecrets(error.message) });
        // Unless it was refused, the webhook of a lost answer may exist.
        return isConfirmedRefusal ? NONE : { webhookId: null };
      }
    },

    /** DELETE /webhooks/{id}, and forgets its signing secret. */
    async deleteWebhook(undo: UndoInput): Promise<Undone> {
      if (undo.provider !== undefined) return removeWebhooks(undo, undo.provider);
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

const webhookIntent = (provider: ProviderName, { mark }: MarkedTenant): IntentKey => ({
  ...{ provider, kind: 'webhook', subject: mark },
});

const NONE: RegisteredWebhook = { webhookId: null, isAbsent: true };
