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

const fakes: Readonly<Partial<Record<ProviderName, () => Promise<FakeFarEnd>>>> = {
  resend: resendFake,
  postmark: postmarkFake,
  ses: sesFake,
};

/** The providers that can be simulated. */
export const simulated = Object.keys(fakes) as ProviderName[];

/** For Workers of their own, too: `settings` are those of a Worker. */
export type OpenedFake = FarEnd & Pick<FakeFarEnd, 'settings'> & { readonly dns: DnsServer };

export const openFake = (provider: ProviderName): Promise<OpenedFake> =>
  openTogether(async (closers) => {
    const open = fakes[provider];
    if (open === undefined) throw new Error(`${provider} cannot be simulated`);
    const fake = await open();
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
      async publish(domain, records) {
        dns.publish(toZoneRecords(records));
        fake.onPublished(domain);
      },
      pause: () => fake.settled?.() ?? Promise.resolve(),
      close: closers.close,
    };
  });
