import { AUTHORITATIVE_ANSWER } from 'dns-packet';
import { afterEach, describe, expect, test } from 'vitest';
import type { DnsAnswer } from '../../../../src/lib/dns/resolver/answer.ts';
import {
  createAuthoritativeResolver,
  type AuthoritativeResolver,
} from '../../../../src/lib/dns/resolver/authoritative-resolver.ts';
import { newKnownZones } from '../../../../src/lib/dns/resolver/walk.ts';
import { delegation, startNameServers, zoneAt, type NameServers } from '../name-servers.ts';
import type { ZoneRecord } from '../../../../src/dev/world/zone-record.ts';

const KEY_NAME = 'k1._domainkey.acme.test';
const key: ZoneRecord = { name: KEY_NAME, type: 'TXT', value: 'v=DKIM1; p=QUJD', ttlSeconds: 300 };

let servers: NameServers | undefined;
afterEach(async () => {
  await servers?.stop();
  servers = undefined;
});

async function acmeAt(...addresses: readonly string[]): Promise<NameServers> {
  servers = await startNameServers(delegation('acme.test', ...addresses));
  return servers;
}

function resolverFor({ port, recursive }: NameServers, timeoutMs = 1_000): AuthoritativeResolver {
  return createAuthoritativeResolver({ mayAsk: () => true, resolvers: [recursive.address], port, timeoutMs });
}

const kinds = (answers: readonly DnsAnswer[]): string[] =>
  answers.map((answer) => (answer.kind === 'serverFailure' ? answer.reason : answer.kind));

test('follows the referral of the top-level domain and takes the answer of the zone’s own server', async () => {
  const world = await acmeAt('127.0.0.3');
  await world.add('127.0.0.3', [...zoneAt('acme.test', '127.0.0.3'), key]);

  const { zone, answers } = await resolverFor(world).lookUp('K1._domainkey.ACME.test.', 'TXT');

  expect(zone).toBe('acme.test');
  expect(answers).toEqual([
    {
      kind: 'found',
      server: 'ns1.acme.test (127.0.0.3)',
      authoritative: true,
      aliases: [],
      values: ['v=DKIM1; p=QUJD'],
      ttlSeconds: 300,
    },
  ]);
});

test('never asks a recursive resolver about a name at or below the domain, not even for a name server’s address', async () => {
  const world = await acmeAt('127.0.0.3');
  await world.add('127.0.0.5', [
    ...zoneAt('_domainkey.acme.test').slice(0, 1),
    { name: '_domainkey.acme.test', type: 'NS', value: 'keys.acme.test' },
    key,
  ]);
  // The referral names a host of acme.test and leaves its address out: the one reason there could be to ask.
  await world.script('127.0.0.3', ({ questions }) => {
    const { name, type } = questions![0]!;
    if (name.toLowerCase() === KEY_NAME) {
      return { flags: 0, authorities: [{ type: 'NS', name: '_domainkey.acme.test', ttl: 60, data: 'keys.acme.test' }] };
    }
    const isKeysHost = name.toLowerCase() === 'keys.acme.test' && type === 'A';
    return {
      flags: AUTHORITATIVE_ANSWER,
      answers: isKeysHost ? [{ type: 'A', name, ttl: 60, data: '127.0.0.5' }] : [],
    };
  });
  const resolver = resolverFor(world);

  expect(await resolver.lookUp(KEY_NAME, 'TXT')).toMatchObject({
    zone: '_domainkey.acme.test',
    answers: [{ kind: 'found', server: 'keys.acme.test (127.0.0.5)' }],
  });
  await resolver.lookUp('bounce.acme.test', 'MX');
  await resolver.lookUp('acme.test', 'TXT');

  expect(world.recursive.queries.map(({ name, type }) => `${type} ${name}`)).toEqual(['NS test']);
});

