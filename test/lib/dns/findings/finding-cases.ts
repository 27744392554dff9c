// Answers of name servers, with the finding that each must lead to.
import type { CollectedRecord } from '../../../../src/lib/dns/collect/collected-record.ts';
import type { FindingCode } from '../../../../src/lib/dns/findings/finding.ts';
import type { ExpectedRecord } from '../../../../src/lib/dns/expected-record.ts';
import type { DnsAnswer, LookUpType, ZoneAnswers } from '../../../../src/lib/dns/resolver/answer.ts';
import type { CachedAnswer } from '../../../../src/lib/dns/resolver/ask-caches.ts';
import {
  alias,
  bounceAlias,
  bySecond,
  collected,
  dkim,
  dmarc,
  failed,
  found,
  KEY,
  OTHER_KEY,
  noData,
  nxDomain,
  returnPath,
  spf,
  spfAnswers,
  tenNames,
  throughAlias,
  zoneAnswers,
} from '../collected.ts';

const doubledName = 'k1._domainkey.acme.com.acme.com';
const subdomainKey = { ...dkim, name: 'k1._domainkey.mail.acme.com' };
const subdomainSpf = { ...spf, name: 'bounce.mail.acme.com' };
const RESOLVER = '192.0.2.53:53';

const inZone = (zone: string, answer: DnsAnswer): DnsAnswer =>
  answer.kind === 'serverFailure' ? { ...answer, zone } : answer;

export interface FindingCase {
  readonly code: FindingCode;
  readonly when: string;
  readonly record: CollectedRecord;
  /** @default 'wrong' */
  readonly status?: string;
  readonly found?: readonly string[];
  readonly name?: string;
  /** The value to publish. @default the expected record's */
  readonly value?: string;
  /** A part of the fix. */
  readonly fix: string;
  readonly domain?: string;
  /** @default 'error' */
  readonly severity?: 'warning';
  /** The finding has no `publish`. */
  readonly entersNothing?: true;
  /** Other records of the same check. */
  readonly beside?: readonly CollectedRecord[];
  /** Further findings about the same record. */
  readonly extra?: readonly FindingCode[];
}

export const ENTERING_NOTHING: readonly FindingCode[] = [
  'domain_unregistered',
  'ns_not_delegated',
  'delegation_mismatch',
  'ns_inconsistent',
  'answers_vary',
  'ns_lame',
  'ns_alias',
  'ns_without_authority',
  'server_failure',
  'resolver_failure',
  'negative_cached',
  'stale_cached',
  'resolver_disagrees',
  'not_resolved',
  'dnssec_bogus',
  'key_replaced',
  'sender_spf_broken',
  'cname_target_missing',
];

export const tenHosts = tenNames.map((name) => `a:${name}`).join(' ');

/** Cases of one code and fix, each a value at the name of the record. @param published by what they are */
const valueCases = (
  code: FindingCode,
  expected: ExpectedRecord,
  fix: string,
  published: Readonly<Record<string, string>>,
): readonly FindingCase[] =>
  Object.entries(published).map(([when, value]) => ({
    ...{ code, when, fix, found: [value] },
    record: collected(expected, found(value)),
  }));

/** A record that is not at its name but at another one. */
const misplaced = (
  place: 'doubled' | 'onParent' | 'domainItself' | 'otherSelectors' | 'misspelt',
  expected: ExpectedRecord,
  name: string,
  ...values: readonly string[]
) =>
  ({
    record: {
      ...collected(expected, nxDomain()),
      [place]: [zoneAnswers(name, [found(...(values.length > 0 ? values : [expected.value]))])],
    },
    ...{ status: 'missing', name },
  }) as const;

/** The same answer at the name and at an unused one. */
const ofWildcard = (expected: ExpectedRecord, answer: DnsAnswer): CollectedRecord => {
  const unused = zoneAnswers(expected.name.replace(/^[^.]+/, 'no-such-host'), [answer]);
  return { ...collected(expected, answer), wildcard: { ...unused, type: expected.type } };
};

/** A record that is right on the zone's own servers, and what resolvers say of it. */
const cached = (expected: ExpectedRecord, ...caches: readonly CachedAnswer[]): CollectedRecord => ({
  ...collected(expected, found(expected.value)),
  caches,
});

/** What the registry answers about a name. @param domain undefined: it was not asked for the domain's name servers */
const atRegistry = (expected: ExpectedRecord, zone: string, domain?: DnsAnswer): CollectedRecord => ({
  expected,
  at: zoneAnswers(expected.name, [nxDomain()], zone),
  ...(domain && { delegation: { ...zoneAnswers(`acme.${zone}`, [domain], zone), type: 'NS' } }),
});

/** An SPF record with the TXT records at other names. */
const withDns = (
  published: string,
  ...answers: readonly (readonly [name: string, ...values: string[]])[]
): CollectedRecord => ({
  ...collected(spf, found(published)),
  spfAnswers: [
    ...spfAnswers,
    ...answers.map(([name, ...values]) => zoneAnswers(name, [values.length > 0 ? found(...values) : nxDomain()])),
  ],
});

/** The parent names only the first server. */
const withMismatch = (
  record: CollectedRecord,
  byZone: readonly string[],
  answered = true,
  zone = 'acme.com',
): CollectedRecord => ({
  ...record,
  at: { ...record.at, mismatches: [{ zone, byParent: [`ns1.${zone}`], byZone, answered }] },
});

/** Answers about other types at the name of a CNAME record. */
const beside = (type: LookUpType, ...values: readonly string[]): ZoneAnswers => ({
  ...zoneAnswers(alias.name, [found(...values)]),
  type,
});

const sibling: ExpectedRecord = { ...alias, name: 't2._domainkey.acme.com', value: 't2.dkim.sendoff.example' };

const REPLACE_KEY = 'Replace the value of the TXT record at host k1._domainkey with v=DKIM1';
const REPLACE_ALIAS = 'Replace the value of the CNAME record at host t1._domainkey with t1.dkim.sendoff.example';
const ONE_KEY = 'Delete the TXT records at host k1._domainkey and add one TXT record there';
const ONE_MX =
  'Delete the other MX records at host bounce and add one MX record there with value 10 mx.sendoff.example';

