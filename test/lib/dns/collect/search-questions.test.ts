// How many packets the search for misplaced and misspelt records sends: thousands of tenants wait for days.
import { AUTHORITATIVE_ANSWER, type Packet } from 'dns-packet';
import { beforeEach, describe, expect, test } from 'vitest';
import { toAnswer } from '../../../../src/dev/world/zone-answer.ts';
import type { ZoneRecord } from '../../../../src/dev/world/zone-record.ts';
import { checkRecords } from '../../../../src/lib/dns/check-records.ts';
import type { DomainCheck } from '../../../../src/lib/dns/domain-check.ts';
import type { ExpectedRecord } from '../../../../src/lib/dns/expected-record.ts';
import { dkim, dmarc, returnPath, spf } from '../collected.ts';
import { delegation, soaOf, startNameServers, zoneAt, type NameServers } from '../name-servers.ts';

/** The four records of a domain, as the email service lists them. */
const recordsOf = (domain: string): readonly ExpectedRecord[] =>
  [{ ...dkim, name: 'so20261121-k3f9._domainkey.acme.com' }, spf, returnPath, dmarc].map((record) => ({
    ...record,
    name: record.name.replace('acme.com', domain),
  }));

const addresses = ['127.0.0.3', '127.0.0.4', '127.0.0.5', '127.0.0.6'];

/** For four records, the DMARC policies above a deep subdomain and the name servers of the zone, at each server. */
const OWN_MAX = 8;
/** For the search, at one of them: right after an earlier check, and without one. */
const SEARCH_MIN = 60;
const SEARCH_MAX = 400;

let servers: NameServers;
beforeEach(async () => {
  servers = await startNameServers(delegation('acme.test', ...addresses));
});

// Under load an answer may be late, and a second question would count.
const check = (domain: string, known: Partial<ExpectedRecord> = {}): Promise<DomainCheck> =>
  checkRecords(
    servers.resolver({ timeoutMs: 10_000 }),
    domain,
    recordsOf(domain).map((record) => ({ ...record, ...known })),
  );

/** How many packets reached each server, most first. */
const counted = (asked: readonly { readonly queries: readonly unknown[] }[]): readonly number[] =>
  asked.map(({ queries }) => queries.length).sort((one, other) => other - one);

async function publish(...records: readonly ZoneRecord[]): Promise<() => readonly number[]> {
  const zone = [...zoneAt('acme.test', ...addresses), ...records];
  const asked = await Promise.all(addresses.map((address) => servers.add(address, zone)));
  return () => counted(asked);
}

/** Four servers that answer questions other than that for the name servers with what `answer` makes of a name and type. */
async function script(answer: (name: string, type: string) => Packet): Promise<() => readonly number[]> {
  const hosts = delegation('acme.test', ...addresses)
    .filter(({ type }) => type === 'NS')
    .map(toAnswer);
  const asked = await Promise.all(
    addresses.map((address) =>
      servers.script(address, ({ questions }) => {
        const { name, type } = questions![0]!;
        const said = { flags: AUTHORITATIVE_ANSWER, ...answer(name, type) };
        const isNs = type === 'NS' && name.toLowerCase() === 'acme.test';
        return isNs && said.flags === AUTHORITATIVE_ANSWER ? { ...said, answers: hosts } : said;
      }),
    ),
  );
  return () => counted(asked);
}

const NXDOMAIN = { flags: AUTHORITATIVE_ANSWER | 3, authorities: [soaOf('acme.test')] };
const NO_DATA = { authorities: [soaOf('acme.test')] };
const a = (name: string): ZoneRecord => ({ name, type: 'A', value: '192.0.2.1' });
const text = (name: string, value: string): ZoneRecord => ({ name, type: 'TXT', value });

function expectFew(packets: readonly number[], ownMax = OWN_MAX, searchMax = SEARCH_MIN): void {
  expect(packets).toHaveLength(addresses.length);
  expect(packets[0]).toBeLessThanOrEqual(ownMax + searchMax);
  expect(packets[1]).toBeLessThanOrEqual(ownMax);
}

