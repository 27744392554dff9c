import { createSesAccount } from '../../email-provider/adapters/ses/ses-account.ts';
import { createSesWebhookReader } from '../../email-provider/adapters/ses/read-webhook.ts';
import type { ProviderEvent } from '../../onboarding/provider-event.ts';
import type { FakeFarEnd } from '../far-end.ts';
import { ACCESS_KEY_ID, FAST, SECRET_ACCESS_KEY, startFakeSes } from './fake-ses.ts';
import { amazonZones, arnOf } from './fake-ses-resources.ts';
import { REGION, TOPIC_ARN } from './fake-sns.ts';

const bounced = (bounceType: string, bounceSubType: string) =>
  ['Bounce', { bounceType, bounceSubType, bouncedRecipients: [] }] as const;
const delivered = ['Delivery', { smtpResponse: '250 2.0.0 OK' }] as const;

/** What SES publishes of an email after its Send event. */
const endings: Readonly<Record<string, readonly (readonly [string, object])[]>> = {
  bounced: [bounced('Permanent', 'General')],
  suppressed: [bounced('Permanent', 'OnAccountSuppressionList')],
  deferred: [['DeliveryDelay', { delayType: 'MailboxFull' }], delivered],
};

export async function sesFake(published: Set<string>): Promise<FakeFarEnd> {
  const receivers = new Set<(events: readonly ProviderEvent[]) => Promise<unknown>>();
  const fake = await startFakeSes({
    isPublished: (domain) => published.has(domain),
    outcome: (recipient) => endings[recipient.split('+')[0] ?? ''] ?? [delivered],
    async deliver(body) {
      const events = await read({ body: Buffer.from(body), headers: {} });
      await Promise.all([...receivers].map((receive) => receive(events ?? [])));
      return events !== undefined;
    },
  });
  const read = createSesWebhookReader({
    ...{ region: REGION, topicArn: TOPIC_ARN, baseUrl: fake.baseUrl },
    warn: () => undefined,
  });
  return {
    provider: 'ses',
    url: fake.baseUrl,
    connect: (baseUrl) => ({ account: createSesAccount({ ...FAST, baseUrl }) }),
    settings: ({ url, requestsPerSecond }) => ({
      ...{ SES_REGION: REGION, SES_TOPIC_ARN: TOPIC_ARN, SES_URL: url },
      ...{ SES_ACCESS_KEY_ID: ACCESS_KEY_ID, SES_SECRET_ACCESS_KEY: SECRET_ACCESS_KEY },
      SES_REQUESTS_PER_SECOND: String(requestsPerSecond),
    }),
    credential: SECRET_ACCESS_KEY,
    // The SES tenant and its configuration set.
    whole: { accounts: 2, webhooks: 0, domains: 1, 'api-keys': 0, senders: 1, emails: 1 },
    zones: amazonZones(REGION),
    onEvents(receive) {
      receivers.add(receive);
      return () => void receivers.delete(receive);
    },
    settled: () => fake.settled(),
    held: ({ mark, domain, recipient }) =>
      Promise.resolve({
        accounts: Number(fake.tenants.has(mark)) + Number(fake.sets.has(mark)),
        ...{ webhooks: 0, 'api-keys': 0 },
        domains: Number(fake.identities.has(domain)),
        senders: Number(fake.tenants.get(mark)?.resources.has(arnOf(`identity/${domain}`)) ?? false),
        emails: fake.emails.filter(({ to }) => to === recipient).length,
      }),
    fake: {
      setDomainStatus(domain, status) {
        if (status === 'pending') published.delete(domain);
        const found = fake.identities.get(domain);
        if (found !== undefined) found.dkim = status.toUpperCase();
      },
      deleteDomain: (domain) => void fake.identities.delete(domain),
      refusesUnverifiedSender: true,
    },
    close: fake.close,
  };
}