const aliasCases: readonly FindingCase[] = [
  {
    code: 'not_published',
    when: 'a CNAME record is nowhere',
    record: collected(alias, nxDomain()),
    status: 'missing',
    fix: 'Add a CNAME record at host t1._domainkey with value t1.dkim.sendoff.example',
  },
  {
    code: 'not_published',
    when: 'only a wildcard CNAME record answers',
    record: ofWildcard(alias, found('parking.example')),
    status: 'missing',
    fix: 'Add a CNAME record at host t1._domainkey with',
  },
  {
    code: 'host_doubled',
    when: 'the zone was appended to the host of a CNAME record',
    ...misplaced('doubled', alias, 't1._domainkey.acme.com.acme.com'),
    fix: 'Change the host of the record from t1._domainkey.acme.com to t1._domainkey and keep the value t1.dkim.sendoff.example',
  },
  {
    code: 'host_wrong',
    when: 'the host of a CNAME record is misspelt',
    ...misplaced('misspelt', bounceAlias, 'pm-bounce.acme.com'),
    fix: 'Change the host of the record from pm-bounce to pm-bounces and keep the value pm.sendoff.example',
  },
  {
    code: 'selector_wrong',
    when: 'the CNAME record is without _domainkey',
    ...misplaced('otherSelectors', alias, 't1.acme.com'),
    fix: 'Change the host of the record from t1 to t1._domainkey and keep the value',
  },
  {
    code: 'host_on_parent',
    when: 'a return path that other domains can lead to as well is at the domain above',
    ...misplaced('onParent', { ...bounceAlias, name: 'pm-bounces.mail.acme.com' }, 'pm-bounces.acme.com'),
    domain: 'mail.acme.com',
    fix: 'Add a CNAME record at host pm-bounces.mail with value pm.sendoff.example',
  },
  {
    code: 'wrong_type',
    when: 'the target is a text',
    record: { ...collected(alias, noData()), otherTypes: [beside('TXT', 't1.dkim.sendoff.example.')] },
    found: ['TXT t1.dkim.sendoff.example.'],
    fix: 'Delete the TXT record at host t1._domainkey and add one CNAME record there with value t1.dkim.sendoff.example',
  },
  {
    code: 'value_of_other_record',
    when: 'two CNAME records have each other’s target',
    record: collected(alias, found(sibling.value)),
    beside: [collected(sibling, found(alias.value))],
    fix: `It is the value of the DKIM record at t2._domainkey.acme.com. ${REPLACE_ALIAS}`,
  },
  ...valueCases('value_mismatch', alias, `It leads to another target. ${REPLACE_ALIAS}`, {
    'a CNAME record has another target': 'old.example',
  }),
  ...valueCases('value_quoted', alias, REPLACE_ALIAS, {
    'the target has quotation marks': '"t1.dkim.sendoff.example"',
  }),
  {
    code: 'cname_conflict',
    when: 'a DNAME record above makes a CNAME record with another target',
    record: collected(alias, { ...found('t1.old.example'), redirectedAt: '_domainkey.acme.com' } as DnsAnswer),
    name: '_domainkey.acme.com',
    found: ['CNAME t1.old.example'],
    fix: 'Delete the DNAME record. Add a CNAME record at host t1._domainkey with value t1.dkim.sendoff.example',
  },
  {
    code: 'cname_proxied',
    when: 'the DNS operator returns the addresses of its proxy',
    record: {
      ...collected(alias, noData()),
      otherTypes: [beside('A', '104.21.5.9', '172.67.132.8'), beside('AAAA', '2606:4700:3031::6815:509')],
    },
    status: 'missing',
    found: ['104.21.5.9', '172.67.132.8', '2606:4700:3031::6815:509'],
    fix: 'at Cloudflare, set its proxy status to DNS only. The name servers must return at host t1._domainkey a CNAME record with value t1.dkim.sendoff.example',
  },
  {
    code: 'cname_not_alone',
    when: 'a text is in its place',
    record: { ...collected(alias, noData()), otherTypes: [beside('TXT', 'v=DKIM1; p=')] },
    status: 'missing',
    found: ['TXT v=DKIM1; p='],
    fix: 'Delete the TXT records at host t1._domainkey and add one CNAME record there with value t1.dkim.sendoff.example',
  },
  {
    code: 'cname_not_alone',
    when: 'an address is in its place',
    record: { ...collected(alias, noData()), otherTypes: [beside('A', '192.0.2.7'), beside('MX', '10 mx.acme.com')] },
    status: 'missing',
    found: ['A 192.0.2.7', 'MX 10 mx.acme.com'],
    fix: '(ALIAS, flattening, proxy), switch that off for this record. Otherwise: Delete the A and MX records at host t1._domainkey and add',
  },
  {
    code: 'cname_not_alone',
    when: 'a text is beside it, which receivers get instead of the key',
    record: { ...collected(alias, found(alias.value)), leadsTo: zoneAnswers(alias.name, [found('hello')]) },
    found: ['TXT hello'],
    fix: 'Delete the TXT records at host t1._domainkey and keep the CNAME record there with value t1.dkim.sendoff.example',
  },
  {
    code: 'cname_multiple',
    when: 'there are two',
    record: collected(alias, found(alias.value, 'old.example')),
    found: [alias.value, 'old.example'],
    fix: 'there are 2 CNAME records, and a name can have only one. Delete the CNAME records at host t1._domainkey and add one CNAME record there with value',
  },
  ...valueCases(
    'cname_target_appended',
    alias,
    `the form appended a domain to the target. If the form requires it, end the target with a dot. ${REPLACE_ALIAS}`,
    {
      'the form appended the zone to the target': 't1.dkim.sendoff.example.acme.com',
      'the target is doubled': 't1.dkim.sendoff.example.dkim.sendoff.example',
    },
  ),
  {
    code: 'dname_above',
    when: 'the right key is found through a DNAME record',
    record: collected(dkim, {
      ...throughAlias(found(dkim.value), 'k1.keys.acme.com'),
      redirectedAt: '_domainkey.acme.com',
    } as DnsAnswer),
    severity: 'warning',
    status: 'found',
    name: '_domainkey.acme.com',
    fix: 'Delete the DNAME record at host _domainkey which redirects all names below it, and enter the record itself at host k1._domainkey with value v=DKIM1',
  },
  {
    code: 'cname_target_missing',
    when: 'the target does not exist',
    record: {
      ...collected(bounceAlias, found(bounceAlias.value)),
      leadsTo: zoneAnswers(bounceAlias.name, [throughAlias(nxDomain(), bounceAlias.value)]),
    },
    severity: 'warning',
    status: 'found',
    name: 'pm.sendoff.example',
    fix: 'contact the operator of the sending service, who publishes what belongs at pm.sendoff.example',
  },
  {
    code: 'cname_target_missing',
    when: 'there is no key at the target',
    record: {
      ...collected(alias, found(alias.value)),
      leadsTo: zoneAnswers(alias.name, [throughAlias(noData(), alias.value)]),
    },
    severity: 'warning',
    status: 'found',
    name: alias.value,
    fix: 'the record is right, but receivers find nothing yet where it leads to. Nothing to change in your record.',
  },
];

