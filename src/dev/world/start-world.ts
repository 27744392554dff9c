import { openTogether } from '../../lib/closers.ts';
import type { DataFolder } from '../data-folder.ts';
import { type DnsServer, startDnsServer } from './dns-server.ts';
import { type MailReceiver, startMailReceiver } from './mail-receiver.ts';
import { worldZones } from './world-zones.ts';

/** Reserved for tests by RFC 2606: no name of the demo world is anybody's. */
export const TENANT_DOMAIN = 'acme.test';
export const RECIPIENT_DOMAIN = 'inbox.test';

/** What the name server knows before anybody publishes. */
export const WORLD_ZONES = worldZones({ tenant: TENANT_DOMAIN, recipient: RECIPIENT_DOMAIN });

/** In the data folder: what was published so far. */
export const ZONE_FILE = 'zone.json';

export interface World {
  readonly dns: DnsServer;
  readonly mail: MailReceiver;
  stop(): Promise<void>;
}

/** The world around sendoff, on loopback and kept in the data folder: name servers and a mailbox at its end. */
export const startWorld = (folder: Pick<DataFolder, 'inside'>): Promise<World> =>
  openTogether(async (closers) => {
    const dns = await startDnsServer({
      zones: WORLD_ZONES,
      file: folder.inside(ZONE_FILE),
    });
    closers.add(() => dns.stop());
    const mail = await startMailReceiver({
      resolvers: [dns.address],
      hostname: `mx.${RECIPIENT_DOMAIN}`,
      folder: folder.inside('mail'),
    });
    closers.add(() => mail.stop());
    return { dns, mail, stop: closers.close };
  });
