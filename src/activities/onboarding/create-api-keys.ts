// At a provider whose keys have scopes, sendoff keeps the first key for itself and creates a second one for the backend, which only sends
// and reads emails. Elsewhere one key serves both, because a second request may open another account.
import { cancellationSignal, log } from '@temporalio/activity';
import type { Mark } from '../../email-provider/operator-account.ts';
import { ProviderError } from '../../email-provider/provider-error.ts';
import { apiKeyRef, onboardingWorkflowId, ownKeyRef } from '../../onboarding/onboarding-ids.ts';
import { keyStepOf, type ProviderName } from '../../onboarding/provider-name.ts';
import { deleteIssued, getIssued, type IssuedSecret, putIssued } from '../../store/issued-secret.ts';
import type { IntentKey } from '../../store/onboarding/provider-intents.ts';
import { makeOnce, mayHaveMade } from './make-once.ts';
import { accountAt, markOf } from './operator-accounts.ts';
import type { StepInput, UndoInput, Undone } from './step-input.ts';
import type { ActivityDependencies } from '../activity-dependencies.ts';
import { foundEarlier, isConfirmed, recordDeletion } from '../confirmed-answer.ts';
import type { Beginning } from './with-recording.ts';
import { type CreatedKey, issueKey } from './issue-key.ts';
import { ownKeys } from './own-key.ts';
import { creationOf } from './tenant-account.ts';
import { goneAfter, idOfLostAnswer } from './undo.ts';

/** Scopes of the key that the backend claims. */
const TENANT_SCOPES: readonly string[] = ['send', 'read'];

export interface IssuedKey {
  /** ID of what the step made: the key, or the tenant's part of an operator's account; null if the provider has neither. */
  readonly keyId: string | null;
  readonly ownKeyId?: string;
  /** Null if the provider gives tenants no key. */
  readonly tokenRef: string | null;
  readonly adopted?: boolean;
}

export interface KeysInput extends StepInput {
  /** ID of sendoff's own key, once the answers about both have arrived. */
  readonly ownKeyId?: string;
}

/** A provider that knows scopes shows those of the first key. At any other provider, another request may open another account. */
const knowsScopes = ({ scopes }: CreatedKey): boolean =>
  TENANT_SCOPES.every((scope) => scopes?.includes(scope) === true);

