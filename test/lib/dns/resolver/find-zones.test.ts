import { afterEach, expect, test } from 'vitest';
import { createAuthoritativeResolver } from '../../../../src/lib/dns/resolver/authoritative-resolver.ts';
import { findZones } from '../../../../src/lib/dns/resolver/find-zones.ts';
import { delegation, startNameServers, zoneAt, type NameServers } from '../name-servers.ts';

let servers: NameServers | undefined;
afterEach(async () => {
  await servers?.stop();
  servers = undefined;
});

const names = ['k1._domainkey.mail.acme.test', 'bounce.mail.acme.test', 'bounce.mail.acme.test', 'bounce.gone.test'];

function find({ port, recursive }: NameServers, withinMs: number): Promise<ReadonlyMap<string, string>> {
  return findZones(
    createAuthoritativeResolver({ mayAsk: () => true, resolvers: [recursive.address], port, timeoutMs: 5_000 }),
    names,
    withinMs,
  );
}

test('finds the zone of each name by its SOA record, not by its labels', async () => {
  servers = await startNameServers(delegation('acme.test', '127.0.0.3'));
  await servers.add('127.0.0.3', [
    ...zoneAt('acme.test', '127.0.0.3'),
    ...delegation('_domainkey.mail.acme.test', '127.0.0.4'),
  ]);
  await servers.add('127.0.0.4', zoneAt('_domainkey.mail.acme.test', '127.0.0.4'));
  expect(Object.fromEntries(await find(servers, 5_000))).toEqual({
    'k1._domainkey.mail.acme.test': '_domainkey.mail.acme.test',
    'bounce.mail.acme.test': 'acme.test',
    'bounce.gone.test': 'test',
  });
});

test('returns the zones found so far when a name server stays silent', async () => {
  servers = await startNameServers(delegation('acme.test', '127.0.0.3'));
  await servers.script('127.0.0.3', () => undefined);
  const startedAt = performance.now();
  expect(Object.fromEntries(await find(servers, 300))).toEqual({ 'bounce.gone.test': 'test' });
  expect(performance.now() - startedAt).toBeLessThan(4_500);
});