test('looks up name servers of another domain recursively', async () => {
  servers = await startNameServers([{ name: 'acme.test', type: 'NS', value: 'dns.host.test' }]);
  servers.recursive.publish([{ name: 'dns.host.test', type: 'A', value: '127.0.0.3' }]);
  await servers.add('127.0.0.3', [
    ...zoneAt('acme.test'),
    { name: 'acme.test', type: 'NS', value: 'dns.host.test' },
    key,
  ]);

  expect(kinds((await resolverFor(servers).lookUp(KEY_NAME, 'TXT')).answers)).toEqual(['found']);
  // The address twice, because the answers must agree; its absence once.
  expect(servers.recursive.queries.map(({ name, type }) => `${type} ${name}`).sort()).toEqual([
    'A dns.host.test',
    'A dns.host.test',
    'AAAA dns.host.test',
    'NS test',
  ]);
});

test('takes a delegated _domainkey as its own zone', async () => {
  const world = await acmeAt('127.0.0.3');
  await world.add('127.0.0.3', [
    ...zoneAt('acme.test', '127.0.0.3'),
    ...delegation('_domainkey.acme.test', '127.0.0.5'),
  ]);
  await world.add('127.0.0.5', [...zoneAt('_domainkey.acme.test', '127.0.0.5'), key]);
  const resolver = resolverFor(world);

  const { zone, answers } = await resolver.lookUp(KEY_NAME, 'TXT');
  expect(zone).toBe('_domainkey.acme.test');
  expect(answers).toMatchObject([{ kind: 'found', server: 'ns1._domainkey.acme.test (127.0.0.5)' }]);
  expect(await resolver.lookUp('bounce.acme.test', 'TXT')).toMatchObject({ zone: 'acme.test' });
});

test('asks a server of both parent and child zone for the child’s servers', async () => {
  // 127.0.0.2 serves test and acme.test; the second server of acme.test does not have the record.
  servers = await startNameServers([...zoneAt('acme.test', '127.0.0.2', '127.0.0.3'), key]);
  await servers.add('127.0.0.3', zoneAt('acme.test', '127.0.0.2', '127.0.0.3'));

  const { zone, answers } = await resolverFor(servers).lookUp(KEY_NAME, 'TXT');

  expect(zone).toBe('acme.test');
  expect(kinds(answers)).toEqual(['found', 'nxDomain']);
});

test('distinguishes NXDOMAIN from no data, with the zone and the negative TTL', async () => {
  const world = await acmeAt('127.0.0.3');
  await world.add('127.0.0.3', [...zoneAt('acme.test', '127.0.0.3'), key]);
  const resolver = resolverFor(world);

  expect((await resolver.lookUp(KEY_NAME, 'MX')).answers).toMatchObject([
    { kind: 'noData', zone: 'acme.test', negativeTtlSeconds: 30 },
  ]);
  expect((await resolver.lookUp('_domainkey.acme.test', 'TXT')).answers).toMatchObject([{ kind: 'noData' }]);
  expect((await resolver.lookUp('k2._domainkey.acme.test', 'TXT')).answers).toMatchObject([
    { kind: 'nxDomain', zone: 'acme.test', negativeTtlSeconds: 30 },
  ]);
});

test('returns the denial of the top-level domain for a domain without delegation', async () => {
  const world = await acmeAt('127.0.0.3');
  expect(await resolverFor(world).lookUp('k1._domainkey.akme.test', 'TXT')).toMatchObject({
    zone: 'test',
    answers: [{ kind: 'nxDomain', server: 'ns1.test (127.0.0.2)' }],
  });
});

test('asks again over TCP after a truncated answer', async () => {
  const world = await acmeAt('127.0.0.3');
  const value = `v=DKIM1; p=${'QUJD'.repeat(400)}`;
  const server = await world.add('127.0.0.3', [...zoneAt('acme.test', '127.0.0.3'), { ...key, value }]);

  const { answers } = await resolverFor(world).lookUp(KEY_NAME, 'TXT');

  expect(answers).toMatchObject([{ kind: 'found', values: [value] }]);
  expect(server.queries.filter(({ type }) => type === 'TXT').map(({ transport }) => transport)).toEqual(['udp', 'tcp']);
});