export function apiKeyActivities({
  provider,
  operatorAccounts,
  secrets,
}: Pick<ActivityDependencies, 'provider' | 'operatorAccounts' | 'secrets'>) {
  const { intents } = operatorAccounts;

  /** With every scope. */
  const createFirstKey = (step: StepInput, name = 'issueApiKey') =>
    provider.createApiKey(
      { account: step.tenantId, name: onboardingWorkflowId(step.tenantId) },
      creationOf(step, name),
    );
  /** By the operator too, so that no revocation of one key ends the other. */
  const createTenantKey = (step: StepInput, name = 'issueTenantKey') =>
    provider.createApiKey(
      { account: step.tenantId, name: apiKeyRef(step.tenantId), scopes: TENANT_SCOPES },
      creationOf(step, name),
    );
  const revoke = (keyId: string, undo?: UndoInput): Promise<Pick<Undone, 'kept'>> =>
    goneAfter(keyId, provider.revokeApiKey(keyId, { signal: cancellationSignal() }), undo);

  /** Undefined if the first key has to be the tenant's. */
  async function issueTenantKey(step: StepInput, first: CreatedKey): Promise<IssuedSecret | undefined> {
    if (!knowsScopes(first)) return undefined;
    try {
      const { id, token } = await issueKey('issueTenantKey', (name) => createTenantKey(step, name), revoke);
      return { id, secret: token, scopes: TENANT_SCOPES };
    } catch (error) {
      if (!(error instanceof ProviderError && error.isRefusal && isConfirmed(error))) throw error;
      log.warn('the provider refused an API key with scopes; the tenant gets one with every scope', {
        code: error.code,
        requestId: error.requestId,
      });
      return undefined;
    }
  }

  /** At an operator's account: opens the tenant's part of it, if it has one, and stores the key that comes with it. */
  async function openAccount({ tenantId, attemptId }: StepInput, at: ProviderName): Promise<IssuedKey> {
    const { accounts } = accountAt(at, operatorAccounts);
    const tokenRef = keyStepOf(at) === null ? null : apiKeyRef(tenantId);
    if (accounts === undefined) return { keyId: null, tokenRef };
    const mark = markOf(tenantId, operatorAccounts);
    const signal = cancellationSignal();
    const { resource, adopted } = await makeOnce(intents, accountIntent(at, mark), {
      step: { tenantId, attemptId },
      find: () => accounts.find({ mark }, { signal }),
      create: () => accounts.open({ mark }, { signal }),
      isMarked: () => true,
    });
    const { id, token } = resource;
    if (token !== undefined) await putIssued(secrets, apiKeyRef(tenantId), { id, secret: token });
    return { keyId: id, tokenRef, adopted };
  }

  async function closeAccount(undo: UndoInput, at: ProviderName): Promise<Undone> {
    const { tenantId, resourceId } = undo;
    const { accounts } = accountAt(at, operatorAccounts);
    if (accounts === undefined) return { resourceId: null };
    const mark = markOf(tenantId, operatorAccounts);
    const key = accountIntent(at, mark);
    if (!mayHaveMade(await intents.get(key), undo)) return { resourceId };
    const opened = { mark, ...(resourceId !== null && { id: resourceId }) };
    // Before the request: even if the provider fails, the token must not be used again.
    await deleteIssued(secrets, apiKeyRef(tenantId), resourceId);
    const { id, ...kept } = await accounts.close(opened, { signal: cancellationSignal() });
    if (kept.kept === undefined) await intents.forget(key);
    await deleteIssued(secrets, apiKeyRef(tenantId), id);
    return { resourceId: resourceId ?? id, ...kept };
  }

  /** Repeats the creations whose answers were lost. */
  async function findKeys(undo: UndoInput<KeysInput>): Promise<{ keyId: string | null; ownId: string | null }> {
    const { resourceId, ownKeyId = null } = undo;
    if (resourceId !== null) return { keyId: resourceId, ownId: ownKeyId };
    // An earlier attempt that found the only key, or the tenant's, asked for all that there is.
    const only = foundEarlier('only key');
    if (only !== undefined) return { keyId: only, ownId: null };
    let ownId = foundEarlier('own key');
    if (ownId === undefined) {
      let first: CreatedKey | undefined;
      const id = await idOfLostAnswer(
        async () => (first = await createFirstKey(undo)),
        (key) => (knowsScopes(key) ? 'own key' : 'only key'),
      );
      if (id === null || first === undefined || !knowsScopes(first)) return { keyId: id, ownId: null };
      ownId = id;
    }
    const keyId =
      foundEarlier("tenant's key") ??
      (await idOfLostAnswer(
        () => createTenantKey(undo),
        () => "tenant's key",
      ));
    return keyId === null ? { keyId: ownId, ownId: null } : { keyId, ownId };
  }

  return {
    /** POST /api-keys. Only the secret store receives the tokens. `keyId` is the key that the backend claims. */
    async issueApiKey(step: KeysInput & { readonly beginning?: Beginning }): Promise<IssuedKey> {
      if (step.provider !== undefined) return openAccount(step, step.provider);
      const { tenantId } = step;
      const tokenRef = apiKeyRef(tenantId);
      const first = await issueKey('issueApiKey', (name) => createFirstKey(step, name), revoke);
      const firstKey = { id: first.id, secret: first.token };
      const tenantKey = await issueTenantKey(step, first);
      const key = tenantKey ?? firstKey;
      // The key of an earlier onboarding must not stay valid, unless the backend has claimed it: then it is not known here.
      const previous = await getIssued(secrets, tokenRef);
      if (previous !== undefined && previous.id !== key.id) await revoke(previous.id);
      await putIssued(secrets, tokenRef, key);
      await ownKeys({ provider, secrets }).revokeOwn(tenantId, first.id);
      if (tenantKey !== undefined) await putIssued(secrets, ownKeyRef(tenantId), firstKey);
      return { keyId: key.id, ...(tenantKey !== undefined && { ownKeyId: first.id }), tokenRef };
    },

    /** DELETE /api-keys/{id} for the tenant's key and sendoff's own, and forgets the tokens. */
    async revokeApiKey(undo: UndoInput<KeysInput>): Promise<Undone> {
      const { tenantId } = undo;
      if (undo.provider !== undefined) return closeAccount(undo, undo.provider);
      const { keyId, ownId } = await findKeys(undo);
      let kept: Pick<Undone, 'kept'> = {};
      try {
        if (keyId !== null) kept = await revoke(keyId, undo);
      } finally {
        // Even if the provider fails, the token must not be used again. The token of an earlier onboarding's key stays: it is
        // needed to replace that key.
        await deleteIssued(secrets, apiKeyRef(tenantId), keyId);
      }
      if (keyId === null || ownId === null) return { resourceId: keyId, ...kept };
      recordDeletion(keyId);
      const own = { resourceId: ownId, ...(await revoke(ownId, undo)) };
      recordDeletion(ownId);
      await deleteIssued(secrets, ownKeyRef(tenantId), ownId);
      return { resourceId: keyId, ...kept, own };
    },
  };
}

const accountIntent = (provider: ProviderName, mark: Mark): IntentKey => ({ provider, kind: 'account', subject: mark });
