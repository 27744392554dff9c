import { AUTHORITATIVE_ANSWER, type Answer, type DecodedPacket, type Packet } from 'dns-packet';
import { describe, expect, test } from 'vitest';
import { toAnswer } from '../../../src/dev/world/zone-answer.ts';
import type { ZoneRecord } from '../../../src/dev/world/zone-record.ts';
import type { DomainCheck } from '../../../src/lib/dns/domain-check.ts';
import type { ExpectedRecord } from '../../../src/lib/dns/expected-record.ts';
import { checkRecords } from '../../../src/lib/dns/check-records.ts';
import { recordsOf } from './collected.ts';
import { delegation, startNameServers, zoneAt, type NameServers } from './name-servers.ts';

const acme = recordsOf('acme.test');
const { dkim, spf } = acme;
const expected = Object.values(acme);

/** The only server of acme.test has these records. */
async function world(...records: readonly ZoneRecord[]): Promise<NameServers> {
  const servers = await startNameServers(delegation('acme.test', '127.0.0.3'));
  await servers.serve('acme.test', '127.0.0.3', ...records);
  return servers;
}

/** The only server of acme.test answers so. */
async function worldThat(answers: (query: DecodedPacket) => Packet | undefined): Promise<NameServers> {
  const servers = await startNameServers(delegation('acme.test', '127.0.0.3'));
  await servers.script('127.0.0.3', answers);
  return servers;
}

const check = (servers: NameServers, records = expected, domain = 'acme.test'): Promise<DomainCheck> =>
  checkRecords(servers.resolver({ timeoutMs: 500 }), domain, records);

const asZone = ({ type, name, value }: ExpectedRecord): ZoneRecord => ({ type, name, value });

const codes = (check: DomainCheck): string[][] =>
  check.records.map((record) => record.findings.map(({ code, name }) => `${code} at ${name}`));

test('finds the records as shown, over TCP if truncated', async () => {
  const here = await world(...expected.map(asZone));
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
  const here = await world({ ...asZone(dkim), name: `${dkim.name}.acme.test` }, asZone(spf));
  const seen = await check(here);
  expect(seen.verified).toBe(false);
  expect(codes(seen)[0]).toEqual(['host_doubled at k1._domainkey.acme.test.acme.test']);
});

test('asks for no other name when the record is right', async () => {
  const servers = await startNameServers(delegation('acme.test', '127.0.0.3'));
  const server = await servers.serve('acme.test', '127.0.0.3', asZone(dkim));
  await check(servers, [dkim]);
  // Beside the servers that the zone names for itself.
  expect(new Set(server.queries.map(({ name, type }) => `${type} ${name}`))).toEqual(
    new Set([`TXT ${dkim.name}`, 'NS acme.test', `SOA ${dkim.name}`]),
  );
});

test('finds a record of a subdomain at the parent', async () => {
  const record: ExpectedRecord = { ...spf, name: 'bounce.mail.acme.test' };
  const here = await world({ type: 'TXT', name: 'bounce.acme.test', value: record.value });
  expect(codes(await check(here, [record], 'mail.acme.test'))).toEqual([['host_on_parent at bounce.acme.test']]);
});

test('reports an MX value in a TXT record as the wrong type', async () => {
  const here = await world({ type: 'TXT', name: acme.returnPath.name, value: acme.returnPath.value });
  expect((await check(here)).records[2]).toMatchObject({ status: 'wrong', findings: [{ code: 'wrong_type' }] });
});

test('reports no record as missing while no server answers', async () => {
  const seen = await check(await worldThat(() => undefined));
  expect(seen).toMatchObject({ verified: false, conclusive: false });
  expect(seen.records.map(({ status }) => status)).toEqual(expected.map(() => 'inconclusive'));
});

test('reports an unregistered domain', async () => {
  const seen = await check(await startNameServers([]));
  expect(seen).toMatchObject({ zone: null, verified: false, conclusive: true });
  expect(codes(seen)[0]).toEqual(['domain_unregistered at acme.test']);
});

describe('zones of one operator, whose name servers have addresses in another domain', () => {
  const HOSTS = { 'dns1.host.test': '127.0.0.3', 'dns2.host.test': '127.0.0.4' };
  const checkedBefore = (domain: string): ExpectedRecord[] =>
    Object.values(recordsOf(domain)).map((record) => ({ ...record, checkedSecondsAgo: 1 }));

  /** How many queries each server has had since the last call. */
  async function operated(...domains: readonly string[]) {
    const delegations = domains.flatMap((name) =>
      Object.keys(HOSTS).map((value) => ({ name, type: 'NS', value }) as const),
    );
    const here = await startNameServers(delegations);
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
    const resolver = here.resolver({ now: () => clock.time });
    return {
      ...{ here, clock, queries },
      checkOf: (domain: string) => checkRecords(resolver, domain, checkedBefore(domain)),
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
  const answering = (packet: Packet): Promise<NameServers> =>
    worldThat(() => ({ flags: AUTHORITATIVE_ANSWER, ...packet }));
  const text: Answer = { type: 'TXT', name: spf.name, ttl: 60, data: spf.value };

  test('a record that is there twice is one record', async () => {
    const here = await answering({ answers: [text, { ...text, ttl: 30 }] });
    expect((await check(here, [spf])).records).toMatchObject([{ status: 'found', findings: [] }]);
  });

  test('NXDOMAIN denies even the record in the same packet', async () => {
    const here = await answering({ flags: AUTHORITATIVE_ANSWER | 3, answers: [text] });
    expect((await check(here, [spf])).records).toMatchObject([{ status: 'missing' }]);
  });

  test('a DNAME record makes the CNAME record that the server left out', async () => {
    const here = await worldThat(({ questions }) => {
      const name = questions![0]!.name.toLowerCase();
      const isHere = name === `k1.keys.acme.test`;
      const redirection: Answer = { type: 'DNAME', name: '_domainkey.acme.test', ttl: 60, data: 'keys.acme.test' };
      const answers = isHere ? [toAnswer({ ...dkim, name })] : name === dkim.name ? [redirection] : [];
      return { flags: AUTHORITATIVE_ANSWER, answers };
    });
    expect((await check(here, [dkim])).records).toMatchObject([
      { status: 'found', findings: [{ code: 'dname_above' }] },
    ]);
  });
});

test('names the zone of a server that fails behind an alias, not the zone of the tenant', async () => {
  const here = await world({ type: 'CNAME', name: dkim.name, value: 'key.provider.test' });
  here.top.publish([...delegation('acme.test', '127.0.0.3'), ...delegation('provider.test', '127.0.0.4')]);
  await here.script('127.0.0.4', () => ({ flags: 5 }));
  const { records } = await check(here, [dkim]);
  expect(records[0]!.findings[0]!.fix).toContain('contact the operator of provider.test');
});

test('does not call a wildcard below the name a misplaced record', async () => {
  const here = await worldThat(({ questions }) => {
    const name = questions![0]!.name.toLowerCase();
    const isBelow = name.endsWith(`.${dkim.name}`);
    const exists = isBelow || dkim.name.endsWith(name);
    return {
      flags: AUTHORITATIVE_ANSWER | (exists ? 0 : 3),
      answers: isBelow ? [toAnswer({ ...dkim, name })] : [],
    };
  });
  const { records } = await check(here, [dkim]);
  expect(records[0]!.findings.map(({ code }) => code)).toEqual(['not_published']);
});