test('asks each server of the zone and returns each answer', async () => {
  const world = await acmeAt('127.0.0.3', '127.0.0.4');
  await world.add('127.0.0.3', [...zoneAt('acme.test', '127.0.0.3', '127.0.0.4'), key]);
  await world.add('127.0.0.4', zoneAt('acme.test', '127.0.0.3', '127.0.0.4'));

  const { answers } = await resolverFor(world).lookUp(KEY_NAME, 'TXT');

  expect(answers).toMatchObject([
    { kind: 'found', server: 'ns1.acme.test (127.0.0.3)' },
    { kind: 'nxDomain', server: 'ns2.acme.test (127.0.0.4)' },
  ]);
});

test.each([
  ['servfail', 2],
  ['refused', 5],
])('takes RCODE %s as a server failure, not as a denial', async (reason, rcode) => {
  const world = await acmeAt('127.0.0.3');
  await world.script('127.0.0.3', () => ({ flags: rcode }));
  expect(await resolverFor(world).lookUp(KEY_NAME, 'TXT')).toMatchObject({
    zone: 'acme.test',
    answers: [{ kind: 'serverFailure', server: 'ns1.acme.test (127.0.0.3)', reason }],
  });
});

test('asks a silent server twice and then reports a timeout', async () => {
  const world = await acmeAt('127.0.0.3');
  const silent = await world.script('127.0.0.3', () => undefined);

  const { answers } = await resolverFor(world, 50).lookUp(KEY_NAME, 'TXT');

  expect(kinds(answers)).toEqual(['timeout']);
  expect(silent.queries).toHaveLength(2);
});

test('returns the answer of one server although the other is silent', async () => {
  const world = await acmeAt('127.0.0.3', '127.0.0.4');
  await world.script('127.0.0.3', () => undefined);
  await world.add('127.0.0.4', [...zoneAt('acme.test', '127.0.0.3', '127.0.0.4'), key]);

  const { zone, answers } = await resolverFor(world, 100).lookUp(KEY_NAME, 'TXT');

  expect(zone).toBe('acme.test');
  expect(kinds(answers)).toEqual(['timeout', 'found']);
});

test('reports a server where nothing listens as unreachable', async () => {
  const world = await acmeAt('127.0.0.9');
  expect(kinds((await resolverFor(world).lookUp(KEY_NAME, 'TXT')).answers)).toEqual(['unreachable']);
});

test('takes an answer without authority, as resolvers do', async () => {
  const world = await acmeAt('127.0.0.3');
  await world.script('127.0.0.3', () => ({
    flags: 0,
    answers: [{ type: 'TXT', name: KEY_NAME, ttl: 60, data: ['cached'] }],
  }));
  expect((await resolverFor(world).lookUp(KEY_NAME, 'TXT')).answers).toMatchObject([
    { kind: 'found', authoritative: false, values: ['cached'] },
  ]);
});

test.each([
  ['nxDomain', 3],
  ['noData', 0],
])('takes a denial without authority (%s), as resolvers do', async (kind, rcode) => {
  const world = await acmeAt('127.0.0.3');
  await world.script('127.0.0.3', () => ({ flags: rcode }));
  expect(kinds((await resolverFor(world).lookUp(KEY_NAME, 'TXT')).answers)).toEqual([kind]);
});

test('reports referrals up, sideways or to the same zone as lame', async () => {
  for (const name of ['test', 'acme.test', 'other.test']) {
    const world = await acmeAt('127.0.0.3');
    const server = await world.script('127.0.0.3', () => ({
      flags: 0,
      authorities: [{ type: 'NS', name, ttl: 60, data: 'ns1.acme.test' }],
    }));
    expect(kinds((await resolverFor(world).lookUp(KEY_NAME, 'TXT')).answers)).toEqual(['lame']);
    // The name and the name servers of the zone, each with capitals, then without.
    expect(server.queries.length).toBeLessThanOrEqual(6);
    await world.stop();
  }
  servers = undefined;
});