describe('four missing records take few packets, and only one server is searched', () => {
  test.each<[string, string, readonly ZoneRecord[]]>([
    ['in an empty zone', 'acme.test', []],
    ['of a subdomain in an empty zone', 'mail.acme.test', []],
    ['of a subdomain with a host', 'mail.acme.test', [a('mail.acme.test')]],
    ['of a deep subdomain', 'a.b.c.acme.test', [a('a.b.c.acme.test')]],
    ['beside ordinary hosts', 'acme.test', [a('acme.test'), a('www.acme.test'), a('mail.acme.test')]],
    ['beside the key of another sender', 'acme.test', [text('google._domainkey.acme.test', 'v=DKIM1; p=AAAA')]],
  ])('%s', async (_title, domain, records) => {
    const packets = await publish(...records);
    expect(await check(domain, { checkedSecondsAgo: 1 })).toMatchObject({ verified: false, conclusive: true });
    expectFew(packets());
  });

  test.each<[string, number, (name: string, type: string) => Packet]>([
    ['where a wildcard makes every name exist', OWN_MAX, () => NO_DATA],
    ['where a server denies each name', OWN_MAX, (_name, type) => (type === 'NS' ? NO_DATA : NXDOMAIN)],
    // Values need questions for the wildcard and for the apex of their zone.
    [
      'where a wildcard text answers for every name',
      2 * OWN_MAX,
      (name, type) => (type === 'TXT' ? { answers: [{ type, name, ttl: 60, data: 'anything' }] } : NO_DATA),
    ],
    // Each denial of a record itself is asked for in lower case too.
    [
      'where a server knows names in lower case only',
      2 * OWN_MAX,
      (name) => (name === name.toLowerCase() ? NO_DATA : { flags: AUTHORITATIVE_ANSWER | 3 }),
    ],
    // The target of each alias is looked up as well.
    [
      'where a wildcard alias answers for every name',
      4 * OWN_MAX,
      (name, type) =>
        name.toLowerCase() === 'www.acme.test' || type === 'SOA' || type === 'NS'
          ? NO_DATA
          : { answers: [{ type: 'CNAME', name, ttl: 60, data: 'www.acme.test' }] },
    ],
  ])('%s', async (_title, ownMax, answer) => {
    const packets = await script(answer);
    expect(await check('acme.test', { checkedSecondsAgo: 1 })).toMatchObject({ verified: false, conclusive: true });
    expectFew(packets(), ownMax);
  });

  test.each<[string, number | null, number]>([
    ['ever', null, SEARCH_MAX],
    ['in half an hour', 1_800, SEARCH_MAX],
    ['in three minutes', 180, SEARCH_MIN + 90],
  ])('in the first check %s', async (_title, checkedSecondsAgo, searchMax) => {
    const packets = await publish(text('google._domainkey.acme.test', 'v=DKIM1; p=AAAA'));
    expect(await check('acme.test', { checkedSecondsAgo })).toMatchObject({ verified: false, conclusive: true });
    expectFew(packets(), OWN_MAX, searchMax);
    // Under load, time ends it sooner.
    expect(packets()[0]).toBeGreaterThan(SEARCH_MIN + OWN_MAX);
  });
});

test('a mistyped host that a check has found is found in the next one, however soon', async () => {
  const name = 'so2026112-k3f9._domainkey.acme.test';
  const packets = await publish(text(name, dkim.value));
  const findingsOf = ({ records }: DomainCheck): unknown =>
    records[0]!.findings.map((finding) => [finding.code, finding.name]);
  expect(findingsOf(await check('acme.test', { checkedSecondsAgo: 1 }))).toMatchObject([
    ['not_published', expect.anything()],
  ]);
  expect(findingsOf(await check('acme.test'))).toEqual([['host_wrong', name]]);
  const before = packets()[0]!;
  expect(findingsOf(await check('acme.test', { checkedSecondsAgo: 1, seenAt: [name] }))).toEqual([
    ['host_wrong', name],
  ]);
  expect(packets()[0]! - before).toBeLessThanOrEqual(OWN_MAX + SEARCH_MIN);
});

