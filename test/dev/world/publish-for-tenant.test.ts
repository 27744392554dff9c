import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { dnsMistakeNames, type DnsMistake } from '../../../src/dev/world/dns-mistake-names.ts';
import { dnsMistakes } from '../../../src/dev/world/dns-mistakes.ts';
import { startDnsServer, type DnsServer } from '../../../src/dev/world/dns-server.ts';
import { publishForTenant } from '../../../src/dev/world/publish-for-tenant.ts';
import { WORLD_ZONES } from '../../../src/dev/world/world-zones.ts';
import type { ZoneRecord } from '../../../src/dev/world/zone-record.ts';
import { openZoneStore } from '../../../src/dev/world/zone-store.ts';
import { createAuthoritativeResolver } from '../../../src/lib/dns/resolver/authoritative-resolver.ts';
import type { DomainCheck } from '../../../src/lib/dns/domain-check.ts';
import type { ExpectedRecord } from '../../../src/lib/dns/expected-record.ts';
import { checkRecords } from '../../../src/lib/dns/check-records.ts';
import { recordsOf } from '../../lib/dns/collected.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let file: string;
let dns: DnsServer;

beforeEach(async () => {
  file = join(temporaryFolder(), 'zone.json');
  dns = await startDnsServer({ zones: WORLD_ZONES, file });
});

afterEach(() => dns.stop());

const shownTo = (domain: string): readonly ExpectedRecord[] => Object.values(recordsOf(domain));

/** As `sendoff publish` does, beside the server that reads the file. */
function publish(tenantId: string, domain: string, mistake?: DnsMistake): readonly ZoneRecord[] {
  const store = openZoneStore(WORLD_ZONES, file);
  return publishForTenant(store, { tenantId, domain, records: shownTo(domain), mistake });
}

async function published(): Promise<readonly string[]> {
  const records = JSON.parse(await readFile(file, 'utf8')) as readonly ZoneRecord[];
  return records.map(({ type, name }) => `${type} ${name}`);
}

function check(domain: string): Promise<DomainCheck> {
  const resolver = createAuthoritativeResolver({ mayAsk: () => true, resolvers: [dns.address], port: dns.port });
  return checkRecords(resolver, domain, shownTo(domain));
}

/** `code@name`, of the required records. */
const findingsOf = ({ records }: DomainCheck): readonly string[] =>
  records.slice(0, 2).flatMap(({ findings }) => findings.map(({ code, name }) => `${code}@${name}`));

test('a domain of a tenant gets a zone, in which its records are found', async () => {
  publish('globex', 'globex.test');
  expect(await check('globex.test')).toMatchObject({ zone: 'globex.test', verified: true });
});

describe.each(['globex.test', 'mail.globex.test'])('the mistakes of the tenant of %s', (domain) => {
  const inTheWay = (code: string, ...names: readonly string[]): readonly string[] =>
    names.map((name) => `${code}@${name}`);
  const [dkim, spf] = [`k1._domainkey.${domain}`, `bounce.${domain}`];
  const expected: Readonly<Record<DnsMistake, readonly string[]>> = {
    not_published: inTheWay('not_published', dkim, spf),
    host_doubled: inTheWay('host_doubled', `${dkim}.globex.test`, `${spf}.globex.test`),
    host_left_out: inTheWay('host_left_out', domain, domain),
    spf_at_domain: inTheWay('host_left_out', domain),
    value_quoted: inTheWay('value_quoted', dkim, spf),
    value_truncated: inTheWay('value_truncated', dkim),
    split_into_records: inTheWay('split_into_records', dkim),
    key_mismatch: inTheWay('key_mismatch', dkim),
    spf_missing_mechanism: inTheWay('spf_missing_mechanism', spf),
    server_failure: inTheWay('server_failure', dkim, spf),
  };

  test.each(dnsMistakeNames)('%s is found by the check as that, and corrected', async (mistake) => {
    publish('globex', domain, mistake);
    const wrong = await check(domain);
    expect(wrong.verified).toBe(false);
    expect(findingsOf(wrong)).toEqual(expected[mistake]);
    expect(new Set(findingsOf(wrong).map((finding) => finding.split('@')[0]))).toEqual(
      new Set([dnsMistakes[mistake].finding]),
    );
    expect(wrong.conclusive).toBe(mistake !== 'server_failure');

    publish('globex', domain);
    expect(await check(domain)).toMatchObject({
      verified: true,
      records: [{ findings: [] }, { findings: [] }, {}, {}],
    });
  });
});

test('the records of a subdomain are published in the zone of the registered domain', async () => {
  publish('globex', 'mail.globex.test');
  expect(await published()).toEqual([
    'SOA globex.test',
    'NS globex.test',
    'A ns1.globex.test',
    'TXT k1._domainkey.mail.globex.test',
    'TXT bounce.mail.globex.test',
    'MX bounce.mail.globex.test',
    'TXT _dmarc.mail.globex.test',
  ]);
});

test('a second publication doubles nothing', async () => {
  publish('globex', 'globex.test');
  const once = await published();
  publish('globex', 'globex.test');
  expect(await published()).toEqual(once);
});

test('a correction leaves the records of other tenants of the domain', async () => {
  publish('mail', 'mail.globex.test');
  publish('globex', 'globex.test', 'host_left_out');
  publish('globex', 'globex.test');
  expect(await check('mail.globex.test')).toMatchObject({ verified: true });
});

test('the zone of a domain that has one stays as it is', async () => {
  publish('acme', 'Acme.test');
  expect((await published()).filter((record) => !/^(?:TXT|MX)/.test(record))).toEqual([]);
});