test('reports noAddress for a delegation to a host without an address', async () => {
  servers = await startNameServers([{ name: 'acme.test', type: 'NS', value: 'ns1.acme.test' }]);
  expect(await resolverFor(servers).lookUp(KEY_NAME, 'TXT')).toMatchObject({
    answers: [{ kind: 'serverFailure', server: 'ns1.acme.test', reason: 'noAddress' }],
  });
});

test('ignores an answer to another question', async () => {
  const world = await acmeAt('127.0.0.3');
  await world.script('127.0.0.3', () => ({
    flags: AUTHORITATIVE_ANSWER,
    questions: [{ type: 'TXT', name: 'forged.test' }],
    answers: [{ type: 'TXT', name: KEY_NAME, ttl: 60, data: ['forged'] }],
  }));
  expect(kinds((await resolverFor(world, 50).lookUp(KEY_NAME, 'TXT')).answers)).toEqual(['timeout']);
});

test.each([
  ['the same', () => 'right', { kind: 'found', values: ['right'] }],
  ['not the same', (at: number) => `forged ${at}`, { kind: 'serverFailure', reason: 'malformed' }],
])('confirms an answer in another case by two questions in that case, if TCP fails: %s', async (_, value, answer) => {
  const world = await acmeAt('127.0.0.3');
  let asked = 0;
  // Nothing listens for TCP on the scripted server.
  await world.script('127.0.0.3', ({ questions }) => ({
    flags: AUTHORITATIVE_ANSWER,
    questions: questions!.map((question) => ({ ...question, name: question.name.toLowerCase() })),
    answers: [{ type: 'TXT', name: KEY_NAME, ttl: 60, data: [value((asked += 1))] }],
  }));
  expect((await resolverFor(world).lookUp(KEY_NAME, 'TXT')).answers).toMatchObject([answer]);
});

describe('a server that knows names in lower case only', () => {
  const isLower = (name: string): boolean => name === name.toLowerCase();

  test.each([
    ['denies', { flags: AUTHORITATIVE_ANSWER | 3 }],
    ['has no data for', { flags: AUTHORITATIVE_ANSWER }],
    ['refuses', { flags: 5 }],
    ['fails for', { flags: 2 }],
    ['is silent for', undefined],
  ])('and %s the others is asked in lower case, twice', async (_, otherwise) => {
    const world = await acmeAt('127.0.0.3');
    const server = await world.script('127.0.0.3', ({ questions }) => {
      const { name, type } = questions![0]!;
      if (!isLower(name)) return otherwise;
      if (type === 'NS')
        return { flags: AUTHORITATIVE_ANSWER, answers: [{ type, name, ttl: 60, data: 'ns1.acme.test' }] };
      return {
        flags: AUTHORITATIVE_ANSWER,
        answers: type === 'TXT' ? [{ type, name, ttl: 60, data: ['v=DKIM1; p=QUJD'] }] : [],
      };
    });
    expect((await resolverFor(world, 200).lookUp(KEY_NAME, 'TXT')).answers).toMatchObject([
      { kind: 'found', values: ['v=DKIM1; p=QUJD'] },
    ]);
    const asked = server.queries.filter(({ questions }) => questions![0]!.type === 'TXT');
    expect(asked.filter(({ questions }) => isLower(questions![0]!.name))).toHaveLength(2);
  });

  test('is believed when it denies a name in lower case as well', async () => {
    const world = await acmeAt('127.0.0.3');
    await world.script('127.0.0.3', () => ({ flags: AUTHORITATIVE_ANSWER | 3 }));
    expect(kinds((await resolverFor(world).lookUp(KEY_NAME, 'TXT')).answers)).toEqual(['nxDomain']);
  });
});

