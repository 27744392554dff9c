// What is asked beyond the record itself, of real servers: only what can explain the answer, and never too early.
import { AUTHORITATIVE_ANSWER, type Answer, type Packet } from 'dns-packet';
import { beforeEach, describe, expect, test } from 'vitest';
import { toAnswer } from '../../../../src/dev/world/zone-answer.ts';
import type { ZoneRecord } from '../../../../src/dev/world/zone-record.ts';
import type { DomainCheck } from '../../../../src/lib/dns/domain-check.ts';
import type { ExpectedRecord } from '../../../../src/lib/dns/expected-record.ts';
import { checkRecords } from '../../../../src/lib/dns/check-records.ts';
import { EDNS } from '../../../../src/lib/dns/resolver/ask-server.ts';
import type { AuthoritativeResolverOptions } from '../../../../src/lib/dns/resolver/authoritative-resolver.ts';
import { isPublicAddress } from '../../../../src/lib/dns/public-address.ts';
import { valueChunks } from '../../../../src/lib/dns/records/value-chunks.ts';
import { alias as aliasOfAcmeCom, KEY, OTHER_KEY as OTHER, recordsOf } from '../collected.ts';
import { delegation, soaOf, startNameServers, zoneAt, type NameServers } from '../name-servers.ts';

const { dkim, spf: ownSpf, dmarc } = recordsOf('acme.test');
const spf: ExpectedRecord = { ...ownSpf, value: 'v=spf1 include:spf.sendoff.test -all' };
const ofMail: ExpectedRecord = { ...dmarc, name: '_dmarc.mail.acme.test' };
const OTHER_KEY = `v=DKIM1; k=rsa; p=${OTHER}`;
const SERVFAIL = 2;
const NXDOMAIN = 3;

const text = (name: string, value: string): ZoneRecord => ({ name, type: 'TXT', value });
const txt = (name: string, value: string, ttlSeconds = 60): Answer => toAnswer({ ...text(name, value), ttlSeconds });
const NO_DATA: Packet = { authorities: [soaOf('acme.test')] };
const DENIED: Packet = { ...NO_DATA, flags: AUTHORITATIVE_ANSWER | NXDOMAIN };

let servers: NameServers;
beforeEach(async () => {
  servers = await startNameServers([
    ...delegation('acme.test', '127.0.0.3', '127.0.0.4'),
    ...delegation('other.test', '127.0.0.5'),
    ...delegation('sendoff.test', '127.0.0.6'),
    // Registered as a host of name servers, and not delegated.
    { name: 'ns1.globex.test', type: 'A', value: '127.0.0.3' },
  ]);
  const ofSender = text('spf.sendoff.test', 'v=spf1 ip4:192.0.2.1 ip6:2001:db8::1 -all');
  await servers.serve('sendoff.test', '127.0.0.6', ofSender);
});

const zone = (...records: readonly ZoneRecord[]): readonly ZoneRecord[] => [
  ...zoneAt('acme.test', '127.0.0.3', '127.0.0.4'),
  ...records,
];

/** Both servers of acme.test with the same records. */
async function publish(...records: readonly ZoneRecord[]): Promise<() => readonly string[]> {
  const first = await servers.add('127.0.0.3', zone(...records));
  await servers.add('127.0.0.4', zone(...records));
  return () => first.queries.map(({ name }) => name);
}

const publishOther = (...records: readonly ZoneRecord[]): Promise<unknown> =>
  servers.serve('other.test', '127.0.0.5', ...records);

const nsOfAcme = ['ns1.acme.test', 'ns2.acme.test'].map((value) => toAnswer({ type: 'NS', name: 'acme.test', value }));

/** Both servers of acme.test, answering with what `answer` makes of a name. */
async function script(answer: (name: string, type: string) => Packet): Promise<void> {
  for (const host of ['127.0.0.3', '127.0.0.4']) {
    await servers.script(host, ({ questions }) => {
      const { name, type } = questions![0]!;
      return { flags: AUTHORITATIVE_ANSWER, ...answer(name.toLowerCase(), type) };
    });
  }
}

interface Asked {
  readonly name: string;
  readonly type: string;
  readonly checkingDisabled: boolean;
}

/** A recursive resolver that knows where `test` is, and says of other names what `answer` does. */
async function startResolver(answer: (asked: Asked) => Packet | undefined): Promise<() => readonly string[]> {
  const asked: string[] = [];
  await servers.script('127.0.0.8', (query) => {
    const { name: asWritten, type } = query.questions![0]!;
    const name = asWritten.toLowerCase();
    if (name === 'test') {
      return {
        answers: [{ type: 'NS', name, ttl: 60, data: 'ns1.test' }],
        additionals: [{ type: 'A', name: 'ns1.test', ttl: 60, data: '127.0.0.2' }],
      };
    }
    asked.push(`${type} ${name}${query.flag_cd ? ' unchecked' : ''}`);
    return answer({ name, type, checkingDisabled: query.flag_cd });
  });
  return () => asked;
}

interface Circumstances extends Partial<AuthoritativeResolverOptions> {
  readonly domain?: string;
}

const check = (
  expected: ExpectedRecord,
  { domain = 'acme.test', ...options }: Circumstances = {},
): Promise<DomainCheck> => checkRecords(servers.resolver({ timeoutMs: 5_000, ...options }), domain, [expected]);

const checkThroughCaches = (expected: ExpectedRecord, circumstances: Circumstances = {}): Promise<DomainCheck> =>
  check(expected, { ...circumstances, resolvers: [`127.0.0.8:${servers.port}`] });

const codes = ({ records }: DomainCheck): readonly string[] => records[0]!.findings.map(({ code }) => code);

