import { expect, test } from 'vitest';
import { startDnsServer } from '../../../src/dev/world/dns-server.ts';
import { worldZones } from '../../../src/dev/world/world-zones.ts';
import { createAuthoritativeResolver } from '../../../src/lib/dns/resolver/authoritative-resolver.ts';
import type { ExpectedRecord } from '../../../src/lib/dns/expected-record.ts';
import { checkRecords } from '../../../src/lib/dns/check-records.ts';

const expected: readonly ExpectedRecord[] = [
  { purpose: 'spf', type: 'TXT', name: 'bounce.acme.test', value: 'v=spf1 ip4:127.0.0.1 -all', required: true },
  { purpose: 'return_path', type: 'MX', name: 'bounce.acme.test', value: '10 mx.acme.test', required: true },
];

test('one server is resolver, top-level domain and the tenant’s zone at once', async () => {
  const dns = await startDnsServer({ zones: worldZones({ tenant: 'acme.test', recipient: 'inbox.test' }) });
  try {
    const resolver = createAuthoritativeResolver({ mayAsk: () => true, resolvers: [dns.address], port: dns.port });
    const look = () => checkRecords(resolver, 'acme.test', expected);

    expect(await look()).toMatchObject({ zone: 'acme.test', verified: false, conclusive: true });
    dns.publish(expected);
    expect(await look()).toMatchObject({ zone: 'acme.test', verified: true });
    dns.withdraw('bounce.acme.test', 'MX');
    expect((await look()).records.map(({ status }) => status)).toEqual(['found', 'missing']);
  } finally {
    await dns.stop();
  }
});

test('a domain that a tenant has not published anything in is registered, but has no records', async () => {
  const dns = await startDnsServer({
    zones: worldZones({ tenant: 'acme.test', recipient: 'inbox.test' }),
    registersAll: true,
  });
  try {
    const resolver = createAuthoritativeResolver({ mayAsk: () => true, resolvers: [dns.address], port: dns.port });
    const ofGlobex = expected.map((record) => ({ ...record, name: 'bounce.mail.globex.test' }));
    const { zone, records } = await checkRecords(resolver, 'mail.globex.test', ofGlobex);
    expect(zone).toBe('globex.test');
    expect(records.flatMap(({ findings }) => findings.map(({ code }) => code))).toEqual([
      'not_published',
      'not_published',
    ]);
  } finally {
    await dns.stop();
  }
});