test('asks a server that knows capital letters only once for a name that it denies', async () => {
  const world = await acmeAt('127.0.0.3');
  const server = await world.add('127.0.0.3', zoneAt('acme.test', '127.0.0.3'));
  await resolverFor(world).lookUp(KEY_NAME, 'TXT');
  expect(server.queries.map(({ name, type }) => `${type} ${name}`).sort()).toEqual(['NS acme.test', `TXT ${KEY_NAME}`]);
});

describe('a zone that names other servers for itself than the registry does', () => {
  const HERE = '127.0.0.3';
  const THERE = '127.0.0.4';
  const host = (name: string, value: string): readonly ZoneRecord[] => [{ name, type: 'A', value }];
  const ns = (value: string): ZoneRecord => ({ name: 'acme.test', type: 'NS', value });
  const soa = zoneAt('acme.test')[0]!;

  async function world(): Promise<NameServers> {
    servers = await startNameServers([{ name: 'acme.test', type: 'NS', value: 'dns.new.test' }]);
    servers.recursive.publish([...host('dns.new.test', HERE), ...host('dns.old.test', THERE)]);
    return servers;
  }

  test('is asked at both', async () => {
    const here = await world();
    await here.add(HERE, [soa, ns('dns.old.test'), key]);
    await here.add(THERE, [soa, ns('dns.old.test')]);
    expect(await resolverFor(here).lookUp(KEY_NAME, 'TXT')).toMatchObject({
      answers: [
        { kind: 'found', server: `dns.new.test (${HERE})` },
        { kind: 'nxDomain', server: `dns.old.test (${THERE})` },
      ],
      mismatches: [{ zone: 'acme.test', byParent: ['dns.new.test'], byZone: ['dns.old.test'], answered: true }],
    });
  });

  test('is not answered for by the registry’s if none of its own answers', async () => {
    const here = await world();
    await here.add(HERE, [soa, ns('dns.old.test'), key]);
    expect(await resolverFor(here, 100).lookUp(KEY_NAME, 'TXT')).toMatchObject({
      mismatches: [{ byZone: ['dns.old.test'], answered: false }],
    });
  });

  test.each([
    ['lost its final dot', 'dns.new.test.acme.test', true],
    ['has no address elsewhere', 'dns.gone.test', false],
  ])('is answered for by the registry’s if its own %s: %s: %s', async (_what, own, answered) => {
    const here = await world();
    await here.add(HERE, [soa, ns(own), key]);
    expect(await resolverFor(here).lookUp(KEY_NAME, 'TXT')).toMatchObject({
      mismatches: [{ byZone: [own], answered }],
    });
  });

  test('is asked at an address that the registry does not have', async () => {
    servers = await acmeAt(HERE);
    const own = [soa, ns('ns1.acme.test'), ...host('ns1.acme.test', THERE)];
    await servers.add(HERE, [...own, key]);
    await servers.add(THERE, own);
    expect(await resolverFor(servers).lookUp(KEY_NAME, 'TXT')).toMatchObject({
      answers: [{ kind: 'found' }, { kind: 'nxDomain', server: `ns1.acme.test (${THERE})` }],
      mismatches: [{ byParent: [`ns1.acme.test (${HERE})`], byZone: [`ns1.acme.test (${THERE})`] }],
    });
  });

  test('and again other ones on each of these is asked at 26 of them at most', async () => {
    servers = await startNameServers([{ name: 'acme.test', type: 'NS', value: 'h0.new.test' }]);
    const hosts = Array.from({ length: 60 }, (_, at) => ({ name: `h${at}.new.test`, address: `127.0.1.${at + 1}` }));
    servers.recursive.publish(hosts.flatMap(({ name, address }) => host(name, address)));
    const asked: string[] = [];
    for (const [at, { address }] of hosts.entries()) {
      await servers.script(address, ({ questions }) => {
        const { name, type } = questions![0]!;
        asked.push(address);
        const data = `h${(at + 1) % 60}.new.test`;
        return { flags: AUTHORITATIVE_ANSWER, answers: type === 'NS' ? [{ type, name, ttl: 60, data }] : [] };
      });
    }
    await resolverFor(servers).lookUp(KEY_NAME, 'TXT');
    expect(new Set(asked).size).toBeLessThanOrEqual(26);
    expect(asked.length).toBeLessThanOrEqual(150);
  });
});