describe('the right key elsewhere', () => {
  test.each([
    ['default._domainkey.acme.test', 'under an example’s selector'],
    ['_domainkey.acme.test', 'without a selector'],
    ['k1.acme.test', 'without _domainkey'],
    ['k1.domainkey.acme.test', 'without the underscore'],
    ['k1._domainkey._domainkey.acme.test', 'with _domainkey twice'],
    ['k1._domainkeys.acme.test', 'with one letter more'],
    ['k1._domain.acme.test', 'with half of the label'],
    ['_domainkey.k1.acme.test', 'with its labels swapped'],
    ['k1_domainkey.acme.test', 'with a dot lost'],
    ['k1domainkey.acme.test', 'with a dot and the underscore lost'],
    ['k1.-domainkey.acme.test', 'with a hyphen for the underscore'],
    ['k1-domainkey.acme.test', 'with a hyphen for the dot'],
    ['k1._domain-key.acme.test', 'with a hyphen in the label'],
    ['k1.dkim.acme.test', 'with another word'],
  ])('at %s, %s, is found there', async (name) => {
    await publish(text(name, dkim.value));
    const seen = await check(dkim);
    expect(seen).toMatchObject({ verified: false, conclusive: true });
    expect(seen.records[0]!.findings).toMatchObject([{ code: 'selector_wrong', name }]);
  });

  test.each([
    ['k1._domainkey.k1._domainkey.acme.test', 'host_wrong'],
    ['k1._domainkey.www.acme.test', 'host_wrong'],
    ['mail.k1._domainkey.acme.test', 'host_wrong'],
    ['k1._domainkeyacme.test.acme.test', 'host_wrong'],
    ['k1._domainkey.acmetest.acme.test', 'host_wrong'],
    ['k1._domainkey.acme.test.acme.test.acme.test', 'host_doubled'],
  ])('at %s is found there: %s', async (name, code) => {
    await publish(text(name, dkim.value));
    expect((await check(dkim)).records[0]!.findings).toMatchObject([{ code, name }]);
  });

  test('with something around it is found at another name', async () => {
    await publish(text('k1.acme.test', `"${dkim.value}"`));
    expect((await check(dkim)).records[0]!.findings).toMatchObject([{ code: 'selector_wrong', name: 'k1.acme.test' }]);
  });

  test.each([
    'so20261121k3f9',
    'so20261121.k3f9',
    'so20261121_k3f9',
    'so20261121',
    'k3f9',
    'o20261121-k3f9',
    'so20261121-k3f',
  ])('under %s instead of so20261121-k3f9 is found there', async (selector) => {
    await publish(text(`${selector}._domainkey.acme.test`, dkim.value));
    const seen = await check({ ...dkim, name: 'so20261121-k3f9._domainkey.acme.test' });
    expect(seen.records[0]!.findings).toMatchObject([
      { code: 'selector_wrong', name: `${selector}._domainkey.acme.test` },
    ]);
  });

  test('in capital letters is at its name', async () => {
    await publish(text('K1._DOMAINKEY.acme.test', dkim.value));
    expect(await check(dkim)).toMatchObject({ verified: true });
  });

  test('under an unknown selector is not found, and the fix says that other names exist', async () => {
    await publish(text('zq7._domainkey.acme.test', dkim.value));
    expect((await check(dkim)).records[0]!.findings).toMatchObject([
      { code: 'not_published', fix: expect.stringContaining('Other names exist below _domainkey.acme.test') as string },
    ]);
  });

  test('takes fewer than 70 names to search for right after another check', async () => {
    const asked = await publish(text('google._domainkey.acme.test', OTHER_KEY));
    const name = 'so20261121-k3f9._domainkey.acme.test';
    expect(codes(await check({ ...dkim, name, checkedSecondsAgo: 1 }))).toEqual(['not_published']);
    expect(new Set(asked()).size).toBeLessThan(70);
  });

  test('is searched below a _domainkey that a server denies although it has names below it', async () => {
    const other = 'default._domainkey.acme.test';
    await script((name, type) => {
      if (name === 'acme.test' && type === 'NS') return { answers: nsOfAcme };
      if (name === other && type === 'TXT') return { answers: [txt(name, dkim.value)] };
      return DENIED;
    });
    expect((await check(dkim)).records[0]!.findings).toMatchObject([{ code: 'selector_wrong', name: other }]);
  });
});

describe('a DMARC policy', () => {
  const checkMail = (): Promise<DomainCheck> => check(ofMail, { domain: 'mail.acme.test' });

  test.each(['dmarc', '-dmarc', '_dmarc._dmarc', '_dmarc_', '_dmarc.acmetest'])(
    'at %s is found there, and keeps its value',
    async (host) => {
      await publish(text(`${host}.acme.test`, 'v=DMARC1; p=reject'));
      expect((await check(dmarc)).records[0]!.findings).toMatchObject([
        { code: 'host_wrong', publish: { host: '_dmarc', value: 'v=DMARC1; p=reject' } },
      ]);
    },
  );

  test.each(['v=DMARC1; p=reject', 'v=DMARC1; p=reject; sp=none', 'v=DMARC1; p=quarantine; rua=mailto:d@acme.test'])(
    'of the organizational domain, %s, counts for a subdomain',
    async (policy) => {
      await publish(text('_dmarc.acme.test', policy));
      expect((await checkMail()).records[0]).toMatchObject({ status: 'found', findings: [] });
    },
  );

  test.each([
    ['beside a text that receivers ignore', [text(ofMail.name, 'dmarc')]],
    ['in a zone of its own', delegation('mail.acme.test', '127.0.0.5')],
  ])('of the organizational domain counts %s', async (_title, records) => {
    await publish(...records, text('_dmarc.acme.test', 'v=DMARC1; p=reject'));
    await servers.serve('mail.acme.test', '127.0.0.5');
    expect((await checkMail()).records[0]).toMatchObject({ status: 'found', findings: [] });
  });

  test('of the organizational domain that is not valid is to be corrected there', async () => {
    await publish(text('_dmarc.acme.test', 'v=DMARC1; p=rejct'));
    const [record] = (await checkMail()).records;
    expect(record).toMatchObject({
      status: 'missing',
      findings: [{ code: 'dmarc_organization_invalid', name: '_dmarc.acme.test' }],
    });
    expect(record!.findings[0]!.publish).toBeUndefined();
  });

  test('of the domain that is not valid is to be deleted where the organizational domain has one', async () => {
    await publish(text('_dmarc.acme.test', 'v=DMARC1; p=reject'), text(ofMail.name, 'v=DMARC1; p=maybe'));
    const [record] = (await checkMail()).records;
    expect(record).toMatchObject({ status: 'wrong', findings: [{ code: 'value_mismatch' }] });
    expect(record!.findings[0]!.fix).toContain('Delete it: the policy at _dmarc.acme.test then applies');
    expect(record!.findings[0]!.publish).toBeUndefined();
  });

  test('is advised where no domain above has one', async () => {
    await publish();
    expect((await checkMail()).records[0]!.findings).toMatchObject([
      { code: 'not_published', publish: { value: 'v=DMARC1; p=none' } },
    ]);
  });

  // Receivers of RFC 9989 apply what is found first on the way up, those of RFC 9091 what a registry asks for.
  test.each<[string, string, string]>([
    ['_dmarc.mail.acme.test', 'v=DMARC1; p=reject', 'v=DMARC1; p=reject'],
    ['_dmarc.mail.acme.test', 'v=DMARC1; p=reject; sp=quarantine', 'v=DMARC1; p=quarantine'],
    [
      '_dmarc.mail.acme.test',
      'v=DMARC1; p=none; np=reject; rua=mailto:d@acme.test',
      'v=DMARC1; p=reject; rua=mailto:d@acme.test',
    ],
    ['_dmarc.mail.acme.test', '"v=DMARC1; p=reject"', 'v=DMARC1; p=reject'],
    ['_dmarc.mail.acme.test', 'v=DMARC1; p=none', 'v=DMARC1; p=none'],
    ['_dmarc.acme.test', '"v=DMARC1; p=reject"', 'v=DMARC1; p=reject'],
    ['_dmarc.acme.test', ' v=DMARC1; p=reject', 'v=DMARC1; p=reject'],
    ['_dmarc.test', 'v=DMARC1; p=reject; psd=y', 'v=DMARC1; p=reject'],
  ])('at %s, %j, is not weakened by the advice for a subdomain', async (name, policy, value) => {
    await publish(...(name === '_dmarc.test' ? [] : [text(name, policy)]));
    if (name === '_dmarc.test') servers.top.publish([text(name, policy)]);
    const [record] = (await check({ ...dmarc, name: '_dmarc.eu.mail.acme.test' }, { domain: 'eu.mail.acme.test' }))
      .records;
    expect(record).toMatchObject({ status: 'missing', findings: [{ code: 'not_published', publish: { value } }] });
  });

  test('of the domain that is damaged is corrected where it is stricter than that of the organizational domain', async () => {
    await publish(text('_dmarc.acme.test', 'v=DMARC1; p=none'), text(ofMail.name, 'v=DMARC1; p:reject'));
    expect((await checkMail()).records[0]!.findings).toMatchObject([{ publish: { value: 'v=DMARC1; p=reject' } }]);
  });

  test('of a wildcard that is damaged keeps what it says', async () => {
    await script((name, type) => {
      if (type === 'NS' && name === 'acme.test') return { answers: nsOfAcme };
      return type === 'TXT' && name !== 'acme.test' ? { answers: [txt(name, '"v=DMARC1; p=reject"')] } : NO_DATA;
    });
    expect((await check(dmarc)).records[0]!.findings).toMatchObject([{ publish: { value: 'v=DMARC1; p=reject' } }]);
  });

  test.each(['"v=DMARC1; p=reject"', '&quot;v=DMARC1; p=reject&quot;', 'TXT v=DMARC1; p=reject'])(
    'entered as %s keeps what it says',
    async (value) => {
      await publish(text(dmarc.name, value));
      expect((await check(dmarc)).records[0]!.findings).toMatchObject([{ publish: { value: 'v=DMARC1; p=reject' } }]);
    },
  );
});

