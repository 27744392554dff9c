import { expect, test } from 'vitest';
import { realServer, validInput, withOnboardings } from '../../support/onboarding-environment.ts';
import { failing, noAnswer } from '../../support/scripted-provider.ts';

test('the largest first email, every byte escaped in JSON, fits into the payloads of a real server', async () => {
  // The two quick attempts fail, so that the email is the input of a regular Activity as well.
  const before = failing('sendEmail', noAnswer, 2);
  const firstEmail = { ...validInput().firstEmail, body: '\n'.repeat(1_000_000) };
  await withOnboardings(
    { before },
    async ({ start, scripted }) => {
      await (await start(validInput({ firstEmail }))).result();
      expect(scripted.emails).toHaveLength(1);
    },
    { startServer: realServer, maxCachedWorkflows: 100 },
  );
});