test('follows the referral of one server and keeps the denial of another', async () => {
  const world = await acmeAt('127.0.0.3', '127.0.0.4');
  const apex = zoneAt('acme.test', '127.0.0.3', '127.0.0.4');
  await world.add('127.0.0.3', [...apex, ...delegation('_domainkey.acme.test', '127.0.0.5')]);
  await world.add('127.0.0.4', apex);
  await world.add('127.0.0.5', [...zoneAt('_domainkey.acme.test', '127.0.0.5'), key]);
  const resolver = resolverFor(world);
  for (const known of [newKnownZones(), newKnownZones()]) {
    for (let times = 0; times < 2; times += 1) {
      const { zone, answers } = await resolver.lookUp(KEY_NAME, 'TXT', known);
      expect(zone).toBe('_domainkey.acme.test');
      expect(answers).toMatchObject([
        { kind: 'nxDomain', server: 'ns2.acme.test (127.0.0.4)' },
        { kind: 'found', server: 'ns1._domainkey.acme.test (127.0.0.5)' },
      ]);
    }
  }
});

describe('a name server whose host is an alias', () => {
  test('does not count, because BIND does not follow it', async () => {
    servers = await startNameServers([{ name: 'acme.test', type: 'NS', value: 'dns.host.test' }]);
    servers.recursive.publish([
      { name: 'dns.host.test', type: 'CNAME', value: 'real.host.test' },
      { name: 'real.host.test', type: 'A', value: '127.0.0.3' },
    ]);
    const server = await servers.add('127.0.0.3', [...zoneAt('acme.test'), key]);
    expect((await resolverFor(servers).lookUp(KEY_NAME, 'TXT')).answers).toEqual([
      { kind: 'serverFailure', server: 'dns.host.test', reason: 'alias', zone: 'acme.test' },
    ]);
    expect(server.queries).toEqual([]);
  });

  test('looks like one without an address if that is private', async () => {
    servers = await startNameServers([{ name: 'acme.test', type: 'NS', value: 'dns.host.test' }]);
    servers.recursive.publish([
      { name: 'dns.host.test', type: 'CNAME', value: 'db.internal.test' },
      { name: 'db.internal.test', type: 'A', value: '127.0.0.9' },
    ]);
    const { port, recursive } = servers;
    const mayAsk = (address: string): boolean => address !== '127.0.0.9';
    const resolver = createAuthoritativeResolver({ mayAsk, resolvers: [recursive.address], port });
    expect(kinds((await resolver.lookUp(KEY_NAME, 'TXT')).answers)).toEqual(['noAddress']);
  });
});

test('asks a server without EDNS if it does not know it', async () => {
  const world = await acmeAt('127.0.0.3');
  await world.script('127.0.0.3', ({ additionals, questions }) => {
    if (additionals?.length !== 0) return { flags: 1 };
    const isKey = questions?.[0]?.type === 'TXT';
    return {
      flags: AUTHORITATIVE_ANSWER,
      answers: isKey ? [{ type: 'TXT', name: KEY_NAME, ttl: 60, data: ['old but fine'] }] : [],
    };
  });
  expect((await resolverFor(world).lookUp(KEY_NAME, 'TXT')).answers).toMatchObject([
    { kind: 'found', values: ['old but fine'] },
  ]);
});