test('a wildcard of the zone is no record at a doubled host', async () => {
  // A wildcard answers for no name below one that exists (RFC 4592 section 3.3.1).
  await script((name, type) => {
    if (type === 'NS' && name === 'acme.test') return { answers: nsOfAcme };
    const exists = ['acme.test', 'mail.acme.test'].includes(name);
    if (!exists && name.endsWith('.mail.acme.test')) return DENIED;
    return type === 'TXT' && !exists ? { answers: [txt(name, 'v=spf1 -all')] } : NO_DATA;
  });
  const { records } = await check({ ...spf, name: 'bounce.mail.acme.test' }, { domain: 'mail.acme.test' });
  expect(records[0]!.findings.map(({ code }) => code)).toEqual(['not_published']);
});

describe('a record of a subdomain', () => {
  const ofMail = { ...spf, name: 'bounce.mail.acme.test' };
  const checkMail = (): Promise<DomainCheck> => check(ofMail, { domain: 'mail.acme.test' });

  test.each([
    ['bounce.mail.mail.acme.test', 'host_doubled'],
    ['bounce.mail.acme.acme.test', 'host_doubled'],
    ['bounce.mail.acme.test.mail.acme.test', 'host_doubled'],
    ['bounce.mail.acme.test.acme.test', 'host_doubled'],
    ['bounce.acme.test', 'host_on_parent'],
    ['mail.acme.test', 'host_left_out'],
    ['acme.test', 'host_left_out'],
  ])('at %s is found there: %s', async (name, code) => {
    await publish(text(name, spf.value));
    expect((await checkMail()).records[0]!.findings).toMatchObject([{ code, name }]);
  });

  test('at the domain two levels above is found there', async () => {
    await publish(text('bounce.acme.test', spf.value));
    const seen = await check({ ...spf, name: 'bounce.eu.mail.acme.test' }, { domain: 'eu.mail.acme.test' });
    expect(seen.records[0]!.findings).toMatchObject([{ code: 'host_on_parent', name: 'bounce.acme.test' }]);
  });

  test('in the zone above a delegation is not found, and the fix names the zone and its servers', async () => {
    await publish(...delegation('mail.acme.test', '127.0.0.5'), text(ofMail.name, spf.value));
    await servers.serve('mail.acme.test', '127.0.0.5');
    const seen = await checkMail();
    expect(seen.records[0]).toMatchObject({ zone: 'mail.acme.test', host: 'bounce', status: 'missing' });
    const [finding] = seen.records[0]!.findings;
    expect(finding).toMatchObject({ code: 'not_published', publish: { host: 'bounce' } });
    expect(finding!.fix).toContain('Zone mail.acme.test has its own name servers (ns1.mail.acme.test)');
  });

  test('of a delegated zone with a doubled subdomain is found there', async () => {
    await publish(...delegation('mail.acme.test', '127.0.0.5'));
    await servers.serve('mail.acme.test', '127.0.0.5', text('bounce.mail.mail.acme.test', spf.value));
    expect((await checkMail()).records[0]!.findings).toMatchObject([
      { code: 'host_doubled', name: 'bounce.mail.mail.acme.test' },
    ]);
  });
});

test.each([
  [spf, 'v=spf1 include:spf.sendoff.test -all'],
  [dkim, dkim.value],
])('a record of type SPF is found by that type', async (expected, value) => {
  await script((name, type) => {
    if (name !== expected.name) return NO_DATA;
    const data = Buffer.concat(
      valueChunks(value).map((part) => Buffer.from(`${String.fromCharCode(part.length)}${part}`, 'latin1')),
    );
    return type === 'SPF' ? { answers: [{ type, name, ttl: 60, data } as unknown as Answer] } : NO_DATA;
  });
  expect((await check(expected)).records[0]).toMatchObject({
    status: 'wrong',
    findings: [{ code: 'wrong_type', found: [`SPF ${value}`] }],
  });
});

test('names the records whose values were swapped', async () => {
  await publish(text(dkim.name, spf.value), text(spf.name, dkim.value));
  const seen = await checkRecords(servers.resolver(), 'acme.test', [dkim, spf]);
  expect(seen.records.map(({ status, findings }) => [status, findings.map(({ code }) => code)])).toEqual([
    ['wrong', ['value_of_other_record']],
    ['wrong', ['value_of_other_record']],
  ]);
});

