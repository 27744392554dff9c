import { createPostmarkAccount } from '../../email-provider/adapters/postmark/postmark-account.ts';
import { worldZones } from '../../dev/world/world-zones.ts';
import type { FakeFarEnd } from '../far-end.ts';
import { FAKE_ACCOUNT_TOKEN, FAST_POSTMARK, startFakePostmark } from './fake-postmark.ts';
import { removed } from './serve-fake.ts';

const endings: Readonly<Record<string, string>> = { delivered: 'Delivered', bounced: 'HardBounce' };

export async function postmarkFake(published: ReadonlySet<string>): Promise<FakeFarEnd> {
  const deferred = new Set<string>();
  const fake = await startFakePostmark({
    isPublished: (domain) => published.has(domain),
    isSuppressed: (recipient) => recipient.startsWith('suppressed+'),
    ending(recipient) {
      const [ending = ''] = recipient.split('+');
      if (ending !== 'deferred' || deferred.has(recipient)) return endings[ending] ?? 'Delivered';
      deferred.add(recipient);
      return 'Transient';
    },
  });
  const serversOf = (mark: string) => fake.servers.filter(({ name }) => name === mark);
  return {
    provider: 'postmark',
    url: fake.baseUrl,
    connect: (baseUrl) => ({ account: createPostmarkAccount({ ...FAST_POSTMARK, baseUrl }) }),
    settings: ({ url, requestsPerSecond }) => ({
      ...{ POSTMARK_ACCOUNT_TOKEN: FAKE_ACCOUNT_TOKEN, POSTMARK_URL: url },
      POSTMARK_REQUESTS_PER_SECOND: String(requestsPerSecond),
    }),
    credential: FAKE_ACCOUNT_TOKEN,
    whole: { accounts: 1, webhooks: 1, domains: 1, 'api-keys': 0, emails: 1 },
    zones: [
      ...worldZones({ tenant: 'mtasv.net', recipient: 'mtasv.net' }),
      { name: 'pm.mtasv.net', type: 'A', value: '127.0.0.1' },
    ],
    held: ({ mark, domain, recipient }) => {
      const servers = serversOf(mark).map(({ id }) => id);
      return Promise.resolve({
        accounts: servers.length,
        webhooks: fake.webhooks.filter(({ server }) => servers.includes(server)).length,
        domains: fake.domains.filter(({ name }) => name === domain).length,
        'api-keys': 0,
        emails: fake.emails.filter(({ to }) => to === recipient).length,
      });
    },
    fake: {
      setDomainStatus(domain) {
        const found = fake.domains.find(({ name }) => name === domain);
        if (found !== undefined) Object.assign(found, { isSigned: false, isReturnPathVerified: false });
      },
      deleteDomain: (domain) => void removed(fake.domains, 'name', domain),
      refusesUnverifiedSender: true,
    },
    close: fake.close,
  };
}
