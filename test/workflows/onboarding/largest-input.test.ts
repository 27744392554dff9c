import { expect, test } from 'vitest';
import { ProviderUnreachable } from '../../../src/email-provider/provider-error.ts';
import { realServer, validInput, withOnboardings } from '../../support/onboarding-environment.ts';
import type { Call } from '../../support/scripted-provider.ts';

test('the largest first email, every byte escaped in JSON, fits into the payloads of a real server', async () => {
  let outages = 0;
  // The two quick attempts fail, so that the email is the input of a regular Activity as well.
  const before = (call: Call): void => {
    if (call === 'sendEmail' && ++outages <= 2) throw new ProviderUnreachable(call, 'ECONNRESET');
  };
  const firstEmail = { ...validInput().firstEmail, body: '\n'.repeat(1_000_000) };
  await withOnboardings(
    { before },
    async ({ start, scripted }) => {
      await (await start(validInput({ firstEmail }))).result();
      expect(scripted.emails).toHaveLength(1);
    },
    realServer,
    100,
  );
});