describe('an alias at the name', () => {
  test('to another sender’s record is in the way', async () => {
    await publish({ name: spf.name, type: 'CNAME', value: 'mail.other.test' });
    await publishOther(text('mail.other.test', 'v=spf1 a:mail.other.test -all'));
    const seen = await check(spf);
    expect(seen.records[0]).toMatchObject({
      status: 'wrong',
      findings: [{ code: 'cname_conflict', found: ['CNAME mail.other.test'] }],
    });
  });

  test('beside the right record is in the way, because resolvers may follow it', async () => {
    await script((name, type) => {
      if (name !== dkim.name || type !== 'TXT') return NO_DATA;
      return { answers: [{ type: 'CNAME', name, ttl: 60, data: 'keys.other.test' }, txt(name, OTHER_KEY)] };
    });
    const seen = await check({ ...dkim, value: OTHER_KEY });
    expect(seen.verified).toBe(false);
    expect(codes(seen)).toEqual(['cname_conflict']);
  });

  test('from a wildcard is not in the way', async () => {
    await publishOther(text('shop.other.test', 'v=spf1 -all'));
    await script((name, type) => {
      if (name === 'acme.test') return { answers: type === 'SOA' ? [soaOf(name)] : [] };
      return { answers: [{ type: 'CNAME', name, ttl: 60, data: 'shop.other.test' }] };
    });
    const seen = await check(spf);
    expect(seen.records[0]).toMatchObject({ status: 'missing', findings: [{ code: 'not_published' }] });
  });
});

test('asks for no name beside the apex of a zone', async () => {
  await publish(text('acme.test', 'v=spf1 -all'));
  const seen = await check({ ...spf, name: 'acme.test' });
  expect(codes(seen)).toEqual(['spf_missing_mechanism']);
  expect(servers.top.queries.filter(({ name }) => name === 'no-such-host.test')).toEqual([]);
});

test('finds a misplaced record although a wildcard answers at the name', async () => {
  const doubled = `${spf.name}.acme.test`;
  await script((name, type) => {
    if (type === 'SOA') return name === 'acme.test' ? { answers: [soaOf(name)] } : NO_DATA;
    return { answers: [txt(name, name === doubled ? spf.value : 'v=spf1 -all')] };
  });
  const seen = await check(spf);
  expect(seen.records[0]).toMatchObject({ status: 'missing', findings: [{ code: 'host_doubled', name: doubled }] });
});

test('reports a registered domain without name servers as not delegated', async () => {
  const seen = await check({ ...dkim, name: 'k1._domainkey.mail.globex.test' }, { domain: 'mail.globex.test' });
  expect(seen).toMatchObject({ verified: false, conclusive: true });
  expect(seen.records[0]!.findings).toMatchObject([{ code: 'ns_not_delegated', name: 'globex.test' }]);
});

test('reports a domain that the top-level domain denies as unregistered', async () => {
  const seen = await check({ ...dkim, name: 'k1._domainkey.akme.test' }, { domain: 'akme.test' });
  expect(codes(seen)).toEqual(['domain_unregistered']);
});

test('reports an old key on one of two servers as stale, and does not verify the domain', async () => {
  await servers.add('127.0.0.3', zone(text(dkim.name, dkim.value)));
  await servers.add('127.0.0.4', zone(text(dkim.name, OTHER_KEY)));
  const seen = await check(dkim);
  expect(seen.verified).toBe(false);
  expect(seen.records[0]!.findings).toMatchObject([
    { code: 'key_stale', server: 'ns2.acme.test (127.0.0.4)', found: [OTHER_KEY] },
  ]);
});

