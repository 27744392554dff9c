import { expect, test } from 'vitest';
import { validInput, withOnboardings } from '../../support/onboarding-environment.ts';

test.each([
  ['onboarded', '3 days'],
  ['failed', '1 second'],
  ['cancelled', '3 days'],
] as const)('an onboarding ends %s only when that is recorded', async (outcome, verificationWindow) => {
  await withOnboardings({ verified: () => outcome === 'onboarded' }, async ({ start, register }) => {
    const end = register.end.bind(register);
    let calls = 0;
    let isRecorded = false;
    register.end = async (record) => {
      calls += 1;
      if (calls <= 5) throw new Error('database is locked');
      const standing = await end(record);
      isRecorded = true;
      return standing;
    };
    const handle = await start(validInput({ verificationWindow }));
    if (outcome === 'cancelled') await handle.cancel();
    await handle.result().catch(() => undefined);
    expect(isRecorded).toBe(true);
    // An attempt whose answer is lost is repeated.
    expect(calls).toBeGreaterThanOrEqual(6);
    expect(await register.get('acme')).toMatchObject({ outcome });
  });
});
