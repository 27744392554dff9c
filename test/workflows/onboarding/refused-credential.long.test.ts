// A person replaces the credential of a provider while a tenant is being onboarded: nothing ends and nothing is undone, the operator sees a
// refused credential, and the onboarding goes on with the next one.
import { afterEach, expect, test } from 'vitest';
import { FAST_POSTMARK, startFakePostmark } from '../../../src/conformance/fakes/fake-postmark.ts';
import { FAST as FAST_RESEND, startFakeResend } from '../../../src/conformance/fakes/fake-resend.ts';
import { FAST as FAST_SES, startFakeSes } from '../../../src/conformance/fakes/fake-ses.ts';
import type { FaultRules, Reply } from '../../../src/conformance/fakes/serve-fake.ts';
import { createPostmarkAccount } from '../../../src/email-provider/adapters/postmark/postmark-account.ts';
import { createResendAccount } from '../../../src/email-provider/adapters/resend/resend-account.ts';
import { createSesAccount } from '../../../src/email-provider/adapters/ses/ses-account.ts';
import { countCalls } from '../../../src/email-provider/count-calls.ts';
import type { OperatorAccount } from '../../../src/email-provider/operator-account.ts';
import type { ProviderName } from '../../../src/onboarding/provider-name.ts';
import { createClosers } from '../../../src/lib/closers.ts';
import { withOnboardings } from '../../support/onboarding-environment.ts';

interface Simulated {
  readonly rules: FaultRules;
  readonly account: OperatorAccount;
  readonly emails: readonly unknown[];
  /** How many resources the account has. */
  readonly count: () => number;
}

const closers = createClosers();
afterEach(() => closers.close());

async function simulatedResend(): Promise<Simulated> {
  const fake = await startFakeResend();
  closers.add(fake.close);
  const account = createResendAccount({ baseUrl: fake.baseUrl, ...FAST_RESEND });
  return { ...fake, account, count: () => fake.domains.length + fake.keys.length };
}
async function simulatedPostmark(): Promise<Simulated> {
  const fake = await startFakePostmark();
  closers.add(fake.close);
  const account = createPostmarkAccount({ baseUrl: fake.baseUrl, ...FAST_POSTMARK });
  return { ...fake, account, count: () => fake.domains.length + fake.servers.length };
}
async function simulatedSes(): Promise<Simulated> {
  const fake = await startFakeSes();
  closers.add(fake.close);
  const account = createSesAccount({ ...FAST_SES, baseUrl: fake.baseUrl });
  return { ...fake, account, count: () => fake.identities.size + fake.tenants.size };
}

const refused = (status: number, body: object, headers: Record<string, string> = {}): Reply => ({
  ...{ status, body, headers },
});
const ofPostmark = (status: number) =>
  refused(status, { ErrorCode: 10, Message: 'The Server Token you provided is not valid.' });

/** Longer than a step is patient. */
const HOURS = 25;

test.each<[string, number, ProviderName, () => Promise<Simulated>, RegExp, Reply]>([
  [
    'RESEND_API_KEY',
    HOURS,
    'resend',
    simulatedResend,
    /./,
    refused(401, { statusCode: 401, name: 'invalid_api_key', message: 'API key is invalid' }),
  ],
  ['POSTMARK_ACCOUNT_TOKEN', HOURS, 'postmark', simulatedPostmark, /^(?!POST .email)/, ofPostmark(401)],
  ['the token of a server at Postmark', HOURS, 'postmark', simulatedPostmark, /^POST .email/, ofPostmark(401)],
  // Only the status differs, and the step makes an attempt a minute.
  ['the token of a server at Postmark, with 422', 2, 'postmark', simulatedPostmark, /^POST .email/, ofPostmark(422)],
  [
    'SES_ACCESS_KEY_ID',
    HOURS,
    'ses',
    simulatedSes,
    /./,
    refused(
      403,
      { message: 'The security token included in the request is invalid.' },
      { 'x-amzn-errortype': 'UnrecognizedClientException' },
    ),
  ],
])(
  '%s is refused for %i hours, and then not any more',
  { timeout: 300_000 },
  async (_name, hours, provider, simulated, affected, answer) => {
    const { rules, account, emails, count } = await simulated();
    closers.add(() => account.close());
    const meanings: string[] = [];
    const counted = countCalls(account, (_call, meaning) => meanings.push(meaning));
    let isRefused = false;
    rules.before = (request) => (isRefused && affected.test(request) ? answer : undefined);
    // From the first request after the domain on.
    let isPublished = false;
    await withOnboardings(
      { dns: () => (isPublished ? 'published' : 'missing') },
      async ({ start, sleep, until, register }) => {
        const handle = await start();
        await until(() => count() >= (provider === 'resend' ? 1 : 2));
        const before = count();
        [isRefused, isPublished] = [true, true];
        await sleep(`${hours} hours`);
        const record = await register.get('acme');
        expect(record).toMatchObject({ outcome: 'running', failure: null, onboarding: { badEnd: null, undo: [] } });
        expect(record?.waiting).not.toBeNull();
        expect(count()).toBe(before);
        expect(emails).toHaveLength(0);
        expect(meanings).toContain('credentialRefused');
        isRefused = false;
        // The outcome at SES comes from events, which nothing delivers here.
        for (let tries = 0; tries < 200 && emails.length === 0; tries += 1) await sleep('10 minutes');
        expect(emails).toHaveLength(1);
        if (provider !== 'ses') await handle.result();
      },
      { accounts: { [provider]: counted } },
    );
  },
);
