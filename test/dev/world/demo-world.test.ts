import { expect, onTestFinished, test } from 'vitest';
import { startDnsServer } from '../../../src/dev/world/dns-server.ts';
import { WORLD_ZONES } from '../../../src/dev/world/world-zones.ts';
import { createAuthoritativeResolver } from '../../../src/lib/dns/resolver/authoritative-resolver.ts';
import { checkRecords } from '../../../src/lib/dns/check-records.ts';
import { recordsOf } from '../../lib/dns/collected.ts';

async function startWorld(options: { registersAll?: boolean } = {}) {
  const dns = await startDnsServer({ zones: WORLD_ZONES, ...options });
  onTestFinished(() => dns.stop());
  const resolver = createAuthoritativeResolver({ mayAsk: () => true, resolvers: [dns.address], port: dns.port });
  return { dns, resolver };
}

const requiredOf = (domain: string) => {
  const { spf, returnPath } = recordsOf(domain);
  return [spf, { ...returnPath, required: true }];
};

test('one server is resolver, top-level domain and the tenant’s zone at once', async () => {
  const { dns, resolver } = await startWorld();
  const expected = requiredOf('acme.test');
  const look = () => checkRecords(resolver, 'acme.test', expected);

  expect(await look()).toMatchObject({ zone: 'acme.test', verified: false, conclusive: true });
  dns.publish(expected);
  expect(await look()).toMatchObject({ zone: 'acme.test', verified: true });
  dns.withdraw('bounce.acme.test', 'MX');
  expect((await look()).records.map(({ status }) => status)).toEqual(['found', 'missing']);
});

test('a domain that a tenant has not published anything in is registered, but has no records', async () => {
  const { resolver } = await startWorld({ registersAll: true });
  const { zone, records } = await checkRecords(resolver, 'mail.globex.test', requiredOf('mail.globex.test'));
  expect(zone).toBe('globex.test');
  expect(records.map(({ findings }) => findings.map(({ code }) => code))).toEqual([
    ['not_published'],
    ['not_published'],
  ]);
});
