import { afterEach, beforeEach } from 'vitest';
import { createResendAccount } from '../../../src/email-provider/adapters/resend/resend-account.ts';
import type { OperatorAccount } from '../../../src/email-provider/operator-account.ts';
import type { ProviderEvent } from '../../../src/onboarding/provider-event.ts';
import { createSqlProviderEvents } from '../../../src/store/onboarding/provider-events.ts';
import { FAST, type FakeResend, startFakeResend } from '../../../src/conformance/fakes/fake-resend.ts';
import { type OnboardingEnvironment, withOnboardings } from '../../support/onboarding-environment.ts';
import type { Script } from '../../support/scripted-provider.ts';

export let resend: FakeResend;
export let account: OperatorAccount;
/** Opens a simulated Resend before each test of this file. */
export function useResend(): void {
  beforeEach(async () => {
    resend = await startFakeResend();
    account = createResendAccount({ baseUrl: resend.baseUrl, ...FAST });
  });
  afterEach(async () => {
    await account.close();
    await resend.close();
  });
}

export const atResend = (
  script: Partial<Script>,
  use: (environment: OnboardingEnvironment) => Promise<void>,
): Promise<void> => withOnboardings({ dns: () => 'published', ...script }, use, { accounts: { resend: account } });

export const left = () => [resend.domains.length, resend.keys.length, resend.emails.length];

/** A provider that knows no Idempotency-Key, and whose search finds what `found` returns. */
export function looksUp(found: () => { id: string } | undefined): void {
  let requests = 0;
  const resendAccount = account;
  account = {
    ...resendAccount,
    facts: { ...resendAccount.facts, sendOnce: { kind: 'look-up', settleMs: 60_000 } },
    sendEmail: (email) => resendAccount.sendEmail(email, { idempotencyKey: `request-${++requests}` }),
    findEmail: () => Promise.resolve(found()),
  };
}

/** As if the email had been noted years ago: the provider no longer knows its Idempotency-Key. */
export const NOTED_AT = '2020-01-01T00:00:00.000Z';
export const ageNotes = ({ database }: OnboardingEnvironment): Promise<unknown> =>
  database.updateTable('provider_intents').set({ noted_at: NOTED_AT }).where('intent', 'like', '%/email/%').execute();

export const reported = (database: OnboardingEnvironment['database'], event: Partial<ProviderEvent>) =>
  createSqlProviderEvents(database).store('resend', [
    { eventId: 'msg_1', type: 'accepted', at: '2026-11-24T12:00:00.000Z', ...event },
  ]);
