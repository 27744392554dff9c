import { AUTHORITATIVE_ANSWER, type DecodedPacket, type Packet } from 'dns-packet';
import { describe, expect, test } from 'vitest';
import type { DnsServer } from '../../../../src/dev/world/dns-server.ts';
import type { DnsAnswer } from '../../../../src/lib/dns/resolver/answer.ts';
import { newKnownZones } from '../../../../src/lib/dns/resolver/walk.ts';
import { delegation, startNameServers, zoneAt, type NameServers } from '../name-servers.ts';
import type { ZoneRecord } from '../../../../src/dev/world/zone-record.ts';

const KEY_NAME = 'k1._domainkey.acme.test';
const key: ZoneRecord = { name: KEY_NAME, type: 'TXT', value: 'v=DKIM1; p=QUJD', ttlSeconds: 300 };
const HERE = '127.0.0.3';
const THERE = '127.0.0.4';
const BELOW = '127.0.0.5';

const ns = (name: string, value: string): ZoneRecord => ({ name, type: 'NS', value });
const a = (name: string, value: string): ZoneRecord => ({ name, type: 'A', value });
const cname = (name: string, value: string): ZoneRecord => ({ name, type: 'CNAME', value });

const acmeAt = (...addresses: readonly string[]): Promise<NameServers> =>
  startNameServers(delegation('acme.test', ...addresses));

/** The only server of acme.test has these records. */
async function acmeWith(...records: readonly ZoneRecord[]): Promise<{ world: NameServers; server: DnsServer }> {
  const world = await acmeAt(HERE);
  return { world, server: await world.serve('acme.test', HERE, ...records) };
}

/** The only server of acme.test answers so. */
async function acmeThat(answers: (query: DecodedPacket) => Packet | undefined) {
  const world = await acmeAt(HERE);
  return { world, server: await world.script(HERE, answers) };
}

const lookUpKey = (world: NameServers, timeoutMs = 1_000) => world.resolver({ timeoutMs }).lookUp(KEY_NAME, 'TXT');

const answersOf = async (world: NameServers, timeoutMs?: number): Promise<readonly DnsAnswer[]> =>
  (await lookUpKey(world, timeoutMs)).answers;

const kinds = (answers: readonly DnsAnswer[]): string[] =>
  answers.map((answer) => (answer.kind === 'serverFailure' ? answer.reason : answer.kind));

const questionsTo = ({ queries }: DnsServer): string[] => queries.map(({ name, type }) => `${type} ${name}`);

test('follows the referral of the top-level domain and takes the answer of the zone’s own server', async () => {
  const { world } = await acmeWith(key);

  const { zone, answers } = await world.resolver().lookUp('K1._domainkey.ACME.test.', 'TXT');

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
  // The referral names a host of acme.test and leaves its address out: the one reason there could be to ask.
  const { world } = await acmeThat(({ questions }) => {
    const { name, type } = questions![0]!;
    if (name.toLowerCase() === KEY_NAME) {
      return { flags: 0, authorities: [{ type: 'NS', name: '_domainkey.acme.test', ttl: 60, data: 'keys.acme.test' }] };
    }
    const isKeysHost = name.toLowerCase() === 'keys.acme.test' && type === 'A';
    return {
      flags: AUTHORITATIVE_ANSWER,
      answers: isKeysHost ? [{ type: 'A', name, ttl: 60, data: BELOW }] : [],
    };
  });
  await world.add(BELOW, [...zoneAt('_domainkey.acme.test'), ns('_domainkey.acme.test', 'keys.acme.test'), key]);
  const resolver = world.resolver();

  expect(await resolver.lookUp(KEY_NAME, 'TXT')).toMatchObject({
    zone: '_domainkey.acme.test',
    answers: [{ kind: 'found', server: 'keys.acme.test (127.0.0.5)' }],
  });
  await resolver.lookUp('bounce.acme.test', 'MX');
  await resolver.lookUp('acme.test', 'TXT');

  expect(questionsTo(world.recursive)).toEqual(['NS test']);
});

test('looks up name servers of another domain recursively', async () => {
  const delegated = ns('acme.test', 'dns.host.test');
  const world = await startNameServers([delegated]);
  world.recursive.publish([a('dns.host.test', HERE)]);
  await world.add(HERE, [...zoneAt('acme.test'), delegated, key]);

  expect(kinds(await answersOf(world))).toEqual(['found']);
  // The address twice, because the answers must agree; its absence once.
  expect(questionsTo(world.recursive).sort()).toEqual([
    'A dns.host.test',
    'A dns.host.test',
    'AAAA dns.host.test',
    'NS test',
  ]);
});

