import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startDnsServer } from '../../../src/dev/world/dns-server.ts';
import type { DnsServer } from '../../../src/dev/world/dns-server.ts';
import { publishForTenant } from '../../../src/dev/world/publish-for-tenant.ts';
import { WORLD_ZONES } from '../../../src/dev/world/start-world.ts';
import type { ZoneRecord } from '../../../src/dev/world/zone-record.ts';
import { openZoneStore } from '../../../src/dev/world/zone-store.ts';
import { createAuthoritativeResolver } from '../../../src/lib/dns/resolver/authoritative-resolver.ts';
import type { DomainCheck } from '../../../src/lib/dns/domain-check.ts';
import type { ExpectedRecord } from '../../../src/lib/dns/expected-record.ts';
import { checkRecords } from '../../../src/lib/dns/check-records.ts';

const spf = { type: 'TXT', name: 'bounce.globex.test', value: 'v=spf1 ip4:127.0.0.1 -all' } as const;
const returnPath = { type: 'MX', name: 'bounce.globex.test', value: '10 mx.globex.test' } as const;
const expected: readonly ExpectedRecord[] = [
  { purpose: 'spf', required: true, ...spf },
  { purpose: 'return_path', required: true, ...returnPath },
];

let folder: string;
let file: string;
let dns: DnsServer;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'publish-for-tenant-'));
  file = join(folder, 'zone.json');
  dns = await startDnsServer({ zones: WORLD_ZONES, file });
});

afterEach(async () => {
  await dns.stop();
  await rm(folder, { recursive: true });
});

/** As `sendoff publish` does, beside the server that reads the file. */
function publish(domain: string, ...records: readonly ZoneRecord[]): void {
  publishForTenant(openZoneStore(WORLD_ZONES, file), domain, records);
}

async function published(): Promise<readonly string[]> {
  const records = JSON.parse(await readFile(file, 'utf8')) as readonly ZoneRecord[];
  return records.map(({ type, name }) => `${type} ${name}`);
}

function look(): Promise<DomainCheck> {
  const resolver = createAuthoritativeResolver({ mayAsk: () => true, resolvers: [dns.address], port: dns.port });
  return checkRecords(resolver, 'globex.test', expected);
}

test('a tenant’s domain gets a zone of its own, in which its records are found', async () => {
  publish('globex.test', spf, returnPath);
  expect(await look()).toMatchObject({ zone: 'globex.test', verified: true });
});

test('a doubled host is found there', async () => {
  publish('globex.test', { ...spf, name: `${spf.name}.globex.test` }, returnPath);
  const { records } = await look();
  expect(records[0]).toMatchObject({
    status: 'missing',
    findings: [{ code: 'host_doubled', name: 'bounce.globex.test.globex.test' }],
  });
});

test('a subdomain’s records are published in the zone of the registered domain', async () => {
  const zone = ['SOA globex.test', 'NS globex.test', 'A ns1.globex.test'];
  publish('mail.globex.test', { ...spf, name: 'bounce.mail.globex.test' });
  expect(await published()).toEqual([...zone, 'TXT bounce.mail.globex.test']);
});

test('published again, nothing is doubled', async () => {
  publish('globex.test', spf);
  publish('globex.test', spf);
  const zone = ['SOA globex.test', 'NS globex.test', 'A ns1.globex.test'];
  expect(await published()).toEqual([...zone, 'TXT bounce.globex.test']);
});

test('a domain that is a zone already stays as it is', async () => {
  publish('Acme.test', { ...spf, name: 'bounce.acme.test' });
  expect(await published()).toEqual(['TXT bounce.acme.test']);
});