test('follows an alias into the zone of its target', async () => {
  servers = await startNameServers([
    ...delegation('acme.test', '127.0.0.3'),
    ...delegation('provider.test', '127.0.0.4'),
  ]);
  await servers.add('127.0.0.3', [
    ...zoneAt('acme.test', '127.0.0.3'),
    { name: KEY_NAME, type: 'CNAME', value: 'acme.keys.provider.test' },
  ]);
  await servers.add('127.0.0.4', [
    ...zoneAt('provider.test', '127.0.0.4'),
    { name: 'acme.keys.provider.test', type: 'TXT', value: 'v=DKIM1; p=QUJD' },
  ]);

  expect(await resolverFor(servers).lookUp(KEY_NAME, 'TXT')).toMatchObject({
    zone: 'acme.test',
    answers: [{ kind: 'found', server: 'ns1.provider.test (127.0.0.4)', aliases: ['acme.keys.provider.test'] }],
  });
});

test('returns no records for aliases in a circle', async () => {
  const world = await acmeAt('127.0.0.3');
  await world.add('127.0.0.3', [
    ...zoneAt('acme.test', '127.0.0.3'),
    { name: KEY_NAME, type: 'CNAME', value: 'a.acme.test' },
    { name: 'a.acme.test', type: 'CNAME', value: KEY_NAME },
  ]);
  expect((await resolverFor(world).lookUp(KEY_NAME, 'TXT')).answers).toMatchObject([
    { kind: 'noData', aliases: ['a.acme.test', KEY_NAME], aliasFault: 'loop' },
  ]);
});

test('asks for each alias of a server that follows them itself and answers SERVFAIL', async () => {
  const world = await acmeAt('127.0.0.3');
  await world.script('127.0.0.3', ({ questions }) => {
    const { name, type } = questions![0]!;
    if (type !== 'CNAME') return { flags: 2 };
    const target = name.toLowerCase() === KEY_NAME ? 'a.acme.test' : KEY_NAME;
    return { flags: AUTHORITATIVE_ANSWER, answers: [{ type: 'CNAME', name, ttl: 60, data: target }] };
  });
  expect((await resolverFor(world).lookUp(KEY_NAME, 'TXT')).answers).toMatchObject([
    { kind: 'noData', aliases: ['a.acme.test', KEY_NAME], aliasFault: 'loop' },
  ]);
});

test.each([
  [11, { kind: 'found', values: ['v=DKIM1; p=QUJD'] }],
  [12, { kind: 'noData', aliasFault: 'tooLong' }],
])('treats a chain of %i aliases over two zones as receivers’ resolvers do', async (length, end) => {
  servers = await startNameServers([
    ...delegation('acme.test', '127.0.0.3'),
    ...delegation('provider.test', '127.0.0.4'),
  ]);
  const nameAt = (at: number): string => (at === length ? KEY_NAME : `a${at}.${at % 2 ? 'acme' : 'provider'}.test`);
  const records = Array.from({ length }, (_, at): ZoneRecord => ({
    name: nameAt(at + 1),
    type: 'CNAME',
    value: nameAt(at),
  })).concat({ ...key, name: nameAt(0) });
  const inZone = (apex: string): ZoneRecord[] => records.filter(({ name }) => name.endsWith(`.${apex}`));
  await servers.add('127.0.0.3', [...zoneAt('acme.test', '127.0.0.3'), ...inZone('acme.test')]);
  await servers.add('127.0.0.4', [...zoneAt('provider.test', '127.0.0.4'), ...inZone('provider.test')]);
  expect((await resolverFor(servers).lookUp(KEY_NAME, 'TXT')).answers).toMatchObject([end]);
});

test.each([
  ['timeout', undefined],
  ['servfail', { flags: 2 }],
  ['refused', { flags: 5 }],
])('names the resolver that fails (%s) for the addresses of name servers', async (reason, failure) => {
  const world = await acmeAt('127.0.0.3');
  await world.script('127.0.0.8', ({ questions }) => {
    const { name, type } = questions![0]!;
    return type === 'NS' ? { answers: [{ type: 'NS', name, ttl: 60, data: 'ns1.test' }] } : failure;
  });
  const address = `127.0.0.8:${String(world.port)}`;
  const resolver = createAuthoritativeResolver({
    mayAsk: () => true,
    resolvers: [address],
    port: world.port,
    timeoutMs: 50,
  });
  expect((await resolver.lookUp(KEY_NAME, 'TXT')).answers).toEqual([
    { kind: 'serverFailure', server: address, reason, isResolver: true },
  ]);
});