test('takes a delegated _domainkey as its own zone', async () => {
  const { world } = await acmeWith(...delegation('_domainkey.acme.test', BELOW));
  await world.serve('_domainkey.acme.test', BELOW, key);
  const resolver = world.resolver();

  const { zone, answers } = await resolver.lookUp(KEY_NAME, 'TXT');
  expect(zone).toBe('_domainkey.acme.test');
  expect(answers).toMatchObject([{ kind: 'found', server: 'ns1._domainkey.acme.test (127.0.0.5)' }]);
  expect(await resolver.lookUp('bounce.acme.test', 'TXT')).toMatchObject({ zone: 'acme.test' });
});

test('asks a server of both parent and child zone for the child’s servers', async () => {
  // 127.0.0.2 serves test and acme.test; the second server of acme.test does not have the record.
  const zoneOfBoth = zoneAt('acme.test', '127.0.0.2', HERE);
  const world = await startNameServers([...zoneOfBoth, key]);
  await world.add(HERE, zoneOfBoth);

  const { zone, answers } = await lookUpKey(world);

  expect(zone).toBe('acme.test');
  expect(kinds(answers)).toEqual(['found', 'nxDomain']);
});

test('distinguishes NXDOMAIN from no data, with the zone and the negative TTL', async () => {
  const { world } = await acmeWith(key);
  const resolver = world.resolver();

  expect((await resolver.lookUp(KEY_NAME, 'MX')).answers).toMatchObject([
    { kind: 'noData', zone: 'acme.test', negativeTtlSeconds: 30 },
  ]);
  expect((await resolver.lookUp('_domainkey.acme.test', 'TXT')).answers).toMatchObject([{ kind: 'noData' }]);
  expect((await resolver.lookUp('k2._domainkey.acme.test', 'TXT')).answers).toMatchObject([
    { kind: 'nxDomain', zone: 'acme.test', negativeTtlSeconds: 30 },
  ]);
});

test('returns the denial of the top-level domain for a domain without delegation', async () => {
  const world = await acmeAt(HERE);
  expect(await world.resolver().lookUp('k1._domainkey.akme.test', 'TXT')).toMatchObject({
    zone: 'test',
    answers: [{ kind: 'nxDomain', server: 'ns1.test (127.0.0.2)' }],
  });
});

test('asks again over TCP after a truncated answer', async () => {
  const value = `v=DKIM1; p=${'QUJD'.repeat(400)}`;
  const { world, server } = await acmeWith({ ...key, value });

  expect(await answersOf(world)).toMatchObject([{ kind: 'found', values: [value] }]);
  expect(server.queries.filter(({ type }) => type === 'TXT').map(({ transport }) => transport)).toEqual(['udp', 'tcp']);
});

test('asks each server of the zone and returns each answer', async () => {
  const world = await acmeAt(HERE, THERE);
  await world.add(HERE, [...zoneAt('acme.test', HERE, THERE), key]);
  await world.add(THERE, zoneAt('acme.test', HERE, THERE));

  expect(await answersOf(world)).toMatchObject([
    { kind: 'found', server: 'ns1.acme.test (127.0.0.3)' },
    { kind: 'nxDomain', server: 'ns2.acme.test (127.0.0.4)' },
  ]);
});

test.each([
  ['servfail', 2],
  ['refused', 5],
])('takes RCODE %s as a server failure, not as a denial', async (reason, rcode) => {
  const { world } = await acmeThat(() => ({ flags: rcode }));
  expect(await lookUpKey(world)).toMatchObject({
    zone: 'acme.test',
    answers: [{ kind: 'serverFailure', server: 'ns1.acme.test (127.0.0.3)', reason }],
  });
});

test('asks a silent server twice and then reports a timeout', async () => {
  const { world, server } = await acmeThat(() => undefined);
  expect(kinds(await answersOf(world, 50))).toEqual(['timeout']);
  expect(server.queries).toHaveLength(2);
});

test('returns the answer of one server although the other is silent', async () => {
  const world = await acmeAt(HERE, THERE);
  await world.script(HERE, () => undefined);
  await world.add(THERE, [...zoneAt('acme.test', HERE, THERE), key]);

  const { zone, answers } = await lookUpKey(world, 100);

  expect(zone).toBe('acme.test');
  expect(kinds(answers)).toEqual(['timeout', 'found']);
});

