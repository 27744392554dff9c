import type { Client } from '@temporalio/client';
import { ServiceError, WorkflowNotFoundError, type WorkflowUpdateHandle } from '@temporalio/client';
import { expect, test } from 'vitest';
import { runUpdate } from '../../../src/client/onboarding/run-update.ts';
import type { TemporalPresence } from '../../../src/client/temporal-presence.ts';

const FAILED_PRECONDITION = 9;

/** As the Client reports it where the Workflow Task that would execute the Update fails, because the Workflow ends in it. */
const taskFailed = () =>
  new ServiceError('Workflow Update failed', {
    cause: Object.assign(new Error('unexpected workflow task failure'), {
      ...{ code: FAILED_PRECONDITION, details: 'unexpected workflow task failure', metadata: {} },
    }),
  });

/** Runs an Update whose requests end so, one after the other. */
function run(...ends: (Error | string)[]) {
  const client = { withDeadline: (_deadline: number, call: () => Promise<unknown>) => call() } as unknown as Client;
  const presence = () => Promise.resolve({ reachable: true, workers: 'polling' } as unknown as TemporalPresence);
  const preparation = { taskQueue: 'onboardings', presence, beforeSending: () => Promise.resolve() };
  return runUpdate(client, preparation, {} as never, () => {
    const end = ends.shift();
    if (end instanceof Error) return Promise.reject(end);
    return Promise.resolve({ result: () => Promise.resolve(end) } as WorkflowUpdateHandle<string | undefined>);
  });
}

test('an Update whose Workflow Task failed is sent once more', async () => {
  expect(await run(taskFailed(), 'checked')).toEqual({ kind: 'done', result: 'checked' });
  const ended = new WorkflowNotFoundError('workflow execution already completed', 'onboarding/acme', undefined);
  expect(await run(taskFailed(), ended)).toEqual({ kind: 'notRunning' });
});

test('an Update whose Workflow Task failed twice is unanswered', async () => {
  expect(await run(taskFailed(), taskFailed())).toEqual({ kind: 'unanswered' });
});
