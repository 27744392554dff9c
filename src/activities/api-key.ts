import { cancellationSignal } from '@temporalio/activity';
import { apiKeyRef, onboardingWorkflowId, stepIdempotencyKey } from '../onboarding/ids.ts';
import type { ActivityDependencies, StepInput, UndoInput, Undone } from './index.ts';
import { goneAfter, idOfLostAnswer } from './undo.ts';

export function apiKeyActivities({ provider, secrets }: Pick<ActivityDependencies, 'provider' | 'secrets'>) {
  const create = ({ tenantId, attemptId }: StepInput, step = 'issueApiKey') =>
    provider.createApiKey(
      { account: tenantId, name: onboardingWorkflowId(tenantId) },
      { idempotencyKey: stepIdempotencyKey(tenantId, attemptId, step), signal: cancellationSignal() },
    );

  return {
    /** POST /api-keys. The token goes to the secret store and nowhere else. */
    async issueApiKey(step: StepInput): Promise<{ keyId: string; tokenRef: string }> {
      let key = await create(step);
      if (key.token === undefined) {
        // A repetition so late that the provider no longer shows the token: nobody can use that key.
        await goneAfter(provider.revokeApiKey(key.id, { signal: cancellationSignal() }));
        key = await create(step, `issueApiKey-after-${key.id}`);
      }
      if (key.token === undefined) throw new Error('POST /api-keys answered without a token');
      const tokenRef = apiKeyRef(step.tenantId);
      await secrets.put(tokenRef, key.token);
      return { keyId: key.id, tokenRef };
    },

    /** DELETE /api-keys/{id}, and forgets the token. */
    async revokeApiKey(undo: UndoInput): Promise<Undone> {
      const keyId = undo.resourceId ?? (await idOfLostAnswer(() => create(undo)));
      if (keyId !== null) await goneAfter(provider.revokeApiKey(keyId, { signal: cancellationSignal() }));
      await secrets.delete(apiKeyRef(undo.tenantId));
      return { resourceId: keyId };
    },
  };
}
