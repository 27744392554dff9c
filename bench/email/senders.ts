import { waitUntil } from '../../src/lib/timing/wait-until.ts';
import { type DnsServer, startDnsServer } from '../../src/dev/world/dns-server.ts';
import { domainZone, RECIPIENT_DOMAIN, WORLD_ZONES } from '../../src/dev/world/world-zones.ts';
import { type ShownRecord, toZoneRecords } from '../../src/dev/world/zone-record.ts';
import type { Caller } from '../caller.ts';
import type { Bench } from '../scenario.ts';
import { createAccount, type EmailService } from './start-email-service.ts';

export interface Sender {
  readonly id: string;
  /** Of its account. */
  readonly caller: Caller;
}

const VERIFIED_WITHIN_MS = 60_000;

/** All have the same mail server. */
export const RECIPIENT_DOMAINS = ['one.test', 'two.test', 'three.test', 'four.test', 'five.test'];

export async function startMailDns({ closers }: Bench): Promise<DnsServer> {
  const zones = RECIPIENT_DOMAINS.flatMap((name) => [
    ...domainZone(name),
    { name, type: 'MX' as const, value: `10 mx.${RECIPIENT_DOMAIN}` },
  ]);
  const dns = await startDnsServer({ zones: [...WORLD_ZONES, ...zones], registersAll: true });
  closers.add(() => dns.stop());
  return dns;
}

/** One of each of several accounts, because an account may not take all of the service. */
export const createSenders = (
  bench: Bench,
  service: EmailService,
  dns: DnsServer,
  accounts = 5,
): Promise<readonly Sender[]> =>
  Promise.all(
    Array.from({ length: accounts }, async (_, index) => {
      const caller = await createAccount(bench, service, `account-${index}`);
      const name = `sender-${index}.test`;
      const domain = (await caller.post('/domains', { name })) as { id: string; records: ShownRecord[] };
      dns.publish([...domainZone(name), ...toZoneRecords(domain.records)]);
      await caller.post(`/domains/${domain.id}/verify`, {});
      const isVerified = async (): Promise<boolean> => {
        bench.signal.throwIfAborted();
        return ((await caller.get(`/domains/${domain.id}`)) as { status: string }).status === 'verified';
      };
      if (!(await waitUntil(isVerified, { timeoutMs: VERIFIED_WITHIN_MS }))) throw new Error(`${name} is not verified`);
      const { id } = (await caller.post('/senders', { from_address: `hello@${name}` })) as { id: string };
      return { id, caller };
    }),
  );
