import { AUTHORITATIVE_ANSWER, type Answer, type Packet } from 'dns-packet';
import { afterEach, describe, expect, test } from 'vitest';
import type { ZoneRecord } from '../../../src/dev/world/zone-record.ts';
import { createAuthoritativeResolver } from '../../../src/lib/dns/resolver/authoritative-resolver.ts';
import type { DomainCheck } from '../../../src/lib/dns/domain-check.ts';
import type { ExpectedRecord } from '../../../src/lib/dns/expected-record.ts';
import { checkRecords } from '../../../src/lib/dns/check-records.ts';
import { KEY } from './collected.ts';
import { delegation, startNameServers, zoneAt, type NameServers } from './name-servers.ts';

const expected: readonly ExpectedRecord[] = [
  { purpose: 'dkim', type: 'TXT', name: 'k1._domainkey.acme.test', value: `v=DKIM1; k=rsa; p=${KEY}`, required: true },
  { purpose: 'spf', type: 'TXT', name: 'bounce.acme.test', value: 'v=spf1 ip4:127.0.0.1 -all', required: true },
  { purpose: 'return_path', type: 'MX', name: 'bounce.acme.test', value: '10 mx.sendoff.test', required: false },
  { purpose: 'dmarc', type: 'TXT', name: '_dmarc.acme.test', value: 'v=DMARC1; p=none', required: false },
];

let servers: NameServers | undefined;
afterEach(async () => {
  await servers?.stop();
  servers = undefined;
});

async function world(...records: readonly ZoneRecord[]): Promise<NameServers> {
  servers = await startNameServers(delegation('acme.test', '127.0.0.3'));
  await servers.add('127.0.0.3', [...zoneAt('acme.test', '127.0.0.3'), ...records]);
  return servers;
}

async function check({ port, recursive }: NameServers, records = expected, domain = 'acme.test'): Promise<DomainCheck> {
  const resolver = createAuthoritativeResolver({
    mayAsk: () => true,
    resolvers: [recursive.address],
    port,
    timeoutMs: 500,
  });
  return checkRecords(resolver, domain, records);
}

const codes = (check: DomainCheck): string[][] =>
  check.records.map((record) => record.findings.map(({ code, name }) => `${code} at ${name}`));

test('finds the records as shown, over TCP if truncated', async () => {
  const here = await world(...expected.map(({ type, name, value }) => ({ type, name, value })));
  expect(await check(here)).toMatchObject({
    zone: 'acme.test',
    verified: true,
    conclusive: true,
    records: expected.map(({ purpose }) => ({ purpose, status: 'found', findings: [] })),
  });
});

test('reports all records of an empty zone as missing, and asks no recursive resolver about them', async () => {
  const here = await world();
  const seen = await check(here);
  expect(seen).toMatchObject({ verified: false, conclusive: true });
  expect(codes(seen)).toEqual(expected.map(({ name }) => [`not_published at ${name}`]));
  expect(new Set(here.recursive.queries.map(({ name }) => name))).toEqual(new Set(['test']));
});

test('finds a record at a doubled name', async () => {
  const [dkim, spf] = expected;
  const here = await world(
    { type: 'TXT', name: `${dkim!.name}.acme.test`, value: dkim!.value },
    { type: 'TXT', name: spf!.name, value: spf!.value },
  );
  const seen = await check(here);
  expect(seen.verified).toBe(false);
  expect(codes(seen)[0]).toEqual(['host_doubled at k1._domainkey.acme.test.acme.test']);
});

test('asks for no other name when the record is right', async () => {
  const [dkim] = expected;
  servers = await startNameServers(delegation('acme.test', '127.0.0.3'));
  const zone = [...zoneAt('acme.test', '127.0.0.3'), { type: 'TXT', name: dkim!.name, value: dkim!.value } as const];
  const server = await servers.add('127.0.0.3', zone);
  await check(servers, [dkim!]);
  // Beside the servers that the zone names for itself.
  expect(new Set(server.queries.map(({ name, type }) => `${type} ${name}`))).toEqual(
    new Set([`TXT ${dkim!.name}`, 'NS acme.test', 'SOA ' + dkim!.name]),
  );
});

