// EMAIL_PROVIDER is changed while tenants wait: they stay at the provider at which they began.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FAST_POSTMARK, type FakePostmark, startFakePostmark } from '../../../src/conformance/fakes/fake-postmark.ts';
import { FAST, type FakeResend, startFakeResend } from '../../../src/conformance/fakes/fake-resend.ts';
import { createPostmarkAccount } from '../../../src/email-provider/adapters/postmark/postmark-account.ts';
import { createResendAccount } from '../../../src/email-provider/adapters/resend/resend-account.ts';
import type { OperatorAccount } from '../../../src/email-provider/operator-account.ts';
import { Stage } from '../../../src/onboarding/stage.ts';
import { inputOf, manyOnboardings } from '../../support/onboarding-environment.ts';

let fakes: { readonly resend: FakeResend; readonly postmark: FakePostmark };
let accounts: { readonly resend: OperatorAccount; readonly postmark: OperatorAccount };
beforeEach(async () => {
  fakes = { resend: await startFakeResend(), postmark: await startFakePostmark() };
  accounts = {
    resend: createResendAccount({ baseUrl: fakes.resend.baseUrl, ...FAST }),
    postmark: createPostmarkAccount({ baseUrl: fakes.postmark.baseUrl, ...FAST_POSTMARK }),
  };
});
afterEach(async () => {
  await Promise.all(Object.values(accounts).map((account) => account.close()));
  await Promise.all(Object.values(fakes).map((fake) => fake.close()));
});

const WAITING = 20;
const LATER = 3;

test('the onboardings that wait end at the old provider, and new ones begin at the new one', async () => {
  let isPublished = false;
  const dns = (): 'published' | 'missing' => (isPublished ? 'published' : 'missing');
  await manyOnboardings(
    { dns },
    async ({ start, register, onboardings }) => {
      const early = Array.from({ length: WAITING }, (_, index) => `early-${index}`);
      const late = Array.from({ length: LATER }, (_, index) => `late-${index}`);
      const begun = await Promise.all(early.map((tenantId) => start(inputOf(tenantId))));
      const stages = async () =>
        new Set(await Promise.all(early.map(async (one) => (await register.get(one))?.onboarding.stage)));
      await expect.poll(stages, { timeout: 20_000 }).toEqual(new Set([Stage.awaitingDomain]));

      const switched = await Promise.all(late.map((tenantId) => start(inputOf(tenantId), 'postmark')));
      await expect.poll(() => fakes.postmark.domains.length, { timeout: 20_000 }).toBe(LATER);
      isPublished = true;
      await expect
        .poll(async () => (await register.get('late-0'))?.onboarding.stage, { timeout: 20_000 })
        .not.toBe(Stage.registeringDomain);
      for (const tenantId of [...early, ...late])
        await onboardings.wakeUp(tenantId, { eventId: `published-${tenantId}`, type: 'domain' });
      await Promise.all([...begun, ...switched].map((handle) => handle.result()));

      const { resend, postmark } = fakes;
      expect([resend.domains.length, resend.keys.length, resend.emails.length]).toEqual([WAITING, WAITING, WAITING]);
      expect([postmark.servers.length, postmark.domains.length, postmark.emails.length]).toEqual([LATER, LATER, LATER]);
      for (const tenantId of early) expect((await register.get(tenantId))?.onboarding.provider).toBe('resend');
      for (const tenantId of late) expect((await register.get(tenantId))?.onboarding.provider).toBe('postmark');
    },
    { accounts },
  );
}, 60_000);
