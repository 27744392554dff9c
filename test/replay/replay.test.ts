import '../support/quiet-temporal.ts';
import { Worker } from '@temporalio/worker';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { workflowCode } from '../support/workflow-bundle.ts';
import { historyFolder, workflowsPathOf } from './history-files.ts';

// A Workflow that runs for days continues on the code of later versions, so each recorded history must replay on the current
// code. A release adds histories with `npm run record-histories`; old ones are removed only with the code that they guard.
const files = readdirSync(historyFolder, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.json'),
);

test('has a history of every Workflow Type and of every end of an onboarding', () => {
  const names = new Set(files.map((name) => name.split('/').at(-1)));
  expect([...names]).toEqual(
    expect.arrayContaining([
      'onboard-tenant-onboarded.json',
      'onboard-tenant-at-once.json',
      'onboard-tenant-f1.json',
      'onboard-tenant-f2.json',
      'onboard-tenant-f3.json',
      'onboard-tenant-cancelled.json',
      'onboard-tenant-mistaken-extended.json',
      'onboard-tenant-woken.json',
      'onboard-tenant-resend-onboarded.json',
      'onboard-tenant-resend-f1.json',
      'onboard-tenant-resend-f3.json',
      'onboard-tenant-resend-cancelled.json',
      'sendoff-installation.json',
      'check-agents-md.json',
      'announce-outcome-change.json',
      'verify-domain.json',
      'deliver-email.json',
      'deliver-webhook.json',
    ]),
  );
});

test.each(files)('%s replays', async (file) => {
  const history: unknown = JSON.parse(readFileSync(join(historyFolder, file), 'utf8'));
  await Worker.runReplayHistory(await workflowCode(workflowsPathOf(file)), history);
});

test('fails for a history of another Workflow', async () => {
  const file = files.find((name) => name.endsWith('onboard-tenant-onboarded.json')) ?? '';
  const text = readFileSync(join(historyFolder, file), 'utf8').replaceAll(
    '"name":"issueApiKey"',
    '"name":"registerDomain"',
  );
  const altered = JSON.parse(text.replaceAll('checkDomain', 'awaitEmailOutcome')) as unknown;
  await expect(Worker.runReplayHistory(await workflowCode(workflowsPathOf(file)), altered)).rejects.toThrow(
    /Nondeterminism|determinism/i,
  );
});
