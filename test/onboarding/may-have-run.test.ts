import { expect, test } from 'vitest';
import { mayHaveRun } from '../../src/onboarding/may-have-run.ts';

test.each([
  ['issuingKey', ['issueApiKey', 'registerWebhook', 'registerDomain', 'createSender']],
  ['registeringWebhook', ['registerWebhook', 'registerDomain', 'createSender']],
  ['registeringDomain', ['registerDomain', 'createSender']],
  ['awaitingDomain', ['createSender']],
  ['creatingSender', ['createSender']],
  ['sendingFirstEmail', ['sendFirstEmail']],
  ['awaitingDelivery', []],
  ['done', []],
] as const)('cut off in %s, a Workflow Task may have run %j', (stage, steps) => {
  expect(mayHaveRun(stage)).toEqual(steps);
});