test('reports a server where nothing listens as unreachable', async () => {
  expect(kinds(await answersOf(await acmeAt('127.0.0.9')))).toEqual(['unreachable']);
});

test('takes an answer without authority, as resolvers do', async () => {
  const { world } = await acmeThat(() => ({
    flags: 0,
    answers: [{ type: 'TXT', name: KEY_NAME, ttl: 60, data: ['cached'] }],
  }));
  expect(await answersOf(world)).toMatchObject([{ kind: 'found', authoritative: false, values: ['cached'] }]);
});

test.each([
  ['nxDomain', 3],
  ['noData', 0],
])('takes a denial without authority (%s), as resolvers do', async (kind, rcode) => {
  const { world } = await acmeThat(() => ({ flags: rcode }));
  expect(kinds(await answersOf(world))).toEqual([kind]);
});

test.each([
  ['up', 'test'],
  ['to the same zone', 'acme.test'],
  ['sideways', 'other.test'],
])('reports a referral %s as lame', async (_where, name) => {
  const { world, server } = await acmeThat(() => ({
    flags: 0,
    authorities: [{ type: 'NS', name, ttl: 60, data: 'ns1.acme.test' }],
  }));
  expect(kinds(await answersOf(world))).toEqual(['lame']);
  // The name and the name servers of the zone, each with capitals, then without.
  expect(server.queries.length).toBeLessThanOrEqual(6);
});

test('reports noAddress for a delegation to a host without an address', async () => {
  const world = await startNameServers([ns('acme.test', 'ns1.acme.test')]);
  expect(await answersOf(world)).toMatchObject([
    { kind: 'serverFailure', server: 'ns1.acme.test', reason: 'noAddress' },
  ]);
});

test('ignores an answer to another question', async () => {
  const { world } = await acmeThat(() => ({
    flags: AUTHORITATIVE_ANSWER,
    questions: [{ type: 'TXT', name: 'forged.test' }],
    answers: [{ type: 'TXT', name: KEY_NAME, ttl: 60, data: ['forged'] }],
  }));
  expect(kinds(await answersOf(world, 50))).toEqual(['timeout']);
});

test.each([
  ['the same', () => 'right', { kind: 'found', values: ['right'] }],
  ['not the same', (at: number) => `forged ${at}`, { kind: 'serverFailure', reason: 'malformed' }],
])('confirms an answer in another case by two questions in that case, if TCP fails: %s', async (_, value, answer) => {
  let asked = 0;
  // Nothing listens for TCP on the scripted server.
  const { world } = await acmeThat(({ questions }) => ({
    flags: AUTHORITATIVE_ANSWER,
    questions: questions!.map((question) => ({ ...question, name: question.name.toLowerCase() })),
    answers: [{ type: 'TXT', name: KEY_NAME, ttl: 60, data: [value((asked += 1))] }],
  }));
  expect(await answersOf(world)).toMatchObject([answer]);
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
    const { world, server } = await acmeThat(({ questions }) => {
      const { name, type } = questions![0]!;
      if (!isLower(name)) return otherwise;
      if (type === 'NS')
        return { flags: AUTHORITATIVE_ANSWER, answers: [{ type, name, ttl: 60, data: 'ns1.acme.test' }] };
      return {
        flags: AUTHORITATIVE_ANSWER,
        answers: type === 'TXT' ? [{ type, name, ttl: 60, data: ['v=DKIM1; p=QUJD'] }] : [],
      };
    });
    expect(await answersOf(world, 200)).toMatchObject([{ kind: 'found', values: ['v=DKIM1; p=QUJD'] }]);
    const asked = server.queries.filter(({ questions }) => questions![0]!.type === 'TXT');
    expect(asked.filter(({ questions }) => isLower(questions![0]!.name))).toHaveLength(2);
  });

  test('is believed when it denies a name in lower case as well', async () => {
    const { world } = await acmeThat(() => ({ flags: AUTHORITATIVE_ANSWER | 3 }));
    expect(kinds(await answersOf(world))).toEqual(['nxDomain']);
  });
});

test('asks a server that knows capital letters only once for a name that it denies', async () => {
  const { world, server } = await acmeWith();
  await lookUpKey(world);
  expect(questionsTo(server).sort()).toEqual(['NS acme.test', `TXT ${KEY_NAME}`]);
});