test('remembers the servers of the top-level domain for the TTL of their record', async () => {
  const world = await acmeAt('127.0.0.3');
  await world.add('127.0.0.3', [...zoneAt('acme.test', '127.0.0.3'), key]);
  let now = 0;
  const resolver = createAuthoritativeResolver({
    mayAsk: () => true,
    resolvers: [world.recursive.address],
    port: world.port,
    now: () => now,
  });
  await resolver.lookUp(KEY_NAME, 'TXT');
  now = 59_999;
  await resolver.lookUp(KEY_NAME, 'TXT');
  expect(world.recursive.queries).toHaveLength(1);
  now = 60_000;
  await resolver.lookUp(KEY_NAME, 'TXT');
  expect(world.recursive.queries).toHaveLength(2);
});

test('asks the next resolver when the first one fails', async () => {
  const world = await acmeAt('127.0.0.3');
  await world.add('127.0.0.3', [...zoneAt('acme.test', '127.0.0.3'), key]);
  await world.script('127.0.0.8', () => ({ flags: 2 }));
  const resolvers = [`127.0.0.8:${world.port}`, world.recursive.address];
  const resolver = createAuthoritativeResolver({ mayAsk: () => true, resolvers, port: world.port });
  expect(kinds((await resolver.lookUp(KEY_NAME, 'TXT')).answers)).toEqual(['found']);
});

test('says nothing about the record without a working resolver', async () => {
  const world = await acmeAt('127.0.0.3');
  const resolver = createAuthoritativeResolver({
    mayAsk: () => true,
    resolvers: [`127.0.0.9:${world.port}`],
    port: world.port,
  });
  expect(await resolver.lookUp(KEY_NAME, 'TXT')).toMatchObject({
    zone: undefined,
    answers: [{ reason: 'unreachable' }],
  });
});

test('asks a server at its IPv6 address', async () => {
  const world = await acmeAt('::1');
  await world.add('::1', [...zoneAt('acme.test', '::1'), key]);
  expect((await resolverFor(world).lookUp(KEY_NAME, 'TXT')).answers).toMatchObject([
    { kind: 'found', server: 'ns1.acme.test (::1)' },
  ]);
});

test('refuses a name that cannot be in DNS before it sends anything', async () => {
  const world = await acmeAt('127.0.0.3');
  const tooLong = `${'a'.repeat(64)}.acme.test`;
  await expect(resolverFor(world).lookUp(tooLong, 'TXT')).rejects.toThrow(/labels of 1 to 63 characters/);
  expect(world.recursive.queries).toEqual([]);
});

test('ends a lookup among only silent servers and reports the timeouts', async () => {
  const world = await acmeAt('127.0.0.3', '127.0.0.4', '127.0.0.5');
  for (const host of ['127.0.0.3', '127.0.0.4', '127.0.0.5']) await world.script(host, () => undefined);

  const { answers } = await resolverFor(world, 40).lookUp(KEY_NAME, 'TXT');

  expect(kinds(answers)).toEqual(['timeout', 'timeout', 'timeout']);
});

test('sends nothing after the lookup’s time is over', async () => {
  const world = await acmeAt('127.0.0.3');
  const server = await world.add('127.0.0.3', [...zoneAt('acme.test', '127.0.0.3'), key]);
  let now = 0;
  // The clock jumps beyond every limit as soon as it has been read for the lookup's end.
  const resolver = createAuthoritativeResolver({
    mayAsk: () => true,
    resolvers: [world.recursive.address],
    port: world.port,
    now: () => (now += 60_000),
  });
  expect(await resolver.lookUp(KEY_NAME, 'TXT')).toMatchObject({ answers: [{ reason: 'limit' }] });
  expect(server.queries).toEqual([]);
});
