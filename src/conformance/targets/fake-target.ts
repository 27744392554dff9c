import { type DnsServer, startDnsServer } from '../../dev/world/dns-server.ts';
import { WORLD_ZONES } from '../../dev/world/world-zones.ts';
import { toZoneRecords } from '../../dev/world/zone-record.ts';
import { checkRecords } from '../../lib/dns/check-records.ts';
import { createAuthoritativeResolver } from '../../lib/dns/resolver/authoritative-resolver.ts';
import type { ProviderName } from '../../onboarding/provider-name.ts';
import { openTogether } from '../../lib/closers.ts';
import { postmarkFake } from '../fakes/postmark-far-end.ts';
import { resendFake } from '../fakes/resend-far-end.ts';
import { sesFake } from '../fakes/ses-far-end.ts';
import type { FakeFarEnd, FarEnd } from '../far-end.ts';

/** Each is given the domains whose records are published. */
const fakes: Readonly<Record<ProviderName, (published: Set<string>) => Promise<FakeFarEnd>>> = {
  resend: resendFake,
  postmark: postmarkFake,
  ses: sesFake,
};

/** For Workers of their own, too: `settings` are those of a Worker. */
export type OpenedFake = FarEnd & Pick<FakeFarEnd, 'settings'> & { readonly dns: DnsServer };

export const openFake = (provider: ProviderName): Promise<OpenedFake> =>
  openTogether(async (closers) => {
    const published = new Set<string>();
    const fake = await fakes[provider](published);
    closers.add(() => fake.close());
    const dns = await startDnsServer({ zones: [...WORLD_ZONES, ...fake.zones], registersAll: true });
    closers.add(() => dns.stop());
    const resolver = createAuthoritativeResolver({ resolvers: [dns.address], port: dns.port, mayAsk: () => true });
    return {
      ...fake,
      kind: 'fake',
      dns,
      checkRecords: (domain, expected) => checkRecords(resolver, domain, expected),
      domain: (label) => `${label}.test`,
      recipient: (label, ending) => `${ending}+${label}@${provider}.test`,
      async publish(domain, records) {
        dns.publish(toZoneRecords(records));
        published.add(domain);
      },
      pause: () => fake.settled?.() ?? Promise.resolve(),
      close: closers.close,
    };
  });
