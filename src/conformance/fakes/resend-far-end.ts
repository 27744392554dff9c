import { createResendAccount } from '../../email-provider/adapters/resend/resend-account.ts';
import type { ZoneRecord } from '../../dev/world/zone-record.ts';
import { worldZones } from '../../dev/world/world-zones.ts';
import type { FakeFarEnd } from '../far-end.ts';
import { FAKE_KEY, startFakeResend } from './fake-resend.ts';
import { removed } from './serve-fake.ts';

const REQUESTS_PER_SECOND = 1_000;

/** As Resend's own test addresses are named. */
const endings = { delivered: 'delivered', bounced: 'bounced', suppressed: 'suppressed', deferred: 'deferred' } as const;

export async function resendFake(): Promise<FakeFarEnd> {
  const published = new Set<string>();
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
    connect: (baseUrl) => ({
      account: createResendAccount({ apiKey: FAKE_KEY, baseUrl, requestsPerSecond: REQUESTS_PER_SECOND }),
    }),
    settings: ({ url, requestsPerSecond }) => ({
      ...{ RESEND_API_KEY: FAKE_KEY, RESEND_URL: url },
      RESEND_REQUESTS_PER_SECOND: String(requestsPerSecond),
    }),
    credential: FAKE_KEY,
    whole: { accounts: 0, webhooks: 0, domains: 1, keys: 1, emails: 1 },
    zones: zonesOfResend,
    recipient: (label, ending) => `${endings[ending]}+${label}@resend.test`,
    onPublished: (domain) => void published.add(domain),
    held: ({ mark, domain, recipient }) =>
      Promise.resolve({
        ...{ accounts: 0, webhooks: 0 },
        domains: fake.domains.filter(({ name }) => name === domain).length,
        keys: fake.keys.filter(({ name }) => name === mark).length,
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

/** What the records at Resend refer to. */
const zonesOfResend: readonly ZoneRecord[] = [
  ...worldZones({ tenant: 'amazonses.com', recipient: 'amazonses.com' }),
  { name: 'amazonses.com', type: 'TXT', value: 'v=spf1 ip4:199.255.192.0/22 -all' },
  { name: 'feedback-smtp.us-east-1.amazonses.com', type: 'A', value: '127.0.0.1' },
];