describe('a zone that names other servers for itself than the registry does', () => {
  const soa = zoneAt('acme.test')[0]!;
  const own = (host: string): ZoneRecord => ns('acme.test', host);

  async function world(): Promise<NameServers> {
    const servers = await startNameServers([own('dns.new.test')]);
    servers.recursive.publish([a('dns.new.test', HERE), a('dns.old.test', THERE)]);
    return servers;
  }

  test('is asked at both', async () => {
    const here = await world();
    await here.add(HERE, [soa, own('dns.old.test'), key]);
    await here.add(THERE, [soa, own('dns.old.test')]);
    expect(await lookUpKey(here)).toMatchObject({
      answers: [
        { kind: 'found', server: `dns.new.test (${HERE})` },
        { kind: 'nxDomain', server: `dns.old.test (${THERE})` },
      ],
      mismatches: [{ zone: 'acme.test', byParent: ['dns.new.test'], byZone: ['dns.old.test'], answered: true }],
    });
  });

  test.each([
    ['is not answered for by the registry’s if none of its own answers', 'dns.old.test', false, 100],
    ['is answered for by the registry’s if its own lost its final dot', 'dns.new.test.acme.test', true, undefined],
    ['is not answered for by the registry’s if its own has no address elsewhere', 'dns.gone.test', false, undefined],
  ])('%s', async (_title, host, answered, timeoutMs) => {
    const here = await world();
    await here.add(HERE, [soa, own(host), key]);
    expect(await lookUpKey(here, timeoutMs)).toMatchObject({ mismatches: [{ byZone: [host], answered }] });
  });

  test('is asked at an address that the registry does not have', async () => {
    const here = await acmeAt(HERE);
    const zone = [soa, own('ns1.acme.test'), a('ns1.acme.test', THERE)];
    await here.add(HERE, [...zone, key]);
    await here.add(THERE, zone);
    expect(await lookUpKey(here)).toMatchObject({
      answers: [{ kind: 'found' }, { kind: 'nxDomain', server: `ns1.acme.test (${THERE})` }],
      mismatches: [{ byParent: [`ns1.acme.test (${HERE})`], byZone: [`ns1.acme.test (${THERE})`] }],
    });
  });

  test('and again other ones on each of these is asked at 26 of them at most', async () => {
    const here = await startNameServers([own('h0.new.test')]);
    const hosts = Array.from({ length: 60 }, (_, at) => ({ name: `h${at}.new.test`, address: `127.0.1.${at + 1}` }));
    here.recursive.publish(hosts.map(({ name, address }) => a(name, address)));
    const asked: string[] = [];
    for (const [at, { address }] of hosts.entries()) {
      await here.script(address, ({ questions }) => {
        const { name, type } = questions![0]!;
        asked.push(address);
        const data = `h${(at + 1) % 60}.new.test`;
        return { flags: AUTHORITATIVE_ANSWER, answers: type === 'NS' ? [{ type, name, ttl: 60, data }] : [] };
      });
    }
    await lookUpKey(here);
    expect(new Set(asked).size).toBeLessThanOrEqual(26);
    expect(asked.length).toBeLessThanOrEqual(150);
  });
});

describe('a hostile zone', () => {
  const ZONE_SERVERS = 13;
  /** Each refers for `zoneOf` its number to 13 fresh hosts elsewhere, whose addresses only a resolver can know. */
  async function referringTo(zoneOf: (at: number) => string): Promise<NameServers> {
    const addresses = Array.from({ length: ZONE_SERVERS }, (_, at) => `127.0.1.${at + 1}`);
    const world = await acmeAt(...addresses);
    for (const [at, address] of addresses.entries()) {
      const authorities = Array.from({ length: 13 }, (_, host) => ({
        ...{ type: 'NS' as const, name: zoneOf(at), ttl: 60, data: `h${host}.of${at}.elsewhere.test` },
      }));
      await world.script(address, ({ questions }) =>
        questions![0]!.type === 'NS' ? { flags: AUTHORITATIVE_ANSWER } : { flags: 0, authorities },
      );
    }
    return world;
  }

  test('whose servers name different servers of a zone below makes a resolver look for 13 of them', async () => {
    const world = await referringTo(() => '_domainkey.acme.test');
    const answers = await answersOf(world);
    expect(answers).toHaveLength(13);
    expect(world.recursive.queries).toHaveLength(1 + 2 * 13);
  });

  test('whose servers name servers of different zones below makes us send as much as any other', async () => {
    const labels = Array.from({ length: ZONE_SERVERS }, (_, at) => `l${at}`);
    const world = await referringTo((at) => `${labels.slice(at).join('.')}.acme.test`);
    const { answers } = await world.resolver().lookUp(`${labels.join('.')}.acme.test`, 'TXT');
    expect(world.recursive.queries.length).toBeLessThanOrEqual(150);
    const limited = answers.filter((answer) => answer.kind === 'serverFailure' && answer.reason === 'limit');
    expect(limited.length).toBeGreaterThan(0);
    expect(limited.filter((answer) => 'isResolver' in answer)).toEqual([]);
  });
});