describe('SPF', () => {
  const others = 'v=spf1 include:a.other.test include:spf.sendoff.test -all';
  const hosts = (count: number): string => Array.from({ length: count }, (_, at) => `a:h${at}.other.test`).join(' ');
  const hostRecords = Array.from({ length: 12 }, (_, at): ZoneRecord => ({
    name: `h${at}.other.test`,
    type: 'A',
    value: '198.51.100.7',
  })).concat(
    Array.from({ length: 12 }, (_, at) => ({ name: `h${at}.other.test`, type: 'AAAA', value: '2001:db8:1::7' })),
  );

  async function publishOthers(...records: readonly ZoneRecord[]): Promise<void> {
    await publish(text(spf.name, others));
    await publishOther(...hostRecords, ...records);
  }

  test.each([
    [8, [] as readonly string[]],
    [9, ['spf_too_many_lookups']],
  ])('with an include of %i terms before ours has the findings %j', async (count, expected) => {
    await publishOthers(text('a.other.test', `v=spf1 ${hosts(count)} -all`));
    const seen = await check(spf);
    expect(codes(seen)).toEqual(expected);
    expect(seen.verified).toBe(expected.length === 0);
  });

  test('that allows the sender through the tenant’s own include and redirect is found', async () => {
    await publish(
      text(spf.name, 'v=spf1 redirect=_spf.acme.test'),
      text('_spf.acme.test', 'v=spf1 include:a.other.test'),
    );
    await publishOther(text('a.other.test', 'v=spf1 ip4:192.0.2.0/24 include:spf.sendoff.test ~all'));
    expect(await check(spf)).toMatchObject({ verified: true, records: [{ status: 'found', findings: [] }] });
  });

  test('that lists the addresses of the sender’s own record is found', async () => {
    await publish(text(spf.name, 'v=spf1 ip4:192.0.2.0/31 ip6:2001:db8::/64 -all'));
    expect(await check(spf)).toMatchObject({ verified: true });
  });

  test('that lists only one of the sender’s addresses is not found', async () => {
    await publish(text(spf.name, 'v=spf1 ip4:192.0.2.1 -all'));
    expect(codes(await check(spf))).toEqual(['spf_missing_mechanism']);
  });

  test('follows a redirect, and ignores terms after all', async () => {
    await publishOthers(
      text('a.other.test', 'v=spf1 redirect=b.other.test'),
      text('b.other.test', `v=spf1 -all ${hosts(12)}`),
    );
    expect(codes(await check(spf))).toEqual([]);
  });

  test('with endless includes is followed to the limit of receivers', async () => {
    await publish(text(spf.name, others));
    const endless = await servers.script('127.0.0.5', ({ questions }) => {
      const name = questions![0]!.name.toLowerCase();
      const type = questions![0]!.type;
      if (type !== 'TXT') return { flags: AUTHORITATIVE_ANSWER, authorities: [soaOf('other.test')] };
      return { flags: AUTHORITATIVE_ANSWER, answers: [txt(name, `v=spf1 include:x${name} -all`)] };
    });
    expect(codes(await check(spf))).toEqual(['spf_too_many_lookups']);
    const names = new Set(endless.queries.map(({ questions }) => questions![0]!.name.toLowerCase()));
    names.delete('other.test');
    expect(names.size).toBeLessThanOrEqual(10);
  });

  test.each([
    ['an include of a name without SPF', 'include:none.other.test', 'spf_include_broken'],
    ['an include of a name with two SPF records', 'include:two.other.test', 'spf_include_broken'],
    ['an include of a record that cannot be read', 'include:broken.other.test', 'spf_include_broken'],
    ['an mx of eleven hosts', 'mx:many.other.test', 'spf_too_many_mx_hosts'],
    ['three names that do not exist', 'a:n1.other.test a:n2.other.test mx:n3.other.test', 'spf_too_many_void_lookups'],
  ])('that is a permanent error before ours, by %s, is not found', async (_title, terms, code) => {
    await publish(text(spf.name, `v=spf1 ${terms} include:spf.sendoff.test -all`));
    await publishOther(
      ...hostRecords,
      text('two.other.test', 'v=spf1 -all'),
      text('two.other.test', 'v=spf1 ~all'),
      text('broken.other.test', 'v=spf1 ip4:192.0.2 -all'),
      ...hostRecords.slice(0, 11).map(({ name }): ZoneRecord => ({
        name: 'many.other.test',
        type: 'MX',
        value: `10 ${name}`,
      })),
    );
    const seen = await check(spf);
    expect(seen).toMatchObject({ verified: false, conclusive: true });
    expect(codes(seen)).toEqual([code]);
  });

  const aliases = Array.from({ length: 13 }, (_, at): ZoneRecord => ({
    name: `c${at}.other.test`,
    type: 'CNAME',
    value: `c${at + 1}.other.test`,
  }));
  const endless: readonly ZoneRecord[] = [
    { name: 'lp.other.test', type: 'CNAME', value: 'lp2.other.test' },
    { name: 'lp2.other.test', type: 'CNAME', value: 'lp.other.test' },
    { name: 'in.other.test', type: 'MX', value: '10 lp.other.test' },
    ...aliases,
    { name: 'c13.other.test', type: 'A', value: '192.0.2.1' },
  ];

  test.each([
    ['a:lp.other.test', 'cname_loop', 'lp.other.test'],
    ['exists:lp.other.test', 'cname_loop', 'lp.other.test'],
    ['mx:lp.other.test', 'cname_loop', 'lp.other.test'],
    ['mx:in.other.test', 'cname_loop', 'lp.other.test'],
    ['include:lp.other.test', 'cname_loop', 'lp.other.test'],
    ['a:c0.other.test', 'cname_too_long', 'c0.other.test'],
    ['include:c0.other.test', 'cname_too_long', 'c0.other.test'],
  ])('with %s, an endless alias, before ours is not found: %s', async (term, code, name) => {
    await publish(text(spf.name, `v=spf1 ${term} include:spf.sendoff.test -all`));
    await publishOther(...endless);
    const seen = await check(spf);
    expect(seen).toMatchObject({ verified: false, records: [{ status: 'wrong', findings: [{ code, name }] }] });
    expect(codes(seen)).toEqual([code]);
  });

  test('with an endless alias after ours is found', async () => {
    await publish(text(spf.name, 'v=spf1 include:spf.sendoff.test redirect=lp.other.test'));
    await publishOther(...endless);
    expect(codes(await check(spf))).toEqual([]);
  });

  test('of the sender that refers to an endless alias is reported as sender_spf_broken', async () => {
    const expected = { ...spf, value: 'v=spf1 a:lp.other.test ip4:192.0.2.1 -all' };
    await publish(text(spf.name, expected.value));
    await publishOther(...endless);
    expect(codes(await check(expected))).toEqual(['sender_spf_broken']);
  });

  test('whose include has a failing server is inconclusive and names the server', async () => {
    await publish(text(spf.name, others));
    await servers.script('127.0.0.5', () => ({ flags: SERVFAIL }));
    expect(await check(spf)).toMatchObject({
      verified: false,
      conclusive: false,
      records: [
        { status: 'inconclusive', findings: [{ code: 'server_failure', server: 'ns1.other.test (127.0.0.5)' }] },
      ],
    });
  });

  test('that refers to a missing record of the sender is reported as sender_spf_broken', async () => {
    const expected = { ...spf, value: 'v=spf1 include:gone.sendoff.test -all' };
    await publish(text(spf.name, expected.value));
    const seen = await check(expected);
    expect(seen).toMatchObject({ verified: false, conclusive: false });
    expect(codes(seen)).toEqual(['sender_spf_broken']);
  });

  test('that lists networks is judged without further questions', async () => {
    const expected = { ...spf, value: 'v=spf1 ip4:192.0.2.1 -all' };
    await publish(text(spf.name, 'v=spf1 ip4:192.0.2.0/24 include:a.other.test -all'));
    expect(await check(expected)).toMatchObject({ verified: true });
    expect(servers.top.queries.filter(({ name }) => !name.endsWith('acme.test'))).toEqual([]);
  });
});

describe('a private address', () => {
  // The servers of test count as public; those of acme.test are at 127.0.0.3 and 127.0.0.4.
  const mayAsk = (address: string): boolean => address === '127.0.0.2';

  test.each(['answers', 'is silent', 'refuses'])(
    'of a name server that %s is not asked, and no value is disclosed',
    async (what) => {
      const queries =
        what === 'answers'
          ? await publish(text(dkim.name, dkim.value))
          : await servers
              .script('127.0.0.3', () => (what === 'refuses' ? { flags: 5 } : undefined))
              .then((server) => () => server.queries.map(() => 'asked'));
      const seen = await check(dkim, { mayAsk });
      expect(queries()).toEqual([]);
      expect(seen).toMatchObject({ verified: false, conclusive: false });
      expect(seen.records[0]!.findings).toMatchObject([
        { code: 'ns_private_address', server: 'ns1.acme.test', found: [] },
        { code: 'ns_private_address', server: 'ns2.acme.test', found: [] },
      ]);
      expect(JSON.stringify(seen)).not.toContain('127.0.0');
    },
  );

  // Forms of IPv6 that carry an IPv4 address: some systems and gateways route them to it.
  const carriers = ['::ffff:127.0.0.3', '::ffff:10.0.0.1', '64:ff9b::7f00:3', '2002:7f00:3::1', '::127.0.0.3'];
  const publicOrTop = (address: string): boolean => mayAsk(address) || isPublicAddress(address);

  test.each(['127.0.0.3', '10.0.0.1', '169.254.169.254', '::1', 'fd00::1', ...carriers])(
    'that the parent names, %s, is not asked',
    async (address) => {
      const asked = await publish(text(dkim.name, dkim.value));
      servers.top.publish(delegation('hooli.test', address));
      const seen = await check(
        { ...dkim, name: 'k1._domainkey.hooli.test' },
        { domain: 'hooli.test', mayAsk: publicOrTop },
      );
      expect(seen).toMatchObject({ verified: false, conclusive: false });
      expect(seen.records[0]!.findings).toMatchObject([
        { code: 'ns_private_address', server: 'ns1.hooli.test', found: [] },
      ]);
      expect(asked()).toEqual([]);
    },
  );

  test.each(carriers)('from only the machine’s resolver, %s, is not asked', async (address) => {
    const asked = await publish(text(dkim.name, dkim.value));
    servers.top.publish([{ name: 'initech.test', type: 'NS', value: 'db.internal.test' }]);
    servers.recursive.publish([{ name: 'db.internal.test', type: 'AAAA', value: address }]);
    const seen = await check(
      { ...dkim, name: 'k1._domainkey.initech.test' },
      { domain: 'initech.test', mayAsk: publicOrTop },
    );
    expect(seen.records[0]!.findings).toMatchObject([
      { code: 'server_failure', server: 'db.internal.test', found: ['noAddress'] },
    ]);
    expect(asked()).toEqual([]);
  });

  test('from only the machine’s resolver counts as no address', async () => {
    servers.top.publish([{ name: 'initech.test', type: 'NS', value: 'db.internal.test' }]);
    servers.recursive.publish([{ name: 'db.internal.test', type: 'A', value: '127.0.0.7' }]);
    const seen = await check({ ...dkim, name: 'k1._domainkey.initech.test' }, { domain: 'initech.test', mayAsk });
    expect(seen.records[0]!.findings).toMatchObject([
      { code: 'server_failure', server: 'db.internal.test', found: ['noAddress'] },
    ]);
  });

  test('behind a CNAME is not disclosed', async () => {
    await publish({ name: spf.name, type: 'CNAME', value: 'secret.other.test' });
    await publishOther(text('secret.other.test', 'password=x'));
    const open = (address: string): boolean => address !== '127.0.0.5';
    const seen = await check(spf, { mayAsk: open });
    expect(codes(seen)).toEqual(['ns_private_address']);
    expect(JSON.stringify(seen)).not.toContain('password');
  });
});

