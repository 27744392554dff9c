import type { DnsServer } from '../../../src/dev/world/dns-server.ts';
import type { BackgroundOptions, BackgroundSettings } from '../../../src/email-service/background/background.ts';
import { createAuthoritativeResolver } from '../../../src/lib/dns/resolver/authoritative-resolver.ts';
import { defaultRetention } from './default-retention.ts';
import type { TestStore } from './test-store.ts';
import { UNLIMITED } from './unlimited.ts';

export interface BackgroundWorld {
  readonly dns: Pick<DnsServer, 'address' | 'port'>;
  /** Of the mail server of every recipient. */
  readonly smtpPort: number;
}

/** What tests set for a background that may ask and connect to this machine. */
export const backgroundSettings = ({ dns, smtpPort }: BackgroundWorld): BackgroundSettings => ({
  hostname: 'mail.sendoff.test',
  smtpPort,
  smtpRelayUrl: undefined,
  allowPrivateAddresses: true,
  blockedNetworks: [],
  dnsResolvers: [dns.address],
  retention: defaultRetention,
  pauseBounceRate: 0.1,
  sendingLimits: UNLIMITED,
  release: { version: undefined, heldPatches: [] },
});

/** A background with Workers, without its Temporal server and its log. */
export const backgroundOptions = (
  { store, sealer, databaseUrl }: Pick<TestStore, 'store' | 'sealer' | 'databaseUrl'>,
  world: BackgroundWorld,
): Omit<BackgroundOptions, 'temporal' | 'logger'> => ({
  store,
  sealer,
  databaseUrl,
  settings: backgroundSettings(world),
  resolver: createAuthoritativeResolver({
    mayAsk: () => true,
    resolvers: [world.dns.address],
    port: world.dns.port,
  }),
  now: () => new Date(),
  runsWorkers: true,
});
