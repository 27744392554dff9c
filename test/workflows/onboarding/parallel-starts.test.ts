import { expect, test } from 'vitest';
import { inputOf, manyOnboardings } from '../../support/onboarding-environment.ts';

test('100 starts of a tenant at once start one Workflow, and all have its record', async () => {
  await manyOnboardings({ verified: () => false }, async ({ onboardings, views, scripted, server }) => {
    const input = inputOf('acme');
    const outcomes = await Promise.all(Array.from({ length: 100 }, () => onboardings.start(input)));
    const started = outcomes.filter(({ kind }) => kind === 'started');
    expect(started).toHaveLength(1);
    expect(outcomes.filter(({ kind }) => kind === 'alreadyThere')).toHaveLength(99);
    const runIds = new Set(outcomes.map((outcome) => (outcome.kind === 'different' ? '' : outcome.record.runId)));
    expect(runIds.size).toBe(1);
    await expect.poll(async () => (await views.get('acme'))?.stage).toBe('awaitingDomain');
    // A busy Worker may repeat the request.
    expect(scripted.createdFor('acme').filter((id) => id.startsWith('key'))).toHaveLength(1);
    const { count } = await server.environment.client.workflow.count('WorkflowId = "onboarding/acme"');
    expect(count).toBe(1);
  });
});
