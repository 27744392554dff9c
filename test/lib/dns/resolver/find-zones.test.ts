import { expect, test } from 'vitest';
import { findZones } from '../../../../src/lib/dns/resolver/find-zones.ts';
import { delegation, startNameServers, type NameServers } from '../name-servers.ts';

const names = ['k1._domainkey.mail.acme.test', 'bounce.mail.acme.test', 'bounce.mail.acme.test', 'bounce.gone.test'];

const find = (servers: NameServers, withinMs: number): Promise<ReadonlyMap<string, string>> =>
  findZones(servers.resolver({ timeoutMs: 5_000 }), names, withinMs);

test('finds the zone of each name by its SOA record, not by its labels', async () => {
  const servers = await startNameServers(delegation('acme.test', '127.0.0.3'));
  await servers.serve('acme.test', '127.0.0.3', ...delegation('_domainkey.mail.acme.test', '127.0.0.4'));
  await servers.serve('_domainkey.mail.acme.test', '127.0.0.4');
  expect(Object.fromEntries(await find(servers, 5_000))).toEqual({
    'k1._domainkey.mail.acme.test': '_domainkey.mail.acme.test',
    'bounce.mail.acme.test': 'acme.test',
    'bounce.gone.test': 'test',
  });
});

test('returns the zones found so far when a name server stays silent', async () => {
  const servers = await startNameServers(delegation('acme.test', '127.0.0.3'));
  await servers.script('127.0.0.3', () => undefined);
  const startedAt = performance.now();
  expect(Object.fromEntries(await find(servers, 300))).toEqual({ 'bounce.gone.test': 'test' });
  expect(performance.now() - startedAt).toBeLessThan(4_500);
});
