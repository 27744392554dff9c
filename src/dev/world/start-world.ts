import { openTogether } from '../../lib/closers.ts';
import type { DataFolder } from '../data-folder.ts';
import { type DnsServer, startDnsServer } from './dns-server.ts';
import { type MailReceiver, startMailReceiver } from './mail-receiver.ts';
import { RECIPIENT_DOMAIN, WORLD_ZONES, ZONE_FILE } from './world-zones.ts';

export interface World {
  readonly dns: DnsServer;
  readonly mail: MailReceiver;
  stop(): Promise<void>;
}

/** The demo world: a DNS server and a mail server on loopback, which keep their data in the data folder. */
export const startWorld = (folder: Pick<DataFolder, 'inside'>): Promise<World> =>
  openTogether(async (closers) => {
    const dns = await startDnsServer({
      zones: WORLD_ZONES,
      file: folder.inside(ZONE_FILE),
      // An unregistered domain would be a mistake of each tenant that has not published anything.
      registersAll: true,
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
