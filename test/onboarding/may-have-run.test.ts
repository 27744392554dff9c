import { expect, test } from 'vitest';
import { mayHaveRun } from '../../src/onboarding/may-have-run.ts';

test.each([
  ['issuingKey', ['issueApiKey', 'registerWebhook', 'registerDomain']],
  ['registeringWebhook', ['registerWebhook', 'registerDomain']],
  ['registeringDomain', ['registerDomain']],
  ['awaitingDomain', []],
  ['creatingSender', ['createSender']],
  ['sendingFirstEmail', []],
  ['awaitingDelivery', []],
  ['done', []],
] as const)('cut off in %s, the steps up to the next wait may have run: %j', (stage, steps) => {
  expect(mayHaveRun(stage)).toEqual(steps);
});
