import { expect, test } from 'vitest';
import { onboardingWorkflowId } from '../../../src/onboarding/onboarding-ids.ts';
import { failureOf, inputOf, withOnboardings } from '../../support/onboarding-environment.ts';
import { testEnds } from './every-end.ts';

testEnds(['f1', 'f2', 'f3', 'rejected']);

test('refuses an input that no edge has validated, without a request to the provider', async () => {
  await withOnboardings({}, async ({ server, scripted }) => {
    const handle = await server.environment.client.workflow.start('onboardTenant', {
      workflowId: onboardingWorkflowId('acme'),
      taskQueue: 'onboarding-test',
      args: [inputOf('acme', { firstEmail: { recipient: 'nobody', subject: 'Welcome', body: 'It works.' } })],
    });
    const problem = 'must be an email address; found "nobody"';
    expect(await failureOf(handle)).toEqual({
      type: 'InvalidInput',
      message: `firstEmail.recipient ${problem}`,
      details: {
        field: 'firstEmail.recipient',
        problem,
        problems: [{ field: 'firstEmail.recipient', problem }],
        stage: 'issuingKey',
        exit: null,
        undo: [],
      },
    });
    expect(scripted.calls).toEqual([]);
  });
});