describe('recursive resolvers', () => {
  const INCLUDES = 'v=spf1 include:spf.acme.test -all';
  const denial = (ttl: number): Packet => ({ flags: NXDOMAIN, authorities: [soaOf('acme.test', ttl)] });
  const ds = { keyTag: 12_345, algorithm: 13, digestType: 2, digest: Buffer.alloc(32, 1) };
  const signed = { answers: [{ type: 'DS', name: 'acme.test', ttl: 60, data: ds } as Answer] };

  /** Checks the right key through a resolver that answers so. */
  async function checkKey(answer: (asked: Asked) => Packet | undefined): Promise<DomainCheck> {
    await startResolver(answer);
    await publish(text(dkim.name, dkim.value));
    return checkThroughCaches(dkim);
  }

  test('are not asked about a record that is not right yet', async () => {
    const asked = await startResolver(() => denial(42));
    await publish(text(dkim.name, OTHER_KEY));
    expect(codes(await checkThroughCaches(dkim))).toEqual(['key_mismatch']);
    expect(codes(await checkThroughCaches(spf))).toEqual(['not_published']);
    expect(asked()).toEqual([]);
  });

  test('that remember a denial are reported with the time left, and the domain is verified', async () => {
    const seen = await checkKey(() => denial(42));
    expect(seen).toMatchObject({ verified: true, conclusive: true });
    expect(seen.records[0]!.findings).toMatchObject([
      { code: 'negative_cached', severity: 'warning', server: `127.0.0.8:${servers.port}` },
    ]);
    expect(seen.records[0]!.findings[0]!.fix).toContain('in 42 seconds');
  });

  test('that remember another key are reported with the key and the time left', async () => {
    const seen = await checkKey(({ name }) => ({ answers: [txt(name, OTHER_KEY, 7)] }));
    expect(seen.verified).toBe(true);
    expect(seen.records[0]!.findings).toMatchObject([{ code: 'stale_cached', found: [OTHER_KEY] }]);
    expect(seen.records[0]!.findings[0]!.fix).toContain('in 7 seconds');
  });

  test('that follow an alias elsewhere do not disclose the value there', async () => {
    const seen = await checkKey(({ name }) => ({
      answers: [{ type: 'CNAME', name, ttl: 500, data: 'secret.internal' }, txt('secret.internal', 'password=x', 7)],
    }));
    expect(seen.records[0]!.findings).toMatchObject([{ code: 'stale_cached', found: [] }]);
    expect(JSON.stringify(seen)).not.toContain('password');
  });

  test.each<[string, Packet]>([
    ['have the record', { answers: [txt(dkim.name, dkim.value)] }],
    ['refuse', { flags: 5 }],
  ])('that %s cause no finding', async (_title, answer) => {
    expect(await checkKey(() => answer)).toMatchObject({ verified: true, records: [{ findings: [] }] });
  });

  test('that return a record of a signed zone only unchecked make it bogus', async () => {
    const asked = await startResolver(({ name, type, checkingDisabled }) => {
      if (type === 'DS') return signed;
      return checkingDisabled ? { answers: [txt(name, dkim.value)] } : { flags: SERVFAIL };
    });
    await publish(text(dkim.name, dkim.value));
    const seen = await checkThroughCaches(dkim);
    expect(seen).toMatchObject({ verified: false, conclusive: true, records: [{ status: 'wrong' }] });
    expect(codes(seen)).toEqual(['dnssec_bogus']);
    expect(asked()).toEqual([`TXT ${dkim.name}`, `TXT ${dkim.name} unchecked`, `TXT ${dkim.name}`, 'DS acme.test']);
  });

  test('that name DNSSEC as the cause need no signed delegation', async () => {
    // RFC 8914, code 12: the proof that the delegation is not signed is missing.
    const error = { code: 15, data: Buffer.from([0, 12]) };
    const opt = { ...EDNS, options: [error] } as unknown as Answer;
    const seen = await checkKey(({ name, type, checkingDisabled }) => {
      if (type === 'DS') return { authorities: [soaOf('test')] };
      if (checkingDisabled) return { answers: [txt(name, dkim.value)] };
      return { flags: SERVFAIL, additionals: [opt] };
    });
    expect(seen.verified).toBe(false);
    expect(codes(seen)).toEqual(['dnssec_bogus']);
  });

  test('that reject a record because the zone of an alias is bogus keep the domain from being verified', async () => {
    await startResolver(({ name, type, checkingDisabled }) => {
      if (type === 'DS')
        return name === 'other.test'
          ? { answers: [{ ...signed.answers[0]!, name }] }
          : { authorities: [soaOf('test')] };
      if (!checkingDisabled) return { flags: SERVFAIL };
      return {
        answers: [{ type: 'CNAME', name, ttl: 60, data: 'k1.keys.other.test' }, txt('k1.keys.other.test', dkim.value)],
      };
    });
    await publish({ name: dkim.name, type: 'CNAME', value: 'k1.keys.other.test' });
    await publishOther(text('k1.keys.other.test', dkim.value));
    const seen = await checkThroughCaches(dkim);
    expect(seen.verified).toBe(false);
    expect(seen.records[0]!.findings).toMatchObject([
      { code: 'dnssec_bogus_alias', name: 'other.test', publish: { host: 'k1._domainkey' } },
    ]);
  });

  test('that disagree make us ask a server again that has two answers in turn', async () => {
    let turn = 0;
    await script((name, type) => {
      if (name === 'acme.test' && type === 'NS') return { answers: nsOfAcme };
      if (name !== dkim.name || type !== 'TXT') return NO_DATA;
      turn += 1;
      // Two servers are asked at a time.
      return { answers: [txt(name, turn % 4 === 1 || turn % 4 === 2 ? dkim.value : OTHER_KEY)] };
    });
    await startResolver(({ name }) => ({ answers: [txt(name, OTHER_KEY, 7)] }));
    const seen = await checkThroughCaches(dkim);
    expect(seen).toMatchObject({ verified: false, conclusive: true });
    expect(codes(seen)).toContain('answers_vary');
  });

  test('that were denied the record just now keep the domain from being verified', async () => {
    const seen = await checkKey(() => denial(900));
    expect(seen).toMatchObject({ verified: false, records: [{ findings: [{ code: 'resolver_disagrees' }] }] });
  });

  test('are asked in lower case, which they pass on', async () => {
    await publish(text(dkim.name, dkim.value));
    const names: string[] = [];
    await servers.script('127.0.0.8', ({ questions }) => {
      const { name, type } = questions![0]!;
      if (name.toLowerCase() === 'test') {
        return { answers: [{ type: 'NS', name, ttl: 60, data: 'ns1.test' }] };
      }
      names.push(name);
      if (name.toLowerCase() === 'ns1.test' && type === 'A') {
        return { answers: [{ type, name, ttl: 60, data: '127.0.0.2' }] };
      }
      return { answers: type === 'TXT' ? [txt(name, dkim.value)] : [] };
    });
    expect(await checkThroughCaches(dkim)).toMatchObject({ verified: true, records: [{ findings: [] }] });
    expect(new Set(names)).toEqual(new Set(['ns1.test', dkim.name]));
  });

  test('that refer to the zone’s servers cause no finding', async () => {
    await publish(text(dkim.name, dkim.value));
    expect(await check(dkim)).toMatchObject({ verified: true, records: [{ findings: [] }] });
    expect(servers.recursive.queries).toContainEqual(expect.objectContaining({ name: dkim.name }));
  });

  test('that fail only the first time cause no finding', async () => {
    let failures = 0;
    const seen = await checkKey(({ name, type, checkingDisabled }) => {
      if (type === 'DS') return signed;
      if (!checkingDisabled && (failures += 1) === 1) return { flags: SERVFAIL };
      return { answers: [txt(name, dkim.value)] };
    });
    expect(seen).toMatchObject({ verified: true, records: [{ findings: [] }] });
  });

  test.each<[string, (name: string, asked: Asked) => Packet | undefined]>([
    [
      'fail, unless unchecked, for a zone that is not signed',
      (name, { checkingDisabled }) => (checkingDisabled ? { answers: [txt(name, dkim.value)] } : { flags: SERVFAIL }),
    ],
    ['fail, also unchecked', () => ({ flags: SERVFAIL })],
    ['are silent', () => undefined],
  ])('that all %s leave the record inconclusive', async (_title, answer) => {
    const seen = await checkKey((asked) =>
      asked.type === 'DS' ? { authorities: [soaOf('test')] } : answer(asked.name, asked),
    );
    expect(seen).toMatchObject({ verified: false, conclusive: false, records: [{ status: 'inconclusive' }] });
    expect(seen.records[0]!.findings).toMatchObject([
      { code: 'not_resolved', severity: 'error', server: `127.0.0.8:${servers.port}` },
    ]);
  });

  test('that find no answer for what an SPF record includes leave it inconclusive', async () => {
    await startResolver(({ name }) =>
      name === 'spf.acme.test' ? { flags: SERVFAIL } : { answers: [txt(name, INCLUDES)] },
    );
    await publish(text(spf.name, INCLUDES), text('spf.acme.test', spf.value));
    const seen = await checkThroughCaches(spf);
    expect(seen).toMatchObject({ verified: false, conclusive: false });
    expect(seen.records[0]!.findings).toMatchObject([{ code: 'not_resolved', name: 'spf.acme.test' }]);
  });

  describe('that cannot resolve the policy of the organizational domain', () => {
    const organizational = '_dmarc.acme.test';
    const policy = 'v=DMARC1; p=reject';
    const checkMail = (): Promise<DomainCheck> => checkThroughCaches(ofMail, { domain: 'mail.acme.test' });

    test('leave the record inconclusive', async () => {
      const asked = await startResolver(() => ({ flags: SERVFAIL }));
      await publish(text(organizational, policy));
      const seen = await checkMail();
      expect(seen.records[0]).toMatchObject({
        status: 'inconclusive',
        findings: [{ code: 'not_resolved', name: organizational }],
      });
      // Its own name has no record that they could remember.
      expect(asked()).not.toContain(`TXT ${ofMail.name}`);
    });

    test('because its signatures are not valid reject the record', async () => {
      await startResolver(({ name, type, checkingDisabled }) => {
        if (type === 'DS') return signed;
        return checkingDisabled ? { answers: [txt(name, policy)] } : { flags: SERVFAIL };
      });
      await publish(text(organizational, policy));
      const seen = await checkMail();
      expect(seen.records[0]).toMatchObject({
        status: 'wrong',
        findings: [{ code: 'dnssec_bogus', name: 'acme.test' }],
      });
    });

    test('and do return it cause no finding', async () => {
      await startResolver(() => ({ answers: [txt(organizational, policy)] }));
      await publish(text(organizational, policy));
      expect((await checkMail()).records[0]).toMatchObject({ status: 'found', findings: [] });
    });
  });

  test('of which one has the record outvote one that fails', async () => {
    await startResolver(() => ({ flags: SERVFAIL }));
    await servers.script('127.0.0.9', ({ questions }) => ({ answers: [txt(questions![0]!.name, dkim.value)] }));
    await publish(text(dkim.name, dkim.value));
    const resolvers = ['127.0.0.8', '127.0.0.9'].map((address) => `${address}:${servers.port}`);
    expect(await check(dkim, { resolvers })).toMatchObject({ verified: true, records: [{ findings: [] }] });
  });
});