describe('a mistyped host is found in a check without an earlier one', () => {
  const [dkimOfAcme, spfOfAcme, mxOfAcme, dmarcOfAcme] = recordsOf('acme.test');
  const mistyped = (
    record: ExpectedRecord | undefined,
    from: string,
    to: string,
  ): readonly [ExpectedRecord, string] => [record!, record!.name.replace(from, to)];

  test.each<readonly [ExpectedRecord, string]>([
    mistyped(dkimOfAcme, 'so', '_so'),
    mistyped(dkimOfAcme, 'so2', 's02'),
    mistyped(dkimOfAcme, '1121', '11121'),
    mistyped(dkimOfAcme, '-k3', '-l3'),
    mistyped(dkimOfAcme, 'k3f9', 'k3f0'),
    mistyped(dkimOfAcme, 'domainkey', 'doma8nkey'),
    mistyped(dkimOfAcme, 'domainkey', 'dornainkey'),
    mistyped(dkimOfAcme, 'domainkey', 'domainnkey'),
    mistyped(spfOfAcme, 'bounce', 'bpunce'),
    mistyped(dkimOfAcme, 'domain', 'doamin'),
    mistyped(dkimOfAcme, 'domainkey', 'domainkeyy'),
    mistyped(dkimOfAcme, 'domainkey', 'domankey'),
    mistyped(dkimOfAcme, '._domainkey', '._domainkey.bounce'),
    mistyped(spfOfAcme, 'bounce', 'bouce'),
    mistyped(spfOfAcme, 'bounce', 'bounce1'),
    mistyped(mxOfAcme, 'bounce', 'bonuce'),
    mistyped(dmarcOfAcme, '_dmarc', '_dmarcs'),
    mistyped(dmarcOfAcme, '_dmarc', '_dmrac'),
  ])('$purpose at %s', async (record, name) => {
    const all = recordsOf('acme.test').map((one) => (one.purpose === record.purpose ? { ...one, name } : one));
    const packets = await publish(...all.map(({ name, type, value }): ZoneRecord => ({ name, type, value })));
    const { records } = await check('acme.test');
    const findings = records.find(({ purpose }) => purpose === record.purpose)!.findings;
    expect(findings).toMatchObject([{ code: expect.stringMatching(/^(?:host|selector)_wrong$/) as string, name }]);
    expect(packets()[0]).toBeLessThanOrEqual(2 * OWN_MAX + SEARCH_MAX);
  });
});

test('finds four records with their hosts doubled in few packets', async () => {
  const packets = await publish(
    ...recordsOf('acme.test').map(({ name, type, value }): ZoneRecord => ({ name: `${name}.acme.test`, type, value })),
  );
  const { records } = await check('acme.test');
  expect(records.map(({ findings }) => findings.map(({ code }) => code))).toEqual(records.map(() => ['host_doubled']));
  expect(packets()[0]).toBeLessThanOrEqual(24);
});

test('finds doubled hosts at a server that denies the empty name above them', async () => {
  const records = recordsOf('acme.test');
  await script((name, type) => {
    const record = records.find((one) => `${one.name}.acme.test` === name.toLowerCase() && one.type === type);
    if (record === undefined) return type === 'NS' ? NO_DATA : NXDOMAIN;
    return { answers: [toAnswer({ ...record, name })] };
  });
  const { records: checked } = await check('acme.test');
  expect(checked.map(({ findings }) => findings.map(({ code }) => code))).toEqual(checked.map(() => ['host_doubled']));
});

test('ends the search when the server falls silent', async () => {
  let asked = 0;
  const own = new Set(recordsOf('acme.test').map(({ name }) => name));
  await script((name, type) => {
    if (type === 'NS') return NO_DATA;
    if (own.has(name.toLowerCase())) return NXDOMAIN;
    asked += 1;
    return { flags: 2 };
  });
  expect(await check('acme.test')).toMatchObject({ verified: false, conclusive: true });
  expect(asked).toBeLessThanOrEqual(100);
});