test('follows the referral of one server and keeps the denial of another', async () => {
  const world = await acmeAt(HERE, THERE);
  const apex = zoneAt('acme.test', HERE, THERE);
  await world.add(HERE, [...apex, ...delegation('_domainkey.acme.test', BELOW)]);
  await world.add(THERE, apex);
  await world.serve('_domainkey.acme.test', BELOW, key);
  const resolver = world.resolver();
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
    const world = await startNameServers([ns('acme.test', 'dns.host.test')]);
    world.recursive.publish([cname('dns.host.test', 'real.host.test'), a('real.host.test', HERE)]);
    const server = await world.add(HERE, [...zoneAt('acme.test'), key]);
    expect(await answersOf(world)).toEqual([
      { kind: 'serverFailure', server: 'dns.host.test', reason: 'alias', zone: 'acme.test' },
    ]);
    expect(server.queries).toEqual([]);
  });

  test('looks like one without an address if that is private', async () => {
    const world = await startNameServers([ns('acme.test', 'dns.host.test')]);
    world.recursive.publish([cname('dns.host.test', 'db.internal.test'), a('db.internal.test', '127.0.0.9')]);
    const resolver = world.resolver({ mayAsk: (address) => address !== '127.0.0.9' });
    expect(kinds((await resolver.lookUp(KEY_NAME, 'TXT')).answers)).toEqual(['noAddress']);
  });
});

test('asks a server without EDNS if it does not know it', async () => {
  const { world } = await acmeThat(({ additionals, questions }) => {
    if (additionals?.length !== 0) return { flags: 1 };
    const isKey = questions?.[0]?.type === 'TXT';
    return {
      flags: AUTHORITATIVE_ANSWER,
      answers: isKey ? [{ type: 'TXT', name: KEY_NAME, ttl: 60, data: ['old but fine'] }] : [],
    };
  });
  expect(await answersOf(world)).toMatchObject([{ kind: 'found', values: ['old but fine'] }]);
});

const withProvider = (): Promise<NameServers> =>
  startNameServers([...delegation('acme.test', HERE), ...delegation('provider.test', THERE)]);

test('follows an alias into the zone of its target', async () => {
  const world = await withProvider();
  await world.serve('acme.test', HERE, cname(KEY_NAME, 'acme.keys.provider.test'));
  await world.serve('provider.test', THERE, { ...key, name: 'acme.keys.provider.test' });

  expect(await lookUpKey(world)).toMatchObject({
    zone: 'acme.test',
    answers: [{ kind: 'found', server: 'ns1.provider.test (127.0.0.4)', aliases: ['acme.keys.provider.test'] }],
  });
});

test('returns no records for aliases in a circle', async () => {
  const { world } = await acmeWith(cname(KEY_NAME, 'a.acme.test'), cname('a.acme.test', KEY_NAME));
  expect(await answersOf(world)).toMatchObject([
    { kind: 'noData', aliases: ['a.acme.test', KEY_NAME], aliasFault: 'loop' },
  ]);
});

test('asks for each alias of a server that follows them itself and answers SERVFAIL', async () => {
  const { world } = await acmeThat(({ questions }) => {
    const { name, type } = questions![0]!;
    if (type !== 'CNAME') return { flags: 2 };
    const target = name.toLowerCase() === KEY_NAME ? 'a.acme.test' : KEY_NAME;
    return { flags: AUTHORITATIVE_ANSWER, answers: [{ type: 'CNAME', name, ttl: 60, data: target }] };
  });
  expect(await answersOf(world)).toMatchObject([
    { kind: 'noData', aliases: ['a.acme.test', KEY_NAME], aliasFault: 'loop' },
  ]);
});