test('reads only the beginning of a value of more than 8 KiB', async () => {
  // Folding whitespace, RFC 6376 section 3.2: a short value with as much between the tags is right.
  const padded = (spaces: number): string => dkim.value.replace('; p=', `;${' '.repeat(spaces)}p=`);
  const other = 'k2._domainkey.acme.test';
  await publish(text(dkim.name, padded(5_000)), text(other, padded(9_000)));
  expect(await check(dkim)).toMatchObject({ verified: true });
  const seen = await check({ ...dkim, name: other });
  expect(seen).toMatchObject({ verified: false, records: [{ status: 'wrong' }] });
  const { found } = seen.records[0]!.findings[0]!;
  expect(found).toEqual([expect.stringMatching(/^v=DKIM1.{1,200}\.\.\. \(\d{4} bytes\)$/)]);
});

test('asks each server once for a right record', async () => {
  const asked = await publish(text(dkim.name, `v=DKIM1; p=${KEY}`));
  expect(await check(dkim)).toMatchObject({ verified: true });
  expect(asked().filter((name) => name !== 'acme.test')).toEqual([dkim.name, dkim.name]);
  expect(asked().filter((name) => name === 'acme.test')).toHaveLength(1);
});

describe('a CNAME record', () => {
  const alias: ExpectedRecord = { ...aliasOfAcmeCom, name: 't1._domainkey.acme.test', value: 'T1.DKIM.other.test.' };
  const cname = (name: string, value: string): ZoneRecord => ({ name, type: 'CNAME', value });
  const key = text('t1.dkim.other.test', dkim.value);

  test.each([
    ['as shown', [cname(alias.name, 't1.dkim.other.test')], 'found', []],
    ['in capitals', [cname('T1._DOMAINKEY.acme.test', 'T1.dkim.OTHER.test')], 'found', []],
    ['nowhere', [], 'missing', ['not_published']],
    [
      'with the zone appended to its host',
      [cname(`${alias.name}.acme.test`, 't1.dkim.other.test')],
      'missing',
      ['host_doubled'],
    ],
    ['without its host', [cname('t1.acme.test', 't1.dkim.other.test')], 'missing', ['selector_wrong']],
    [
      'with the zone appended to its target',
      [cname(alias.name, 't1.dkim.other.test.acme.test')],
      'wrong',
      ['cname_target_appended'],
    ],
    ['with another target', [cname(alias.name, 'old.other.test')], 'wrong', ['value_mismatch']],
    [
      'twice',
      [cname(alias.name, 't1.dkim.other.test'), cname(alias.name, 'old.other.test')],
      'wrong',
      ['cname_multiple'],
    ],
    ['as a text', [text(alias.name, 't1.dkim.other.test')], 'wrong', ['wrong_type']],
    ['behind a proxy', [{ name: alias.name, type: 'A', value: '104.21.5.9' }], 'missing', ['cname_proxied']],
    [
      'behind a proxy with IPv6 alone',
      [{ name: alias.name, type: 'AAAA', value: '2606:4700::6815:509' }],
      'missing',
      ['cname_proxied'],
    ],
    ['as an address', [{ name: alias.name, type: 'A', value: '192.0.2.7' }], 'missing', ['cname_not_alone']],
    ['where a key is', [text(alias.name, OTHER_KEY)], 'missing', ['cname_not_alone']],
    [
      'beside a key',
      [cname(alias.name, 't1.dkim.other.test'), text(alias.name, OTHER_KEY)],
      'wrong',
      ['cname_not_alone'],
    ],
  ] satisfies [string, ZoneRecord[], string, string[]][])('%s', async (_title, records, status, findings) => {
    await publishOther(key);
    await publish(...records);
    const seen = await check(alias);
    expect({ status: seen.records[0]!.status, codes: codes(seen) }).toEqual({ status, codes: findings });
  });

  test.each([
    ['A', '192.0.2.7'],
    ['A', '104.21.5.9'],
    ['TXT', 'hello'],
  ])('is only missing where a wildcard %s record %s answers for every name', async (type, value) => {
    await script((name, asked) => {
      const isOwn = name === 'acme.test' || name.startsWith('ns');
      if (isOwn) return asked === 'NS' ? { answers: nsOfAcme } : {};
      return asked === type ? { answers: [{ type, name, ttl: 60, data: value } as Answer] } : {};
    });
    expect(codes(await check(alias))).toEqual(['not_published']);
  });

  test('of a wildcard is not that of the tenant', async () => {
    await script((name, asked) =>
      name === 'acme.test'
        ? { answers: asked === 'NS' ? nsOfAcme : [] }
        : { answers: [{ type: 'CNAME', name, ttl: 60, data: 'parking.other.test' }] },
    );
    expect(codes(await check(alias))).toEqual(['not_published']);
  });

  test.each([
    ['does not exist', []],
    ['has no text', [{ name: 't1.dkim.other.test', type: 'A', value: '192.0.2.7' } as const]],
  ])('is found with a warning if its target %s', async (_title, records) => {
    await publishOther(...records);
    await publish(cname(alias.name, 't1.dkim.other.test'));
    expect((await check(alias)).records[0]).toMatchObject({
      status: 'found',
      findings: [{ code: 'cname_target_missing', severity: 'warning', name: 't1.dkim.other.test' }],
    });
  });

  test('is found while the servers of its target do not answer', async () => {
    await publish(cname(alias.name, 't1.dkim.other.test'));
    const seen = await check(alias, { timeoutMs: 200 });
    expect(seen.records[0]).toMatchObject({ status: 'found', findings: [] });
  });

  test('made by a DNAME record counts if its target is right', async () => {
    const dname = (name: string, data: string) => ({
      answers: [
        { type: 'DNAME', name: '_domainkey.acme.test', ttl: 60, data } as Answer,
        { type: 'CNAME', name, ttl: 60, data: `${name.split('.', 1)[0]!}.${data}` } as Answer,
      ],
    });
    let target = 'dkim.other.test';
    await publishOther(key);
    await script((name, type) =>
      name.endsWith('._domainkey.acme.test') ? dname(name, target) : { answers: type === 'NS' ? nsOfAcme : [] },
    );
    expect((await check(alias)).records[0]).toMatchObject({
      status: 'found',
      findings: [{ code: 'dname_above', severity: 'warning' }],
    });
    target = 'old.other.test';
    expect((await check(alias)).records[0]).toMatchObject({
      status: 'wrong',
      findings: [{ code: 'cname_conflict', name: '_domainkey.acme.test', found: ['CNAME t1.old.other.test'] }],
    });
  });

  test.each([
    ['the same', 'T1.dkim.other.test', []],
    ['an earlier one', 'old.other.test', ['stale_cached']],
  ])('at recursive resolvers is %s', async (_title, data, findings) => {
    await publishOther(key);
    await publish(cname(alias.name, 't1.dkim.other.test'));
    const asked = await startResolver(({ name, type }) =>
      name === alias.name
        ? { answers: [{ type: 'CNAME', name, ttl: 40, data }] }
        : { answers: [{ type: 'A', name, ttl: 60, data: '127.0.0.5' }].filter(() => type === 'A') as Answer[] },
    );
    const seen = await checkThroughCaches(alias);
    expect(codes(seen)).toEqual(findings);
    expect(asked().filter((question) => question.endsWith(alias.name))).toEqual([`CNAME ${alias.name}`]);
  });
});
