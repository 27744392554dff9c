// An onboarding at Amazon SES: one tenant, set, identity and association whatever answers are lost, and an outcome from signed events alone.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { arnOf } from '../../../src/conformance/fakes/fake-ses-resources.ts';
import { FAST, type FakeSes, startFakeSes } from '../../../src/conformance/fakes/fake-ses.ts';
import { createSesWebhookReader } from '../../../src/email-provider/adapters/ses/read-webhook.ts';
import { createSesAccount } from '../../../src/email-provider/adapters/ses/ses-account.ts';
import type { OperatorAccount } from '../../../src/email-provider/operator-account.ts';
import { buildHttpApp } from '../../../src/http/app.ts';
import { createSqlProviderEvents } from '../../../src/store/onboarding/provider-events.ts';
import { httpDependencies } from '../../support/http-dependencies.ts';
import { manyOnboardings, type OnboardingEnvironment } from '../../support/onboarding-environment.ts';
import { validInput } from '../../support/valid-input.ts';

let ses: FakeSes;
let account: OperatorAccount;
beforeEach(async () => {
  ses = await startFakeSes();
  account = createSesAccount({ ...FAST, baseUrl: ses.baseUrl });
});
afterEach(async () => {
  await account.close();
  await ses.close();
});

/** What SNS posts reaches the route, unless a test changes that. */
const atSes = (use: (environment: OnboardingEnvironment) => Promise<void>): Promise<void> =>
  manyOnboardings(
    { dns: () => 'published' },
    async (environment) => {
      const { onboardings, database } = environment;
      const reader = createSesWebhookReader({ ...FAST, baseUrl: ses.baseUrl, warn: () => undefined });
      const app = buildHttpApp(
        httpDependencies({
          onboardings,
          providerWebhooks: { readers: { ses: reader }, events: createSqlProviderEvents(database) },
        }),
      );
      const post = async (payload: string): Promise<number> => {
        const headers = { 'content-type': 'text/plain; charset=UTF-8', 'x-amz-sns-message-type': 'Notification' };
        return (await app.inject({ method: 'POST', url: '/webhooks/provider/ses', headers, payload })).statusCode;
      };
      ses.rules.deliver = async (body) => (await post(body)) < 300;
      await use(environment);
      await app.close();
    },
    { accounts: { ses: account } },
  );

const mark = (): string => [...ses.tenants.keys()][0] ?? '';
const left = () => ({
  ...{ tenants: ses.tenants.size, sets: ses.sets.size, identities: ses.identities.size, emails: ses.emails.length },
  associations: [...ses.tenants.values()].flatMap(({ resources }) => [...resources]).length,
});
const ONE = { tenants: 1, sets: 1, identities: 1, emails: 1, associations: 2 };

test('onboards without a key, and learns the outcome from a signed event', async () => {
  await atSes(async ({ start, register, views }) => {
    const result = await (await start()).result();
    expect(left()).toEqual(ONE);
    const senderId = arnOf(`identity/${validInput().domain}`);
    expect(result).toMatchObject({ keyId: null, tokenRef: null, senderId, emailId: ses.emails[0]?.id });
    expect((await register.get('acme'))?.onboarding).toMatchObject({ provider: 'ses', senderId });
    expect((await views.get('acme'))?.apiKey.state).not.toBe('held');
    expect(ses.identities.get(validInput().domain)?.tags).toEqual([{ Key: 'sendoff', Value: mark() }]);
  });
});

test.each(['POST /tenants', 'POST /identities'])(
  'an answer to %s that is lost after its effect leaves one of each',
  async (lost) => {
    let losses = 1;
    ses.rules.isLost = (request) => request === lost && losses-- > 0;
    await atSes(async ({ start }) => {
      await (await start()).result();
      expect(losses).toBeLessThan(1);
      expect(left()).toEqual(ONE);
    });
  },
);