test.each([
  [11, { kind: 'found', values: ['v=DKIM1; p=QUJD'] }],
  [12, { kind: 'noData', aliasFault: 'tooLong' }],
])('treats a chain of %i aliases over two zones as receivers’ resolvers do', async (length, end) => {
  const world = await withProvider();
  const nameAt = (at: number): string => (at === length ? KEY_NAME : `a${at}.${at % 2 ? 'acme' : 'provider'}.test`);
  const records = [
    ...Array.from({ length }, (_, at) => cname(nameAt(at + 1), nameAt(at))),
    { ...key, name: nameAt(0) },
  ];
  for (const [apex, host] of [
    ['acme.test', HERE],
    ['provider.test', THERE],
  ] as const)
    await world.serve(apex, host, ...records.filter(({ name }) => name.endsWith(`.${apex}`)));
  expect(await answersOf(world)).toMatchObject([end]);
});

test.each([
  ['timeout', undefined],
  ['servfail', { flags: 2 }],
  ['refused', { flags: 5 }],
])('names the resolver that fails (%s) for the addresses of name servers', async (reason, failure) => {
  const world = await acmeAt(HERE);
  await world.script('127.0.0.8', ({ questions }) => {
    const { name, type } = questions![0]!;
    return type === 'NS' ? { answers: [{ type: 'NS', name, ttl: 60, data: 'ns1.test' }] } : failure;
  });
  const address = `127.0.0.8:${world.port}`;
  const resolver = world.resolver({ resolvers: [address], timeoutMs: 50 });
  expect((await resolver.lookUp(KEY_NAME, 'TXT')).answers).toEqual([
    { kind: 'serverFailure', server: address, reason, isResolver: true },
  ]);
});

test('remembers the servers of the top-level domain for the TTL of their record', async () => {
  const { world } = await acmeWith(key);
  let now = 0;
  const resolver = world.resolver({ now: () => now });
  for (const [time, queries] of [
    [0, 1],
    [59_999, 1],
    [60_000, 2],
  ] as const) {
    now = time;
    await resolver.lookUp(KEY_NAME, 'TXT');
    expect(world.recursive.queries).toHaveLength(queries);
  }
});

test('asks the next resolver when the first one fails', async () => {
  const { world } = await acmeWith(key);
  await world.script('127.0.0.8', () => ({ flags: 2 }));
  const resolver = world.resolver({ resolvers: [`127.0.0.8:${world.port}`, world.recursive.address] });
  expect(kinds((await resolver.lookUp(KEY_NAME, 'TXT')).answers)).toEqual(['found']);
});

test('says nothing about the record without a working resolver', async () => {
  const world = await acmeAt(HERE);
  const resolver = world.resolver({ resolvers: [`127.0.0.9:${world.port}`] });
  expect(await resolver.lookUp(KEY_NAME, 'TXT')).toMatchObject({
    zone: undefined,
    answers: [{ reason: 'unreachable' }],
  });
});

test('asks a server at its IPv6 address', async () => {
  const world = await acmeAt('::1');
  await world.serve('acme.test', '::1', key);
  expect(await answersOf(world)).toMatchObject([{ kind: 'found', server: 'ns1.acme.test (::1)' }]);
});

test('refuses a name that cannot be in DNS before it sends anything', async () => {
  const world = await acmeAt(HERE);
  const tooLong = `${'a'.repeat(64)}.acme.test`;
  await expect(world.resolver().lookUp(tooLong, 'TXT')).rejects.toThrow(/labels of 1 to 63 characters/);
  expect(world.recursive.queries).toEqual([]);
});

test('ends a lookup among only silent servers and reports the timeouts', async () => {
  const hosts = [HERE, THERE, BELOW];
  const world = await acmeAt(...hosts);
  for (const host of hosts) await world.script(host, () => undefined);
  expect(kinds(await answersOf(world, 40))).toEqual(['timeout', 'timeout', 'timeout']);
});

test('sends nothing after the lookup’s time is over', async () => {
  const { world, server } = await acmeWith(key);
  let now = 0;
  // The clock jumps beyond every limit as soon as it has been read for the lookup's end.
  const resolver = world.resolver({ now: () => (now += 60_000) });
  expect(await resolver.lookUp(KEY_NAME, 'TXT')).toMatchObject({ answers: [{ reason: 'limit' }] });
  expect(server.queries).toEqual([]);
});