test('finds a record of a subdomain at the parent', async () => {
  const record: ExpectedRecord = { ...expected[1]!, name: 'bounce.mail.acme.test' };
  const here = await world({ type: 'TXT', name: 'bounce.acme.test', value: record.value });
  expect(codes(await check(here, [record], 'mail.acme.test'))).toEqual([['host_on_parent at bounce.acme.test']]);
});

test('reports an MX value in a TXT record as the wrong type', async () => {
  const here = await world({ type: 'TXT', name: 'bounce.acme.test', value: '10 mx.sendoff.test' });
  expect((await check(here)).records[2]).toMatchObject({ status: 'wrong', findings: [{ code: 'wrong_type' }] });
});

test('reports no record as missing while no server answers', async () => {
  servers = await startNameServers(delegation('acme.test', '127.0.0.3'));
  await servers.script('127.0.0.3', () => undefined);
  const seen = await check(servers);
  expect(seen).toMatchObject({ verified: false, conclusive: false });
  expect(seen.records.map(({ status }) => status)).toEqual(expected.map(() => 'inconclusive'));
});

test('reports an unregistered domain', async () => {
  servers = await startNameServers([]);
  const seen = await check(servers);
  expect(seen).toMatchObject({ zone: undefined, verified: false, conclusive: true });
  expect(codes(seen)[0]).toEqual(['domain_unregistered at acme.test']);
});

describe('zones of one operator, whose name servers have addresses in another domain', () => {
  const HOSTS = { 'dns1.host.test': '127.0.0.3', 'dns2.host.test': '127.0.0.4' };
  const recordsOf = (domain: string): ExpectedRecord[] =>
    expected.map((record) => ({
      ...record,
      name: record.name.replace('acme.test', domain),
      checkedSecondsAgo: 1,
    }));

  /** How many queries each server has had since the last call. */
  async function operated(...domains: readonly string[]) {
    const delegations = domains.flatMap((name) =>
      Object.keys(HOSTS).map((value) => ({ name, type: 'NS', value }) as const),
    );
    const here = await startNameServers(delegations);
    servers = here;
    here.recursive.publish(Object.entries(HOSTS).map(([name, value]) => ({ name, type: 'A', value, ttlSeconds: 300 })));
    const zones = [...domains.flatMap((domain) => zoneAt(domain)), ...delegations];
    const [first, second] = [await here.add('127.0.0.3', zones), await here.add('127.0.0.4', zones)];
    const asked = { recursive: here.recursive, top: here.top, first, second };
    const before = new Map<string, number>();
    const queries = () =>
      Object.fromEntries(
        Object.entries(asked).map(([name, { queries: all }]) => {
          const count = all.length - (before.get(name) ?? 0);
          before.set(name, all.length);
          return [name, count];
        }),
      );
    const clock = { time: Date.now() };
    const resolver = createAuthoritativeResolver({
      ...{ mayAsk: () => true, resolvers: [here.recursive.address], port: here.port, now: () => clock.time },
    });
    return {
      here,
      clock,
      queries,
      resolver,
      checkOf: (domain: string) => checkRecords(resolver, domain, recordsOf(domain)),
    };
  }

  test('a check asks for the way to a zone with its first questions only, and the next check for no address', async () => {
    const { checkOf, queries } = await operated('acme.test', 'globex.test');
    expect((await checkOf('acme.test')).conclusive).toBe(true);
    // The four records begin together: each asks for the way, for the address of both hosts twice, and once for
    // the one that they lack.
    // One question of each server is for the servers that the zone names. The first is searched for misplaced records.
    // The server of `test` is asked for its DMARC policy.
    expect(queries()).toEqual({ recursive: 4 * (1 + 6), top: 5, first: 65, second: 5 });
    expect((await checkOf('globex.test')).conclusive).toBe(true);
    expect(queries()).toEqual({ recursive: 0, top: 5, first: 65, second: 5 });
  });

  test('a published record and a new delegation are seen by the next check', async () => {
    const { here, checkOf } = await operated('acme.test');
    const statuses = async () => (await checkOf('acme.test')).records.map(({ status }) => status);
    expect(await statuses()).toEqual(expected.map(() => 'missing'));
    await here.add('127.0.0.5', [...zoneAt('acme.test'), ...expected]);
    here.recursive.publish([{ name: 'dns.other.test', type: 'A', value: '127.0.0.5' }]);
    here.top.withdraw('acme.test', 'NS');
    here.top.publish([{ name: 'acme.test', type: 'NS', value: 'dns.other.test' }]);
    expect(await statuses()).toEqual(expected.map(() => 'found'));
  });

  test('addresses are asked for again when their time to live is over', async () => {
    const { here, checkOf, clock } = await operated('acme.test');
    const asked = () => here.recursive.queries.filter(({ type }) => type === 'A').length;
    await checkOf('acme.test');
    const atFirst = asked();
    clock.time += 299_000;
    await checkOf('acme.test');
    expect(asked()).toBe(atFirst);
    clock.time += 2_000;
    await checkOf('acme.test');
    expect(asked()).toBeGreaterThan(atFirst);
  });
});

