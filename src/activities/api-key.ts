import { cancellationSignal } from '@temporalio/activity';
import { apiKeyRef, onboardingWorkflowId, stepIdempotencyKey } from '../onboarding/onboarding-ids.ts';
import { getIssued, putIssued } from '../store/issued-secret.ts';
import type { StepInput, UndoInput, Undone } from './step-input.ts';
import type { ActivityDependencies } from './activity-dependencies.ts';
import type { Beginning } from './recorded.ts';
import { goneAfter, idOfLostAnswer } from './undo.ts';

export function apiKeyActivities({ provider, secrets }: Pick<ActivityDependencies, 'provider' | 'secrets'>) {
  const create = ({ tenantId, attemptId }: StepInput, step = 'issueApiKey') =>
    provider.createApiKey(
      { account: tenantId, name: onboardingWorkflowId(tenantId) },
      { idempotencyKey: stepIdempotencyKey(tenantId, attemptId, step), signal: cancellationSignal() },
    );
  const revoke = (keyId: string): Promise<void> =>
    goneAfter(keyId, provider.revokeApiKey(keyId, { signal: cancellationSignal() }));

  return {
    /** POST /api-keys. The token goes to the secret store and nowhere else. */
    async issueApiKey(
      step: StepInput & { readonly beginning?: Beginning },
    ): Promise<{ keyId: string; tokenRef: string; isRecorded?: boolean }> {
      const tokenRef = apiKeyRef(step.tenantId);
      let key = await create(step);
      if (key.token === undefined) {
        // A repetition so late that the provider no longer shows the token: nobody can use that key.
        await revoke(key.id);
        key = await create(step, `issueApiKey-after-${key.id}`);
      }
      if (key.token === undefined) throw new Error('POST /api-keys answered without a token');
      // What an earlier onboarding of the tenant has kept is replaced, and must not stay valid unseen.
      const forerunner = await getIssued(secrets, tokenRef);
      if (forerunner !== undefined && forerunner.id !== key.id) await revoke(forerunner.id);
      await putIssued(secrets, tokenRef, { id: key.id, secret: key.token });
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
        // Whatever the provider says: nobody is to use it any more. That of a key which an earlier onboarding has kept is
        // needed to replace that key.
        if ((await getIssued(secrets, tokenRef))?.id === keyId) await secrets.delete(tokenRef);
      }
    },
  };
}