export const findingCases: readonly FindingCase[] = [
  {
    code: 'not_published',
    when: 'the name does not exist',
    record: collected(dkim, nxDomain()),
    status: 'missing',
    fix: `DKIM record at k1._domainkey.acme.com: not published. Add a TXT record at host k1._domainkey with value ${dkim.value}`,
  },
  {
    code: 'not_published',
    when: 'the name has other texts only',
    record: collected(spf, found('some-site-verification=1')),
    status: 'missing',
    fix: 'SPF record at bounce.acme.com: not published. Add a TXT record at host bounce with value v=spf1 include:spf.sendoff.example -all',
  },
  {
    code: 'not_published',
    when: 'a wildcard SPF record answers for the key’s name',
    record: ofWildcard(dkim, found('v=spf1 -all')),
    status: 'missing',
    fix: 'Add a TXT record at host k1._domainkey with',
  },
  {
    code: 'not_published',
    when: 'the key’s zone is a delegated _domainkey',
    record: atRegistry(dkim, '_domainkey.acme.com'),
    status: 'missing',
    fix: 'records in a zone above it have no effect. Enter the record where zone _domainkey.acme.com is managed. Add a TXT record at host k1 with',
  },
  {
    code: 'host_doubled',
    when: 'the key is at the name with the zone appended',
    ...misplaced('doubled', dkim, doubledName),
    fix: 'DKIM record at k1._domainkey.acme.com: published at k1._domainkey.acme.com.acme.com, where part of the domain is repeated. The form of your DNS provider appends acme.com to the host. Change the host of the record from k1._domainkey.acme.com to k1._domainkey and keep the value',
  },
  {
    code: 'host_doubled',
    when: 'the subdomain occurs twice in the name',
    ...misplaced('doubled', subdomainSpf, 'bounce.mail.mail.acme.com'),
    domain: 'mail.acme.com',
    fix: 'Change the host of the record from bounce.mail.mail to bounce.mail and keep the value',
  },
  {
    code: 'host_on_parent',
    when: 'the SPF record of a subdomain is at the domain above, where it may be right for that',
    ...misplaced('onParent', subdomainSpf, 'bounce.acme.com'),
    domain: 'mail.acme.com',
    fix: 'published at bounce.acme.com, without the subdomain. That record does not apply to mail.acme.com. Add a TXT record at host bounce.mail with value',
  },
  {
    code: 'host_on_parent',
    when: 'the key of a delegated subdomain is in the zone above',
    record: {
      expected: subdomainKey,
      at: zoneAnswers(subdomainKey.name, [nxDomain()], 'mail.acme.com'),
      onParent: [zoneAnswers('k1._domainkey.acme.com', [found(dkim.value)])],
    },
    domain: 'mail.acme.com',
    status: 'missing',
    name: 'k1._domainkey.acme.com',
    fix: 'Zone mail.acme.com has its own name servers (ns1.acme.com), and records in a zone above it have no effect. Enter the record where zone mail.acme.com is managed. Add a TXT record at host k1._domainkey with value',
  },
  {
    code: 'not_published',
    when: 'the subdomain is a zone with its own name servers',
    record: {
      expected: subdomainSpf,
      at: zoneAnswers(subdomainSpf.name, [nxDomain(), bySecond(nxDomain())], 'mail.acme.com'),
    },
    domain: 'mail.acme.com',
    status: 'missing',
    fix: 'Zone mail.acme.com has its own name servers (ns1.acme.com, ns2.acme.com), and records in a zone above it have no effect. Enter the record where zone mail.acme.com is managed. Add a TXT record at host bounce with value v=spf1',
  },
  {
    code: 'not_published',
    when: 'other names exist below _domainkey',
    record: { ...collected(dkim, nxDomain()), otherSelectors: [zoneAnswers('_domainkey.acme.com', [noData()])] },
    status: 'missing',
    fix: 'Other names exist below _domainkey.acme.com: if one of them is meant to be this record, correct its host. Add a TXT record at host k1._domainkey',
  },
  {
    code: 'not_published',
    when: 'a wildcard makes _domainkey exist, and says nothing about names below it',
    record: { ...collected(dkim, noData()), otherSelectors: [zoneAnswers('_domainkey.acme.com', [noData()])] },
    status: 'missing',
    fix: `not published. Add a TXT record at host k1._domainkey with value ${dkim.value}`,
  },
  {
    code: 'host_on_parent',
    when: 'the key of a subdomain is at the domain above',
    ...misplaced('onParent', subdomainKey, 'k1._domainkey.acme.com'),
    domain: 'mail.acme.com',
    fix: 'from k1._domainkey to k1._domainkey.mail',
  },
  {
    code: 'selector_wrong',
    when: 'the right key is under an example’s selector',
    record: {
      ...collected(dkim, nxDomain()),
      otherSelectors: [
        zoneAnswers('_domainkey.acme.com', [found('o=~')]),
        zoneAnswers('default._domainkey.acme.com', [found(dkim.value)]),
      ],
    },
    status: 'missing',
    name: 'default._domainkey.acme.com',
    fix: `from default._domainkey to k1._domainkey and keep the value ${dkim.value}`,
  },
  {
    code: 'selector_wrong',
    when: '_domainkey was left out of the host',
    ...misplaced('otherSelectors', dkim, 'k1.acme.com'),
    fix: 'published at k1.acme.com, which is the wrong host. Change the host of the record from k1 to k1._domainkey',
  },
  {
    code: 'not_published',
    when: 'another sender’s key is under another selector',
    record: misplaced('otherSelectors', dkim, 'mail._domainkey.acme.com', 'v=DKIM1; p=QUJD').record,
    status: 'missing',
    fix: 'Add a TXT record at host k1._domainkey with value',
  },
  {
    code: 'not_published',
    when: 'the value at the name comes from a wildcard',
    record: ofWildcard(spf, found('v=spf1 -all')),
    status: 'missing',
    fix: 'Add a TXT record at host bounce with value',
  },
  {
    code: 'not_published',
    when: 'a wildcard alias leads elsewhere, and to the doubled name too',
    record: {
      ...ofWildcard(spf, throughAlias(found('v=spf1 -all'), 'shops.example')),
      doubled: [zoneAnswers('bounce.acme.com.acme.com', [throughAlias(found('v=spf1 -all'), 'shops.example')])],
    },
    status: 'missing',
    fix: 'Add a TXT record at host bounce with value',
  },
  {
    code: 'cname_conflict',
    when: 'an alias leads to another sender’s record',
    record: collected(spf, throughAlias(found('v=spf1 include:spf.other.example -all'), 'mail.other.example')),
    found: ['CNAME mail.other.example'],
    fix: `a CNAME record is in the way, and no other record can exist beside it. Delete the CNAME record at host bounce and add one TXT record there with value ${spf.value}`,
  },
  {
    code: 'cname_conflict',
    when: 'a server gives an alias beside the right record',
    record: collected(dkim, { ...found(dkim.value), conflictingAlias: 'keys.other.example' } as DnsAnswer),
    found: ['CNAME keys.other.example'],
    fix: 'Delete the CNAME record at host k1._domainkey and',
  },
  {
    code: 'cname_conflict',
    when: 'an alias leads to nothing',
    record: collected(dkim, throughAlias({ ...nxDomain(), server: 'ns1.other.com' }, 'gone.other.com')),
    found: ['CNAME gone.other.com'],
    fix: 'Delete the CNAME record at host k1._domainkey and add one TXT record there with value',
  },
  {
    code: 'cname_loop',
    when: 'the CNAME leads back to its own name',
    record: collected(dkim, { ...noData(), aliases: ['a.acme.com', dkim.name], aliasFault: 'loop' } as DnsAnswer),
    found: ['CNAME a.acme.com', `CNAME ${dkim.name}`],
    fix: 'a CNAME record leads back to itself. Delete the CNAME record at host k1._domainkey and add one TXT record there',
  },
  {
    code: 'cname_too_long',
    when: 'the chain of CNAMEs is longer than resolvers follow',
    record: collected(spf, { ...noData(), aliases: ['a.acme.com', 'b.acme.com'], aliasFault: 'tooLong' } as DnsAnswer),
    fix: 'more than 11 CNAME records follow each other, and resolvers give up. Delete the CNAME record at host bounce and add',
  },
  {
    code: 'ns_private_address',
    when: 'the name server has a private address',
    record: collected(dkim, { ...failed('privateAddress'), server: 'ns1.acme.com' }),
    status: 'inconclusive',
    found: [],
    fix: 'name server ns1.acme.com has a private address, which is not reachable from the internet. Give it a public address, or remove it from the name servers of acme.com',
  },
  {
    code: 'resolver_failure',
    when: 'the recursive resolver does not return the servers of the top-level domain',
    record: collected(dkim, { ...failed('servfail'), server: RESOLVER, isResolver: true } as DnsAnswer),
    status: 'inconclusive',
    found: ['servfail'],
    fix: 'recursive resolver 192.0.2.53:53 did not return the name servers of the zone (SERVFAIL). Nothing to change in the record.',
  },
  {
    code: 'wrong_type',
    when: 'the mail exchanger was entered as a text',
    record: {
      ...collected(returnPath, noData()),
      otherTypes: [zoneAnswers(returnPath.name, [found('10 mx.sendoff.example.')])],
    },
    found: ['TXT 10 mx.sendoff.example.'],
    fix: 'published with the wrong type (TXT). Delete the TXT record at host bounce and add one MX record there with value 10',
  },
  ...valueCases('value_quoted', dkim, 'the value contains quotation marks. Replace', {
    'quotation marks became part of the key record': `"${dkim.value}"`,
    'two quoted strings were entered as one value': `"${dkim.value.slice(0, 200)}" "${dkim.value.slice(200)}"`,
  }),
  ...valueCases(
    'value_quoted',
    spf,
    `the value contains quotation marks. Replace the value of the TXT record at host bounce with ${spf.value}`,
    {
      'the SPF record is in quotation marks': `"${spf.value}"`,
      'each term of an SPF record is in quotation marks': '"v=spf1" "include:spf.sendoff.example" "-all"',
    },
  ),
  ...valueCases('value_whitespace', dkim, `the value has wrong spaces or invisible characters. ${REPLACE_KEY}`, {
    'a no-break space is inside the key': `${dkim.value.slice(0, 90)}\u00a0${dkim.value.slice(90)}`,
    'a no-break space is after the key, as a byte that is not UTF-8': `${dkim.value}\ufffd`,
    'a vertical tab, which receivers do not skip, is before the key': `v=DKIM1; p=\v${KEY}`,
    'a form feed, which receivers do not skip, is after the key': `${dkim.value}\f`,
  }),
  ...valueCases('value_whitespace', spf, `at host bounce with ${spf.value}`, {
    'a space is before v=spf1': ` ${spf.value}`,
    'a space cuts a term in two': 'v=spf1 include: spf.sendoff.example -all',
    'an invisible character ends the included name': 'v=spf1 mx include:spf.sendoff.example\u200b ~all',
  }),
  {
    code: 'value_whitespace',
    when: 'a no-break space is before the DMARC policy',
    record: collected(dmarc, found('\u00a0v=DMARC1; p=reject')),
    value: 'v=DMARC1; p=reject',
    fix: 'v=DMARC1; p=reject',
  },
  {
    code: 'split_into_records',
    when: 'the strings of the key are separate records, in any order',
    record: collected(dkim, found(dkim.value.slice(255), dkim.value.slice(0, 255))),
    fix: 'Delete the 2 TXT records at host k1._domainkey and add one TXT record there with value v=DKIM1',
  },
  ...valueCases('value_truncated', dkim, 'the key is cut off. Replace', {
    'the key ends after 255 characters': dkim.value.slice(0, 255),
  }),
  ...valueCases('key_revoked', dkim, dkim.value, { 'p= is empty': 'v=DKIM1; p=' }),
  {
    code: 'key_replaced',
    when: 'a rotation has replaced the key, and its record is still there',
    record: collected({ ...dkim, isReplaced: true }, found(dkim.value)),
    status: 'found',
    severity: 'warning',
    entersNothing: true,
    fix: 'is under way any more. Delete the TXT record at host k1._domainkey',
  },
  ...valueCases(
    'key_testing',
    dkim,
    'in testing mode (t=y), so receivers treat messages as unsigned. Replace the value',
    {
      'the key is in testing mode': `v=DKIM1; k=rsa; t=s:Y; p=${KEY}`,
    },
  ),
  {
    code: 'host_left_out',
    when: 'the key is at the domain itself',
    ...misplaced('domainItself', dkim, 'acme.com', 'v=spf1 -all', dkim.value),
    found: [dkim.value],
    fix: 'published at acme.com, without its host. Change the host of the record from @ to k1._domainkey and keep the value',
  },
  ...(
    [
      ['the SPF record', spf, spf.value],
      ['the mail exchanger', returnPath, '20 MX.sendoff.example'],
      ['the DMARC policy', dmarc, 'v=DMARC1; p=reject'],
    ] as const
  ).map(([what, expected, value]): FindingCase => ({
    code: 'host_left_out',
    when: `${what} is at the domain itself`,
    ...misplaced('domainItself', expected, 'acme.com', 'x=1', value),
    found: [value],
    value: expected.purpose === 'dmarc' ? value : expected.value,
    fix: 'published at acme.com, without its host. Change the host of the record from @ to',
  })),
  {
    code: 'host_left_out',
    when: 'the sender was added to the SPF record of the domain itself',
    ...misplaced('domainItself', spf, 'acme.com', 'v=spf1 include:_spf.other.example include:spf.sendoff.example ~all'),
    fix: 'SPF record at bounce.acme.com: published at acme.com, without its host. Keep that record for other mail: receivers of this mail check only the name above. Add a TXT record at host bounce with value v=spf1',
  },
  {
    code: 'not_published',
    when: 'the domain itself has another sender’s SPF record',
    record: misplaced('domainItself', spf, 'acme.com', 'v=spf1 include:_spf.other.example ~all').record,
    status: 'missing',
    fix: 'Add a TXT record at host bounce with value',
  },
  {
    code: 'wrong_type',
    when: 'the SPF record is of type SPF',
    record: {
      ...collected(spf, noData()),
      otherTypes: [{ ...zoneAnswers(spf.name, [found('v=spf1 mx -all')]), type: 'SPF' }],
    },
    found: ['SPF v=spf1 mx -all'],
    fix: 'published with the wrong type (SPF). Delete the SPF record at host bounce and add one TXT record there',
  },
  ...[
    'ip4:192.0.2.1 -all',
    'include:spf.sendoff.example -all',
    'spf1 include:spf.sendoff.example -all',
    'spf include:spf.sendoff.example -all',
    'v=spf include:spf.sendoff.example -all',
    'v=spf2.0 include:spf.sendoff.example -all',
    'spf2.0/mfrom include:spf.sendoff.example -all',
    'v:spf1 include:spf.sendoff.example -all',
    'v=spf1;include:spf.sendoff.example -all',
    'v=spf1mx include:spf.sendoff.example -all',
    '-all',
  ].map((value): FindingCase => ({
    code: 'spf_version_wrong',
    when: `the value is ${value}`,
    record: collected(spf, found(value, 'some-site-verification=1')),
    found: [value],
    fix: 'the value does not begin with v=spf1 and a space, so receivers ignore it. Replace the value of the TXT record at host bounce with v=spf1',
  })),
  ...['a', 'mx', 'google-site-verification=abc', 'include something', 'MS=ms1234', 'hello all'].map(
    (value): FindingCase => ({
      code: 'not_published',
      when: `the value is another service’s: ${value}`,
      record: collected(spf, found(value)),
      status: 'missing',
      fix: 'Add a TXT record at host bounce with value',
    }),
  ),
  ...(
    [
      ['DKIM', spf, dkim.value, dkim],
      ['SPF', dkim, spf.value, spf],
      ['DMARC', spf, dmarc.value, dmarc],
      ['DKIM', dmarc, dkim.value, dkim],
    ] as const
  ).map(([name, expected, value, other]): FindingCase => ({
    code: 'value_of_other_record',
    when: `the value of the ${name} record is at the name of the ${expected.purpose} record`,
    record: collected(expected, found(value)),
    beside: [collected(other, nxDomain())],
    found: [value],
    fix: `the value belongs to another record. It is the value of the ${name} record. Replace the value of the TXT record at host`,
  })),
  {
    code: 'not_published',
    when: 'a wildcard returns the value of another record',
    record: ofWildcard(dkim, found(dmarc.value)),
    beside: [collected(dmarc, found(dmarc.value))],
    status: 'missing',
    fix: 'Add a TXT record at host k1._domainkey with value',
  },
  ...valueCases(
    'mx_target_appended',
    returnPath,
    'end the name of the mail server with a dot. Replace the value of the MX record at host bounce with 10 mx.sendoff.example',
    {
      'acme.com was appended to the mail exchanger': '10 MX.sendoff.example.acme.com.',
      'mail.acme.com was appended to the mail exchanger': '10 MX.sendoff.example.mail.acme.com.',
      'bounce.acme.com was appended to the mail exchanger': '10 MX.sendoff.example.bounce.acme.com.',
      'the zone was appended to the mail exchanger': '10 mx.sendoff.example.acme.com',
    },
  ),
  ...valueCases('spf_version_wrong', spf, spf.value, {
    'the SPF record has wide characters': spf.value.replace('=', '\uff1d'),
    'there is a single term': 'include:spf.sendoff.example',
  }),
  ...(
    [
      [spf, `""${spf.value}""`],
      [spf, `\\"${spf.value}\\"`],
      [spf, `'${spf.value}'`],
      [spf, `\u201c${spf.value}\u201d`],
      [spf, `\u201e${spf.value}\u201c`],
      [spf, `\u2018${spf.value}\u2019`],
      [spf, `\u00ab${spf.value}\u00bb`],
      [spf, `\`${spf.value}\``],
      [spf, `${spf.value}"`],
      [spf, `v=spf1 "include:spf.sendoff.example" -all`],
      [dkim, `""${dkim.value}""`],
      [dkim, `\\"${dkim.value}\\"`],
      [dkim, `'${dkim.value}'`],
      [dkim, `\u201c${dkim.value}\u201d`],
      [dkim, `v=DKIM1; k=rsa; p="${KEY}"`],
      [dmarc, `'v=DMARC1; p=none'`],
    ] as const
  ).map(([expected, value]): FindingCase => ({
    code: 'value_quoted',
    when: `the value is ${value.slice(0, 12)} to ${value.slice(-6)}`,
    record: collected(expected, found(value)),
    found: [value],
    fix: 'the value contains quotation marks. Replace',
  })),
  ...(
    [
      ['v=spf1include:spf.sendoff.example-all', spf.value],
      ['v=spf1include:spf.sendoff.example -all', spf.value],
      ['v=spf1 include:spf.sendoff.example-all', spf.value],
      ['v=spf1ip4:192.0.2.1~all', 'v=spf1 ip4:192.0.2.1 ~all'],
    ] as const
  ).map(([value, expected]): FindingCase => ({
    code: 'value_whitespace',
    when: `spaces were lost: ${value}`,
    record: { ...withDns(value, ['spf.sendoff.example-all']), expected: { ...spf, value: expected } },
    found: [value],
    fix: `Replace the value of the TXT record at host bounce with ${expected}`,
  })),
  ...(
    [
      ['value_quoted', 'value_escaped', `"v=DKIM1\\; k=rsa\\; p=${KEY}"`],
      ['value_quoted', 'key_pem', `"v=DKIM1; p=-----BEGIN PUBLIC KEY-----${KEY}-----END PUBLIC KEY-----"`],
      ['value_quoted', 'value_whitespace', `"v=DKIM1; p=${KEY.slice(0, 9)}\u00a0${KEY.slice(9)}"`],
      ['value_quoted', 'key_without_tags', `"${KEY}"`],
      ['key_pem', 'key_without_tags', `-----BEGIN PUBLIC KEY-----${KEY}-----END PUBLIC KEY-----`],
      ['tags_upper_case', 'value_escaped', `V=DKIM1\\; K=RSA\\; P=${KEY}`],
      ['key_hash_excluded', 'value_escaped', `v=DKIM1\\; h=sha1\\; p=${KEY}`],
      ['key_hash_excluded', 'key_type_wrong', `v=DKIM1; h=sha1; k=ed25519; p=${KEY}`],
      ['key_service_excluded', 'tags_upper_case', `V=DKIM1; S=tlsrpt; P=${KEY}`],
      ['value_escaped', 'value_zone_line', `k1._domainkey IN TXT "v=DKIM1\\; p=${KEY}"`],
    ] as const
  ).map(([code, other, value]): FindingCase => ({
    code,
    extra: [other],
    when: `${other} applies as well`,
    record: collected(dkim, found(value)),
    fix: REPLACE_KEY,
  })),
  ...(
    [
      ['key_hash_excluded', 'the right key has h=sha1', `v=DKIM1; h=sha1; p=${KEY}`],
      ['key_type_wrong', 'the right key has another k=', `v=DKIM1; k=ed25519; p=${KEY}`],
      ['key_service_excluded', 'the right key has s=tlsrpt', `v=DKIM1; s=tlsrpt; p=${KEY}`],
      ['tags_upper_case', 'the tags are in capital letters', `V=DKIM1; K=RSA; P=${KEY}`],
      ['value_escaped', 'the semicolons have backslashes', `v=DKIM1\\; k=rsa\\; p=${KEY}`],
      [
        'key_pem',
        'the key has the lines of a PEM file',
        `v=DKIM1; k=rsa; p=-----BEGIN PUBLIC KEY-----${KEY}-----END PUBLIC KEY-----`,
      ],
      ['key_without_tags', 'the value is the key alone', KEY],
      ['value_zone_line', 'it is a line of a zone file', `k1._domainkey 3600 IN TXT "v=DKIM1; k=rsa; p=${KEY}"`],
      ['tag_repeated', 'p= occurs twice', `v=DKIM1; p=${KEY}; p=${KEY}`],
      ['value_reordered', 'the second string is first', `${dkim.value.slice(255)}${dkim.value.slice(0, 255)}`],
    ] as const
  ).flatMap(([code, when, value]) => valueCases(code, dkim, REPLACE_KEY, { [when]: value })),
  ...[
    ...['===', 'A', 'A=', 'A==', 'AA', '.', ',', '\\', '-', ' (by Jane)', KEY].map((added) => `${dkim.value}${added}`),
    `v=DKIM1; p=*${KEY}`,
    ...['Schl\u00fcssel', 'a\u0001b', 'a\u0000', '\u007f'].map((notes) => `v=DKIM1; n=${notes}; p=${KEY}`),
  ].map((value): FindingCase => ({
    code: 'key_surrounded',
    when: `something was added to the key: ${JSON.stringify(value.replaceAll(KEY, '…'))}`,
    record: collected(dkim, found(value)),
    found: [value],
    fix: `the value has extra characters that verifiers may not accept. The right key is in it. ${REPLACE_KEY}`,
  })),
  ...valueCases('key_mismatch', dkim, `the record holds another key. ${REPLACE_KEY}`, {
    'another key is published': `v=DKIM1; k=rsa; p=${OTHER_KEY}`,
  }),
  {
    code: 'host_wrong',
    when: 'the underscore is missing',
    ...misplaced('misspelt', dmarc, 'dmarc.acme.com', 'v=DMARC1; p=reject'),
    value: 'v=DMARC1; p=reject',
    fix: 'DMARC record at _dmarc.acme.com: published at dmarc.acme.com, which is the wrong host. Change the host of the record from dmarc to _dmarc and keep the value v=DMARC1; p=reject',
  },
  {
    code: 'dmarc_organization_invalid',
    when: 'the organizational domain has two policies',
    record: {
      ...collected({ ...dmarc, name: '_dmarc.mail.acme.com' }, nxDomain()),
      organization: zoneAnswers('_dmarc.acme.com', [found('v=DMARC1; p=reject', 'v=DMARC1; p=none')]),
    },
    domain: 'mail.acme.com',
    status: 'missing',
    name: '_dmarc.acme.com',
    value: 'v=DMARC1; p=reject',
    entersNothing: true,
    fix: 'DMARC record at _dmarc.mail.acme.com: the DMARC record at _dmarc.acme.com is not valid, so receivers apply no policy. Correct that record, and it applies to mail.acme.com too',
  },
  ...(
    [
      ['value_encoded', dkim.value.replaceAll(';', '&#59;'), 'characters of the value were replaced with codes'],
      ['value_labelled', `Value: ${dkim.value}`, 'text that does not belong to the value is around it'],
      ['key_version_wrong', `v=DKIM; k=rsa; p=${KEY}`, 'the v= tag of the key is not DKIM1'],
      [
        'tags_not_separated',
        `v=DKIM1 k=rsa p=${KEY}`,
        'the semicolons or equals signs of the tags are missing or replaced',
      ],
      [
        'key_part_missing',
        `v=DKIM1; p=${KEY.slice(0, 100)}…${KEY.slice(-100)}`,
        'a part of the key is missing. About 1',
      ],
      ['key_damaged', dkim.value.replace(KEY.slice(90, 94), 'WRNG'), 'the key has wrong characters. About 3'],
      ['key_invalid', 'v=DKIM1; k=rsa; p=YOUR_KEY', 'the value is not a DKIM key'],
    ] as const
  ).flatMap(([code, value, fix]) =>
    valueCases(code, dkim, fix, { [`the value is ${value.replaceAll(KEY, '…').slice(0, 30)}`]: value }),
  ),
  ...(
    [
      ['value_encoded', `&quot;${spf.value}&quot;`],
      ['value_labelled', `Value: ${spf.value}`],
      ['value_labelled', `[${spf.value}]`],
      ['value_zone_line', `bounce IN TXT ${spf.value}`],
    ] as const
  ).flatMap(([code, value]) => valueCases(code, spf, spf.value, { [`the SPF record is ${value}`]: value })),
  {
    code: 'dkim_multiple',
    when: 'a second key is published beside the right one',
    record: collected(dkim, found(dkim.value, 'v=DKIM1; p=QUJD')),
    found: ['v=DKIM1; p=QUJD'],
    fix: ONE_KEY,
  },
  ...['v=spf1 -all', 'some-site-verification=1', KEY, ''].map((surplus): FindingCase => ({
    code: 'dkim_multiple',
    when: `a text other than a key is beside the right one: ${surplus.slice(0, 12)}`,
    record: collected(dkim, found(surplus, dkim.value)),
    found: [surplus],
    fix: ONE_KEY,
  })),
  {
    code: 'dkim_multiple',
    when: 'none of several texts is right',
    record: collected(dkim, found('v=DKIM1; p=QUJD', 'v=DKIM1; p=QUJE')),
    found: ['v=DKIM1; p=QUJD', 'v=DKIM1; p=QUJE'],
    fix: ONE_KEY,
  },
  {
    code: 'spf_multiple',
    when: 'there are two SPF records, even if one is right',
    record: collected(spf, found(spf.value, 'v=spf1 mx -all')),
    fix: 'there are 2 SPF records, and receivers accept only one. Delete all but one of the SPF records at host bounce and give that one the value v=spf1',
  },
  {
    code: 'spf_syntax',
    when: 'a term has an unknown name',
    record: collected(spf, found('v=spf1 ipv4:192.0.2.1 include:spf.sendoff.example -all')),
    fix: `They stop at ipv4:192.0.2.1, which is not a term of SPF. Replace the value of the TXT record at host bounce with ${spf.value}`,
  },
  ...valueCases('spf_after_all', spf, spf.value, {
    'the mechanism comes after all': 'v=spf1 -all include:spf.sendoff.example',
  }),
  ...valueCases(
    'spf_overruled',
    spf,
    'a term before the sending service can reject its mail. Replace the value of the TXT record at host bounce with',
    {
      'a term before the mechanism can reject the sender':
        'v=spf1 ~exists:%{l}.list.example include:spf.sendoff.example -all',
    },
  ),
  ...valueCases('spf_missing_mechanism', spf, spf.value, {
    'only another sender is allowed': 'v=spf1 include:spf.other.example -all',
    'the mechanism has the qualifier ~': 'v=spf1 ~include:spf.sendoff.example -all',
  }),
  {
    code: 'spf_too_many_lookups',
    when: 'ten terms with DNS lookups come before the mechanism',
    record: withDns(`v=spf1 ${tenHosts} include:spf.sendoff.example -all`),
    found: [`v=spf1 ${tenHosts} include:spf.sendoff.example -all`],
    fix: 'receivers give up after 10 DNS lookups, before they reach the sending service. Replace',
  },
  {
    code: 'spf_too_many_lookups',
    when: 'an included record redirects to one with ten terms',
    record: withDns(
      'v=spf1 include:a.example include:spf.sendoff.example -all',
      ['a.example', 'v=spf1 redirect=b.example'],
      ['b.example', `v=spf1 ${tenHosts} -all`],
    ),
    fix: 'receivers give up after 10 DNS lookups',
  },
  {
    code: 'spf_too_many_lookups',
    when: 'two records include each other',
    record: withDns(
      'v=spf1 include:a.example include:spf.sendoff.example -all',
      ['a.example', 'v=spf1 include:b.example -all'],
      ['b.example', 'v=spf1 include:a.example -all'],
    ),
    fix: 'at host bounce with v=spf1',
  },
  {
    code: 'spf_include_broken',
    when: 'an include before the mechanism has no SPF record',
    record: withDns('v=spf1 include:a.example include:spf.sendoff.example -all', ['a.example', 'some text']),
    fix: 'an include or redirect that does not lead to exactly one valid SPF record. It leads to a.example. Replace',
  },
  {
    code: 'spf_include_broken',
    when: 'an include of the domain itself comes after the mechanism',
    record: withDns(`v=spf1 include:spf.sendoff.example include:${spf.name} -all`),
    fix: `It leads to ${spf.name}. `,
  },
  {
    code: 'spf_too_many_mx_hosts',
    when: 'an mx term before the mechanism has eleven hosts',
    record: {
      ...withDns('v=spf1 mx:a.example include:spf.sendoff.example -all'),
      spfAnswers: [
        ...spfAnswers,
        {
          ...zoneAnswers('a.example', [found(...Array.from({ length: 11 }, (_, at) => `10 h${at}.example`))]),
          type: 'MX',
        },
      ],
    },
    fix: 'a.example has more than 10 MX records',
  },
  {
    code: 'spf_too_many_void_lookups',
    when: 'three terms before the mechanism lead to names without records',
    record: {
      ...withDns('v=spf1 a:n1.example a:n2.example a:n3.example include:spf.sendoff.example -all'),
      spfAnswers: [
        ...spfAnswers,
        ...[1, 2, 3].map((at) => ({ ...zoneAnswers(`n${at}.example`, [nxDomain()]), type: 'A' as const })),
      ],
    },
    fix: 'receivers give up because more than 2 terms lead to names without records. One of these names is n3.example. Replace',
  },
  {
    code: 'sender_spf_broken',
    when: 'the sender’s own record does not exist',
    record: { ...collected(spf, found(spf.value)), spfAnswers: [zoneAnswers('spf.sendoff.example', [nxDomain()])] },
    status: 'inconclusive',
    found: [],
    fix: 'the evaluation of v=spf1 include:spf.sendoff.example -all fails at bounce.acme.com.',
  },
  {
    code: 'server_failure',
    when: 'the server of an included name does not answer',
    record: {
      ...collected(spf, found('v=spf1 include:a.example include:spf.sendoff.example -all')),
      spfAnswers: [...spfAnswers, zoneAnswers('a.example', [failed('timeout')])],
    },
    status: 'inconclusive',
    found: ['timeout'],
    fix: 'Nothing to change in the record. If this lasts, contact the operator of the name server.',
  },
  ...valueCases('value_mismatch', returnPath, ONE_MX, {
    'another mail exchanger is published': '10 mx.other.example',
  }),
  ...(
    [
      ['preferred', '5 mx.other.example'],
      ['equally preferred', '10 mx.other.example'],
    ] as const
  ).map(([how, other]): FindingCase => ({
    code: 'value_mismatch',
    when: `another mail exchanger is ${how}`,
    record: collected(returnPath, found('10 mx.sendoff.example', other)),
    found: [other],
    fix: ONE_MX,
  })),
  {
    code: 'value_mismatch',
    when: 'the policy is none of the three',
    record: collected(dmarc, found('v=DMARC1; p=monitor')),
    fix: 'A DMARC record begins with v=DMARC1 and a semicolon, and its p= is none, quarantine or reject. Replace the value',
  },
  {
    code: 'value_mismatch',
    when: 'receivers take a policy that they cannot read as none, because there is an address for reports',
    record: collected(dmarc, found('v=DMARC1; p=reject.; rua=mailto:d@acme.com')),
    status: 'found',
    severity: 'warning',
    value: 'v=DMARC1; p=reject; rua=mailto:d@acme.com',
    fix: 'its p= is none, quarantine or reject. Replace the value of the TXT record at host _dmarc with v=DMARC1; p=reject; rua=mailto:d@acme.com',
  },
  {
    code: 'value_mismatch',
    when: 'there are two DMARC policies',
    record: collected(dmarc, found('v=DMARC1; p=none', 'v=DMARC1; p=reject')),
    fix: 'Receivers ignore all DMARC records when there is more than one. Delete all but one of those at host _dmarc',
    entersNothing: true,
  },
  {
    code: 'domain_unregistered',
    when: 'the top-level domain denies the name',
    record: atRegistry(dkim, 'com'),
    status: 'missing',
    name: 'acme.com',
    fix: 'Register acme.com',
  },
  {
    code: 'ns_not_delegated',
    when: 'the top-level domain has the name without name servers',
    record: atRegistry(dkim, 'com', noData()),
    status: 'missing',
    name: 'acme.com',
    fix: 'Enter the name servers of acme.com at its registrar',
  },
  {
    code: 'domain_unregistered',
    when: 'the top-level domain denies the domain too',
    record: atRegistry(dkim, 'com', nxDomain()),
    status: 'missing',
    name: 'acme.com',
    fix: 'If you have registered it, ask your registrar why it is not listed.',
  },
  {
    code: 'domain_unregistered',
    when: 'the registry denies the domain that a subdomain belongs to',
    record: atRegistry({ ...dkim, name: 'k1._domainkey.mail.acme.co.uk' }, 'co.uk', nxDomain()),
    domain: 'mail.acme.co.uk',
    status: 'missing',
    name: 'acme.co.uk',
    fix: 'Register acme.co.uk or correct its spelling',
  },
  {
    code: 'dnssec_bogus',
    when: 'a validating resolver refuses the record',
    record: cached(dkim, { kind: 'bogus', server: RESOLVER, zone: 'acme.com' }),
    name: 'acme.com',
    fix: 'Replace the DS records of acme.com at its registrar',
  },
  {
    code: 'dnssec_bogus_alias',
    when: 'a validating resolver refuses what the alias leads to',
    record: {
      ...collected(dkim, throughAlias(found(dkim.value), 'k1.keys.provider.example')),
      caches: [{ kind: 'bogus', server: RESOLVER, zone: 'provider.example' }],
    },
    name: 'provider.example',
    fix: 'Nothing is wrong with the DS records of acme.com. Contact the operator of provider.example. Or do without it: Delete the CNAME record at host k1._domainkey',
  },
  {
    code: 'dnssec_bogus_alias',
    when: 'a validating resolver refuses what the SPF record includes',
    record: cached(spf, { kind: 'bogus', server: RESOLVER, zone: 'provider.example', name: 'spf.provider.example' }),
    name: 'provider.example',
    fix: `Or do without it: Replace the value of the TXT record at host bounce with ${spf.value}`,
  },
  {
    code: 'delegation_mismatch',
    when: 'the zone still names the servers of the former provider, which do not have the record',
    record: withMismatch(collected(dkim, found(dkim.value), bySecond(nxDomain())), ['ns2.acme.com']),
    status: 'missing',
    name: 'acme.com',
    found: ['ns2.acme.com'],
    fix: 'To keep the servers of the delegation, change the NS records in the zone acme.com itself to ns1.acme.com',
  },
  {
    code: 'delegation_mismatch',
    when: 'the registry still names the servers of the former provider',
    record: withMismatch(collected(dkim, nxDomain(), bySecond(found(dkim.value))), ['ns2.acme.com']),
    status: 'missing',
    name: 'acme.com',
    fix: 'To keep the servers that have the record, enter at the registrar of acme.com the name servers ns2.acme.com',
  },
  {
    code: 'delegation_mismatch',
    when: 'none of the servers that the zone names answers',
    record: withMismatch(collected(dkim, found(dkim.value)), ['ns2.acme.com'], false),
    status: 'inconclusive',
    name: 'acme.com',
    fix: 'change the NS records in the zone acme.com itself to ns1.acme.com',
  },
  {
    code: 'delegation_mismatch',
    when: 'all servers have the record',
    record: withMismatch(collected(dkim, found(dkim.value), bySecond(found(dkim.value))), [
      'ns1.acme.com',
      'ns2.acme.com',
    ]),
    severity: 'warning',
    status: 'found',
    name: 'acme.com',
    fix: 'Enter the same name servers at the registrar of acme.com and in the NS records of the zone itself. The delegation now names ns1.acme.com',
  },
  {
    code: 'delegation_mismatch',
    when: 'the provider to which the alias leads has it',
    record: withMismatch(
      collected(dkim, throughAlias(found(dkim.value), 'k1.keys.provider.example')),
      ['ns2.provider.example'],
      true,
      'provider.example',
    ),
    severity: 'warning',
    status: 'found',
    name: 'provider.example',
    fix: 'Nothing to change in your zone. Contact the operator of provider.example',
  },
  {
    code: 'answers_vary',
    when: 'one server gives two answers in turn',
    record: collected(dkim, found(dkim.value), found('v=DKIM1; p=QUJD')),
    found: ['v=DKIM1; p=QUJD'],
    fix: 'name server ns1.acme.com (192.0.2.1) does not give the same answer each time. Make sure that there is only one such record',
  },
  {
    code: 'ns_inconsistent',
    when: 'one server does not have the record yet',
    record: collected(dkim, found(dkim.value), bySecond(nxDomain())),
    status: 'missing',
    fix: 'name server ns2.acme.com (192.0.2.2) differs from the other name servers of the zone. Wait until it has copied zone acme.com or contact its operator. At host k1._domainkey each name server must return the value v=DKIM1',
  },
  {
    code: 'ns_inconsistent',
    when: 'one server still has another SPF record',
    record: collected(spf, found('v=spf1 redirect=spf.other.example'), bySecond(found(spf.value))),
    extra: ['spf_missing_mechanism'],
    fix: 'name server ns1.acme.com (192.0.2.1) ',
  },
  {
    code: 'key_stale',
    when: 'one server still has the old key',
    record: collected(dkim, found('v=DKIM1; p=QUJD'), bySecond(found(dkim.value))),
    found: ['v=DKIM1; p=QUJD'],
    fix: 'name server ns1.acme.com (192.0.2.1) ',
  },
  {
    code: 'ns_lame',
    when: 'the only server refuses',
    record: collected(dkim, failed('refused')),
    status: 'inconclusive',
    found: ['refused'],
    fix: 'Add zone acme.com at the DNS provider that operates this server. If another one has the zone, replace ns1.acme.com at the registrar with a name server of that provider.',
  },
  {
    code: 'cname_conflict',
    when: 'a DNAME record above the name makes the CNAME record',
    name: '_domainkey.acme.com',
    record: collected(dkim, {
      ...throughAlias(nxDomain(), 'k1.keys.acme.com'),
      redirectedAt: '_domainkey.acme.com',
    } as DnsAnswer),
    found: ['CNAME k1.keys.acme.com'],
    fix: 'It comes from the DNAME record at host _domainkey which redirects all names below it, so nothing can be entered at host k1._domainkey itself. Delete the DNAME record. Add a TXT record',
  },
  ...valueCases(
    'value_of_other_record',
    dkim,
    'Delete the other TXT records at host k1._domainkey and add one TXT record there',
    { 'the name has the text of another purpose, beside which no key counts': 'v=DMARC1; p=none' },
  ),
  ...[
    'p=reject; rua=mailto:d@acme.com; v=DMARC1',
    'v=DMARC1 p=reject rua=mailto:d@acme.com',
    'V=DMARC1, P=REJECT, RUA=mailto:d@acme.com',
    'v=DMARC1\uff1b p=reject\uff1b rua=mailto:d@acme.com',
    'DMARC1; p:reject; rua=mailto:d@acme.com',
  ].map((value): FindingCase => ({
    code: 'value_mismatch',
    when: `the policy that is meant is kept: ${value}`,
    record: collected(dmarc, found(value)),
    value: 'v=DMARC1; p=reject; rua=mailto:d@acme.com',
    fix: 'Replace the value of the TXT record at host _dmarc with v=DMARC1; p=reject; rua=mailto:d@acme.com',
  })),
  {
    code: 'ns_lame',
    when: 'the only server of a zone that is delegated below refuses',
    record: {
      expected: dkim,
      at: zoneAnswers(dkim.name, [inZone('_domainkey.acme.com', failed('refused'))], '_domainkey.acme.com'),
    },
    status: 'inconclusive',
    fix: 'If another one has the zone, replace ns1.acme.com in the zone above it with',
  },
  {
    code: 'server_failure',
    when: 'a server of the zone that an alias leads to refuses',
    name: 'provider.example',
    record: collected(dkim, inZone('provider.example', failed('refused'))),
    status: 'inconclusive',
    found: ['refused'],
    fix: 'provider.example, which another owner operates. Nothing is wrong with your own name servers. If this lasts, contact the operator of provider.example',
  },
  {
    code: 'server_failure',
    when: 'the host of the only name server does not exist',
    record: collected(dkim, inZone('acme.com', { ...failed('noAddress'), server: 'ns1.gone.example' })),
    status: 'inconclusive',
    found: ['noAddress'],
    fix: 'If this lasts, remove ns1.gone.example from the name servers of acme.com at the registrar, or give it an address.',
  },
  {
    code: 'ns_alias',
    when: 'the only name server is an alias',
    record: collected(dkim, { ...failed('alias'), server: 'dns.acme.example' }),
    status: 'inconclusive',
    found: [],
    fix: 'the name server dns.acme.example is an alias (CNAME), and many resolvers do not follow it. Among the name servers of acme.com, at the registrar and in the zone, replace dns.acme.example with a host',
  },
  {
    code: 'ns_without_authority',
    when: 'the only server answers without the AA bit',
    record: collected(dkim, { ...found(dkim.value), authoritative: false } as DnsAnswer),
    severity: 'warning',
    status: 'found',
    fix: 'name server ns1.acme.com (192.0.2.1) answers without authority (AA). Resolvers accept this. Nothing to change in the record.',
  },
  {
    code: 'resolver_disagrees',
    when: 'a resolver asked just now and was denied the record',
    record: cached(dkim, { kind: 'denied', server: RESOLVER, secondsLeft: 42, ageSeconds: 0 }),
    found: [],
    fix: 'resolver 192.0.2.53:53 finds no such record. It asked after the name servers of acme.com had the record',
  },
  {
    code: 'resolver_disagrees',
    when: 'a resolver asked after an earlier check had found the record',
    record: cached(
      { ...dkim, foundSecondsAgo: 600 },
      { kind: 'denied', server: RESOLVER, secondsLeft: 42, ageSeconds: 500 },
    ),
    fix: 'resolver 192.0.2.53:53 finds no such record.',
  },
  {
    code: 'resolver_disagrees',
    when: 'a resolver got another value just now',
    record: cached(dkim, { kind: 'found', server: RESOLVER, values: ['v=DKIM1; p=QUJD'], secondsLeft: 60 }),
    found: ['v=DKIM1; p=QUJD'],
    fix: 'resolver 192.0.2.53:53 finds another value.',
  },
  {
    code: 'not_resolved',
    when: 'no resolver has an answer',
    record: cached(dkim, { kind: 'failed', server: RESOLVER }),
    status: 'inconclusive',
    found: [],
    fix: 'resolver 192.0.2.53:53 gets no answer for it. Receivers ask through such resolvers. Nothing to change in the record.',
  },
  {
    code: 'negative_cached',
    when: 'a resolver asked before an earlier check had found the record',
    record: cached(
      { ...dkim, foundSecondsAgo: 600 },
      { kind: 'denied', server: RESOLVER, secondsLeft: 42, ageSeconds: 700 },
    ),
    severity: 'warning',
    status: 'found',
    fix: 'The resolver asks again in 42 seconds.',
  },
  {
    code: 'negative_cached',
    when: 'a resolver remembers that the record did not exist',
    record: cached(dkim, { kind: 'denied', server: RESOLVER, secondsLeft: 42 }),
    severity: 'warning',
    status: 'found',
    fix: 'resolver 192.0.2.53:53 still remembers that the record did not exist. Nothing to change: the record is right. The resolver asks again in 42 seconds.',
  },
  {
    code: 'negative_cached',
    when: 'the resolver returns no TTL with the denial',
    record: cached(dkim, { kind: 'denied', server: RESOLVER }),
    severity: 'warning',
    status: 'found',
    fix: 'The resolver asks again later.',
  },
  {
    code: 'stale_cached',
    when: 'a resolver remembers another key',
    record: cached(
      dkim,
      { kind: 'found', server: RESOLVER, values: ['v=DKIM1; p=QUJD'], secondsLeft: 1 },
      { kind: 'found', server: '192.0.2.54:53', values: [dkim.value], secondsLeft: 9 },
    ),
    severity: 'warning',
    status: 'found',
    found: ['v=DKIM1; p=QUJD'],
    fix: 'resolver 192.0.2.53:53 still remembers an earlier value. Nothing to change: the record is right. The resolver asks again in 1 second.',
  },
  {
    code: 'server_failure',
    when: 'the only server is silent',
    record: collected(dkim, failed('timeout')),
    status: 'inconclusive',
    found: ['timeout'],
    fix: 'Nothing to change in the record. If this lasts, contact the operator of the name server.',
  },
  ...aliasCases,
];