describe('answers as resolvers read them', () => {
  const [dkim, spf] = expected;

  async function answering(packet: Packet): Promise<NameServers> {
    servers = await startNameServers(delegation('acme.test', '127.0.0.3'));
    await servers.script('127.0.0.3', () => ({ flags: AUTHORITATIVE_ANSWER, ...packet }));
    return servers;
  }
  const text: Answer = { type: 'TXT', name: spf!.name, ttl: 60, data: spf!.value };

  test('a record that is there twice is one record', async () => {
    const here = await answering({ answers: [text, { ...text, ttl: 30 }] });
    expect((await check(here, [spf!])).records).toMatchObject([{ status: 'found', findings: [] }]);
  });

  test('NXDOMAIN denies even the record in the same packet', async () => {
    const here = await answering({ flags: AUTHORITATIVE_ANSWER | 3, answers: [text] });
    expect((await check(here, [spf!])).records).toMatchObject([{ status: 'missing' }]);
  });

  test('a DNAME record makes the CNAME record that the server left out', async () => {
    servers = await startNameServers(delegation('acme.test', '127.0.0.3'));
    await servers.script('127.0.0.3', ({ questions }) => {
      const name = questions![0]!.name.toLowerCase();
      const isHere = name === `k1.keys.acme.test`;
      const key: Answer = { type: 'TXT', name, ttl: 60, data: dkim!.value.match(/.{1,255}/g)! };
      const redirection: Answer = { type: 'DNAME', name: '_domainkey.acme.test', ttl: 60, data: 'keys.acme.test' };
      return { flags: AUTHORITATIVE_ANSWER, answers: isHere ? [key] : name === dkim!.name ? [redirection] : [] };
    });
    expect((await check(servers, [dkim!])).records).toMatchObject([
      { status: 'found', findings: [{ code: 'dname_above' }] },
    ]);
  });
});

test('names the zone of a server that fails behind an alias, not the zone of the tenant', async () => {
  const [dkim] = expected;
  const here = await world({ type: 'CNAME', name: dkim!.name, value: 'key.provider.test' });
  here.top.publish([...delegation('acme.test', '127.0.0.3'), ...delegation('provider.test', '127.0.0.4')]);
  await here.script('127.0.0.4', () => ({ flags: 5 }));
  const { records } = await check(here, [dkim!]);
  expect(records[0]!.findings[0]!.fix).toContain('contact the operator of provider.test');
});

test('does not call a wildcard below the name a misplaced record', async () => {
  const [dkim] = expected;
  servers = await startNameServers(delegation('acme.test', '127.0.0.3'));
  await servers.script('127.0.0.3', ({ questions }) => {
    const name = questions![0]!.name.toLowerCase();
    const key: Answer = { type: 'TXT', name, ttl: 60, data: dkim!.value.match(/.{1,255}/g)! };
    const isBelow = name.endsWith(`.${dkim!.name}`);
    const exists = isBelow || dkim!.name.endsWith(name);
    return { flags: AUTHORITATIVE_ANSWER | (exists ? 0 : 3), answers: isBelow ? [key] : [] };
  });
  const { records } = await check(servers, [dkim!]);
  expect(records[0]!.findings.map(({ code }) => code)).toEqual(['not_published']);
});
