import { cancellationSignal } from '@temporalio/activity';
import { apiKeyRef, onboardingWorkflowId, stepIdempotencyKey } from '../onboarding/onboarding-ids.ts';
import { deleteIssued, getIssued, putIssued } from '../store/issued-secret.ts';
import type { StepInput, UndoInput, Undone } from './step-input.ts';
import type { ActivityDependencies } from './activity-dependencies.ts';
import type { Beginning } from './recorded.ts';
import { issueKey } from './issue-key.ts';
import { goneAfter, idOfLostAnswer } from './undo.ts';
import { watchKeys } from './watch-key.ts';

export function apiKeyActivities({ provider, secrets }: Pick<ActivityDependencies, 'provider' | 'secrets'>) {
  const create = ({ tenantId, attemptId }: StepInput, step = 'issueApiKey') =>
    provider.createApiKey(
      { account: tenantId, name: onboardingWorkflowId(tenantId) },
      { idempotencyKey: stepIdempotencyKey(tenantId, attemptId, step), signal: cancellationSignal() },
    );
  const revoke = (keyId: string): Promise<void> =>
    goneAfter(keyId, provider.revokeApiKey(keyId, { signal: cancellationSignal() }));

  return {
    /** POST /api-keys. Only the secret store receives the token. */
    async issueApiKey(
      step: StepInput & { readonly beginning?: Beginning },
    ): Promise<{ keyId: string; tokenRef: string; isRecorded?: boolean }> {
      const tokenRef = apiKeyRef(step.tenantId);
      const key = await issueKey('issueApiKey', (name) => create(step, name), revoke);
      // The key of an earlier onboarding is replaced and must not stay valid.
      const previous = await getIssued(secrets, tokenRef);
      if (previous !== undefined && previous.id !== key.id) await revoke(previous.id);
      await putIssued(secrets, tokenRef, key);
      // The checks of the earlier onboarding's domain may have had a key, too.
      await watchKeys({ provider, secrets }).revokeOwn(step.tenantId);
      return { keyId: key.id, tokenRef };
    },

    /** DELETE /api-keys/{id}, and forgets the token. */
    async revokeApiKey(undo: UndoInput): Promise<Undone> {
      const tokenRef = apiKeyRef(undo.tenantId);
      const keyId = undo.resourceId ?? (await idOfLostAnswer(() => create(undo)));
      try {
        if (keyId !== null) await revoke(keyId);
        return { resourceId: keyId };
      } finally {
        // Even if the provider fails, the token must not be used again. The token of an earlier onboarding's key stays: it is
        // needed to replace that key.
        await deleteIssued(secrets, tokenRef, keyId);
      }
    },
  };
}
