import { createResendAccount } from '../../email-provider/adapters/resend/resend-account.ts';
import type { FakeFarEnd } from '../far-end.ts';
import { FAKE_KEY, FAST, startFakeResend } from './fake-resend.ts';
import { amazonZones } from './fake-ses-resources.ts';
import { removed } from './serve-fake.ts';

export async function resendFake(published: ReadonlySet<string>): Promise<FakeFarEnd> {
  const deferred = new Set<string>();
  const fake = await startFakeResend({
    isPublished: (domain) => published.has(domain),
    lastEvent: (recipient) => {
      const [ending = ''] = recipient.split('+');
      if (ending !== 'deferred') return ending;
      if (deferred.has(recipient)) return 'delivered';
      deferred.add(recipient);
      return 'delivery_delayed';
    },
  });
  return {
    provider: 'resend',
    url: fake.baseUrl,
    connect: (baseUrl) => ({ account: createResendAccount({ ...FAST, baseUrl }) }),
    settings: ({ url, requestsPerSecond }) => ({
      ...{ RESEND_API_KEY: FAKE_KEY, RESEND_URL: url },
      RESEND_REQUESTS_PER_SECOND: String(requestsPerSecond),
    }),
    credential: FAKE_KEY,
    whole: { accounts: 0, webhooks: 0, domains: 1, 'api-keys': 1, emails: 1 },
    zones: amazonZones('us-east-1'),
    held: ({ mark, domain, recipient }) =>
      Promise.resolve({
        ...{ accounts: 0, webhooks: 0 },
        domains: fake.domains.filter(({ name }) => name === domain).length,
        'api-keys': fake.keys.filter(({ name }) => name === mark).length,
        emails: fake.emails.filter(({ to }) => to === recipient).length,
      }),
    fake: {
      setDomainStatus(domain, status) {
        const found = fake.domains.find(({ name }) => name === domain);
        if (found !== undefined) found.status = status;
      },
      deleteDomain: (domain) => void removed(fake.domains, 'name', domain),
      verifications: () => fake.count(/^POST .*verify$/),
      revokeKeys: (mark) => void removed(fake.keys, 'name', mark),
    },
    close: fake.close,
  };
}
