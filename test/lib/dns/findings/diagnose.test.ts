import { describe, expect, test } from 'vitest';
import type { DnsAnswer } from '../../../../src/lib/dns/resolver/answer.ts';
import type { CollectedRecord } from '../../../../src/lib/dns/collect/collected-record.ts';
import { diagnose } from '../../../../src/lib/dns/findings/diagnose.ts';
import { FindingCode } from '../../../../src/lib/dns/findings/finding.ts';
import {
  bySecond,
  collected,
  dkim,
  dmarc,
  failed,
  found,
  KEY,
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

interface Row {
  readonly code: FindingCode;
  readonly when: string;
  readonly record: CollectedRecord;
  readonly status: string;
  readonly found?: readonly string[];
  readonly name?: string;
  /** What the fix must name. */
  readonly fix: string;
  readonly domain?: string;
  /** @default 'error' */
  readonly severity?: 'warning';
  /** There is nothing to enter. */
  readonly entersNothing?: true;
  /** Other records of the same look. */
  readonly beside?: readonly CollectedRecord[];
  /** Codes that say more about the same record. */
  readonly extra?: readonly FindingCode[];
}

const ENTERING_NOTHING: readonly FindingCode[] = [
  'domain_unregistered',
  'ns_not_delegated',
  'ns_inconsistent',
  'ns_lame',
  'server_failure',
  'resolver_failure',
  'negative_cached',
  'stale_cached',
  'dnssec_bogus',
  'sender_spf_broken',
];

const tenHosts = tenNames.map((name) => `a:${name}`).join(' ');

/** An SPF record with what a receiver finds at other names. */
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

const rows: readonly Row[] = [
  {
    code: 'not_published',
    when: 'the name does not exist',
    record: collected(dkim, nxDomain()),
    status: 'missing',
    fix: `Publish a TXT record with host k1._domainkey and value ${dkim.value}`,
  },
  {
    code: 'not_published',
    when: 'the name has other texts only',
    record: collected(spf, found('some-site-verification=1')),
    status: 'missing',
    fix: 'host bounce and value v=spf1 include:spf.sendoff.example -all',
  },
  {
    code: 'not_published',
    when: 'a wildcard SPF record answers for the key’s name',
    record: collected(dkim, found('v=spf1 -all')),
    status: 'missing',
    fix: 'host k1._domainkey',
  },
  {
    code: 'not_published',
    when: 'the key’s zone is a delegated _domainkey',
    record: { expected: dkim, at: zoneAnswers(dkim.name, [nxDomain()], '_domainkey.acme.com') },
    status: 'missing',
    fix: 'Publish a TXT record with host k1 and',
  },
  {
    code: 'host_doubled',
    when: 'the key is at the name with the zone appended',
    record: { ...collected(dkim, nxDomain()), doubled: [zoneAnswers(doubledName, [found(dkim.value)])] },
    status: 'missing',
    name: doubledName,
    fix: 'from k1._domainkey.acme.com to k1._domainkey and keep the value',
  },
  {
    code: 'host_doubled',
    when: 'the subdomain stands twice in the name',
    record: {
      ...collected(subdomainSpf, nxDomain()),
      doubled: [zoneAnswers('bounce.mail.mail.acme.com', [found(spf.value)])],
    },
    domain: 'mail.acme.com',
    status: 'missing',
    name: 'bounce.mail.mail.acme.com',
    fix: 'must be bounce.mail.acme.com and not bounce.mail.mail.acme.com: change the host of the record from bounce.mail.mail to bounce.mail and keep the value',
  },
  {
    code: 'host_on_parent',
    when: 'the SPF record of a subdomain is at the domain above, where it may be right for that',
    record: {
      ...collected(subdomainSpf, nxDomain()),
      onParent: [zoneAnswers('bounce.acme.com', [found(spf.value)])],
    },
    domain: 'mail.acme.com',
    status: 'missing',
    name: 'bounce.acme.com',
    fix: 'The record at bounce.acme.com does not count for mail.acme.com: publish a TXT record with host bounce.mail and value',
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
    fix: 'zone mail.acme.com has name servers of its own (ns1.acme.com), and a record entered in a zone above it is not seen; where these are managed, publish a TXT record with host k1._domainkey and value',
  },
  {
    code: 'not_published',
    when: 'the subdomain is a zone with name servers of its own',
    record: {
      expected: subdomainSpf,
      at: zoneAnswers(subdomainSpf.name, [nxDomain(), bySecond(nxDomain())], 'mail.acme.com'),
    },
    domain: 'mail.acme.com',
    status: 'missing',
    fix: 'Zone mail.acme.com has name servers of its own (ns1.acme.com, ns2.acme.com), and a record entered in a zone above it is not seen; where these are managed, publish a TXT record with host bounce and value v=spf1',
  },
  {
    code: 'not_published',
    when: 'other names exist below _domainkey',
    record: { ...collected(dkim, nxDomain()), otherSelectors: [zoneAnswers('_domainkey.acme.com', [noData()])] },
    status: 'missing',
    fix: 'Names exist below _domainkey.acme.com but not this one: correct the host if one of them is meant to be it, or publish a TXT record with host k1._domainkey',
  },
  {
    code: 'not_published',
    when: 'a wildcard makes _domainkey exist, and says nothing about names below it',
    record: { ...collected(dkim, noData()), otherSelectors: [zoneAnswers('_domainkey.acme.com', [noData()])] },
    status: 'missing',
    fix: `publish a TXT record with host k1._domainkey and value ${dkim.value}`,
  },
  {
    code: 'host_on_parent',
    when: 'the key of a subdomain is at the domain above',
    record: {
      ...collected(subdomainKey, nxDomain()),
      onParent: [zoneAnswers('k1._domainkey.acme.com', [found(dkim.value)])],
    },
    domain: 'mail.acme.com',
    status: 'missing',
    name: 'k1._domainkey.acme.com',
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
    record: { ...collected(dkim, nxDomain()), otherSelectors: [zoneAnswers('k1.acme.com', [found(dkim.value)])] },
    status: 'missing',
    name: 'k1.acme.com',
    fix: 'from k1 to k1._domainkey',
  },
  {
    code: 'not_published',
    when: 'another sender’s key is under another selector',
    record: {
      ...collected(dkim, nxDomain()),
      otherSelectors: [zoneAnswers('mail._domainkey.acme.com', [found('v=DKIM1; p=QUJD')])],
    },
    status: 'missing',
    fix: 'Publish a TXT record with host k1._domainkey',
  },
  {
    code: 'not_published',
    when: 'a wildcard gives what stands at the name',
    record: {
      ...collected(spf, found('v=spf1 -all')),
      wildcard: zoneAnswers('no-such-host.acme.com', [found('v=spf1 -all')]),
    },
    status: 'missing',
    fix: 'Publish a TXT record with host bounce',
  },
  {
    code: 'not_published',
    when: 'a wildcard alias leads elsewhere, and to the doubled name too',
    record: {
      ...collected(spf, throughAlias(found('v=spf1 -all'), 'shops.example')),
      wildcard: zoneAnswers('no-such-host.acme.com', [throughAlias(found('v=spf1 -all'), 'shops.example')]),
      doubled: [zoneAnswers('bounce.acme.com.acme.com', [throughAlias(found('v=spf1 -all'), 'shops.example')])],
    },
    status: 'missing',
    fix: 'Publish a TXT record with host bounce',
  },
  {
    code: 'cname_conflict',
    when: 'an alias leads to another sender’s record',
    record: collected(spf, throughAlias(found('v=spf1 include:spf.other.example -all'), 'mail.other.example')),
    status: 'wrong',
    found: ['CNAME mail.other.example'],
    fix: `Delete the CNAME record with host bounce and publish a TXT record with host bounce and value ${spf.value}`,
  },
  {
    code: 'cname_conflict',
    when: 'a server gives an alias beside the right record',
    record: collected(dkim, { ...found(dkim.value), conflictingAlias: 'keys.other.example' } as DnsAnswer),
    status: 'wrong',
    found: ['CNAME keys.other.example'],
    fix: 'Delete the CNAME record with host k1._domainkey',
  },
  {
    code: 'cname_conflict',
    when: 'an alias leads to nothing',
    record: collected(dkim, {
      kind: 'nxDomain',
      server: 'ns1.other.com',
      authoritative: true,
      aliases: ['gone.other.com'],
    }),
    status: 'wrong',
    found: ['CNAME gone.other.com'],
    fix: 'Delete the CNAME record with host k1._domainkey and publish a TXT record',
  },
  {
    code: 'cname_loop',
    when: 'the CNAME leads back to its own name',
    record: collected(dkim, { ...noData(), aliases: ['a.acme.com', dkim.name], aliasFault: 'loop' } as DnsAnswer),
    status: 'wrong',
    found: ['CNAME a.acme.com', `CNAME ${dkim.name}`],
    fix: 'The CNAME record leads back to itself: delete the CNAME record with host k1._domainkey and publish a TXT record',
  },
  {
    code: 'cname_too_long',
    when: 'the chain of CNAMEs is longer than resolvers follow',
    record: collected(spf, { ...noData(), aliases: ['a.acme.com', 'b.acme.com'], aliasFault: 'tooLong' } as DnsAnswer),
    status: 'wrong',
    fix: 'Resolvers follow a chain of at most 11 CNAME records: delete the CNAME record with host bounce and publish',
  },
  {
    code: 'ns_private_address',
    when: 'the name server has a private address',
    record: collected(dkim, { ...failed('privateAddress'), server: 'ns1.acme.com' }),
    status: 'inconclusive',
    found: [],
    fix: 'Give name server ns1.acme.com a public address, or remove it from the name servers of acme.com',
  },
  {
    code: 'resolver_failure',
    when: 'the recursive resolver does not say where the top-level domain’s servers are',
    record: collected(dkim, { ...failed('servfail'), server: '192.0.2.53:53', isResolver: true } as DnsAnswer),
    status: 'inconclusive',
    found: ['servfail'],
    fix: 'Nothing to change in the record: recursive resolver 192.0.2.53:53, ',
  },
  {
    code: 'wrong_type',
    when: 'the mail exchanger was entered as a text',
    record: {
      ...collected(returnPath, noData()),
      otherTypes: [zoneAnswers(returnPath.name, [found('10 mx.sendoff.example.')])],
    },
    status: 'wrong',
    found: ['TXT 10 mx.sendoff.example.'],
    fix: 'Delete the TXT record with host bounce and publish an MX record',
  },
  {
    code: 'value_quoted',
    when: 'quotation marks became part of the key record',
    record: collected(dkim, found(`"${dkim.value}"`)),
    status: 'wrong',
    fix: 'without quotation marks',
  },
  {
    code: 'value_quoted',
    when: 'two quoted strings were entered as one value',
    record: collected(dkim, found(`"${dkim.value.slice(0, 200)}" "${dkim.value.slice(200)}"`)),
    status: 'wrong',
    fix: 'without quotation marks',
  },
  {
    code: 'value_quoted',
    when: 'the SPF record is in quotation marks',
    record: collected(spf, found(`"${spf.value}"`)),
    status: 'wrong',
    fix: 'without quotation marks',
  },
  {
    code: 'value_whitespace',
    when: 'a no-break space is inside the key',
    record: collected(dkim, found(`${dkim.value.slice(0, 90)}\u00a0${dkim.value.slice(90)}`)),
    status: 'wrong',
    fix: 'without the whitespace that is in it: host k1._domainkey and value',
  },
  {
    code: 'value_whitespace',
    when: 'a no-break space is behind the key, as a byte that is no UTF-8',
    record: collected(dkim, found(`${dkim.value}\ufffd`)),
    status: 'wrong',
    fix: 'without the whitespace',
  },
  {
    code: 'value_whitespace',
    when: 'a space is before v=spf1',
    record: collected(spf, found(` ${spf.value}`)),
    status: 'wrong',
    fix: 'host bounce and value',
  },
  {
    code: 'value_whitespace',
    when: 'a space cuts a term in two',
    record: collected(spf, found('v=spf1 include: spf.sendoff.example -all')),
    status: 'wrong',
    fix: spf.value,
  },
  {
    code: 'value_whitespace',
    when: 'an invisible character ends the included name',
    record: collected(spf, found('v=spf1 mx include:spf.sendoff.example\u200b ~all')),
    status: 'wrong',
    fix: spf.value,
  },
  {
    code: 'value_whitespace',
    when: 'a no-break space is before the DMARC policy',
    record: collected(dmarc, found('\u00a0v=DMARC1; p=reject')),
    status: 'wrong',
    fix: dmarc.value,
  },
  {
    code: 'split_into_records',
    when: 'the strings of the key are records of their own, in any order',
    record: collected(dkim, found(dkim.value.slice(255), dkim.value.slice(0, 255))),
    status: 'wrong',
    fix: 'Delete the 2 TXT records with host k1._domainkey and publish',
  },
  {
    code: 'value_truncated',
    when: 'the key ends after 255 characters',
    record: collected(dkim, found(dkim.value.slice(0, 255))),
    status: 'wrong',
    fix: 'in full',
  },
  {
    code: 'key_revoked',
    when: 'p= is empty',
    record: collected(dkim, found('v=DKIM1; p=')),
    status: 'wrong',
    fix: dkim.value,
  },
  {
    code: 'key_testing',
    when: 'the key is in testing mode',
    record: collected(dkim, found(`v=DKIM1; k=rsa; t=s:Y; p=${KEY}`)),
    status: 'wrong',
    fix: 'again without t=y, as receivers treat',
  },
  {
    code: 'host_left_out',
    when: 'the key is at the domain itself',
    record: {
      ...collected(dkim, nxDomain()),
      domainItself: [zoneAnswers('acme.com', [found('v=spf1 -all', dkim.value)])],
    },
    status: 'missing',
    name: 'acme.com',
    found: [dkim.value],
    fix: 'the host was left out: change the host of the record from @ to k1._domainkey and keep the value',
  },
  ...(
    [
      ['the SPF record', spf, spf.value],
      ['the mail exchanger', returnPath, '20 MX.sendoff.example'],
      ['the DMARC policy', dmarc, 'v=DMARC1; p=reject'],
    ] as const
  ).map(([what, expected, value]): Row => ({
    code: 'host_left_out',
    when: `${what} is at the domain itself`,
    record: { ...collected(expected, nxDomain()), domainItself: [zoneAnswers('acme.com', [found('x=1', value)])] },
    status: 'missing',
    name: 'acme.com',
    found: [value],
    fix: 'The host was left out: change the host of the record from @ to',
  })),
  {
    code: 'host_left_out',
    when: 'the sender was added to the SPF record of the domain itself',
    record: {
      ...collected(spf, nxDomain()),
      domainItself: [
        zoneAnswers('acme.com', [found('v=spf1 include:_spf.other.example include:spf.sendoff.example ~all')]),
      ],
    },
    status: 'missing',
    name: 'acme.com',
    fix: 'Receivers of this mail read the SPF record at bounce.acme.com and not the one at acme.com: leave that for other senders and publish a TXT record with host bounce and value v=spf1',
  },
  {
    code: 'not_published',
    when: 'the domain itself has another sender’s SPF record',
    record: {
      ...collected(spf, nxDomain()),
      domainItself: [zoneAnswers('acme.com', [found('v=spf1 include:_spf.other.example ~all')])],
    },
    status: 'missing',
    fix: 'Publish a TXT record with host bounce',
  },
  {
    code: 'wrong_type',
    when: 'the SPF record is of type SPF',
    record: {
      ...collected(spf, noData()),
      otherTypes: [{ ...zoneAnswers(spf.name, [found('v=spf1 mx -all')]), type: 'SPF' }],
    },
    status: 'wrong',
    found: ['SPF v=spf1 mx -all'],
    fix: 'Receivers no longer read the type SPF: delete the SPF record with host bounce and publish a TXT record',
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
  ].map((value): Row => ({
    code: 'spf_version_wrong',
    when: `the value is ${value}`,
    record: collected(spf, found(value, 'some-site-verification=1')),
    status: 'wrong',
    found: [value],
    fix: 'only when it begins with v=spf1 and a space: host bounce and value v=spf1',
  })),
  ...['a', 'mx', 'google-site-verification=abc', 'include something', 'MS=ms1234', 'hello all'].map((value): Row => ({
    code: 'not_published',
    when: `the value is another service’s: ${value}`,
    record: collected(spf, found(value)),
    status: 'missing',
    fix: 'Publish a TXT record with host bounce',
  })),
  ...(
    [
      ['DKIM', spf, dkim.value, dkim],
      ['SPF', dkim, spf.value, spf],
      ['DMARC', spf, dmarc.value, dmarc],
      ['DKIM', dmarc, dkim.value, dkim],
    ] as const
  ).map(([name, expected, value, other]): Row => ({
    code: 'value_of_other_record',
    when: `the value of the ${name} record is at the name of the ${expected.purpose} record`,
    record: collected(expected, found(value)),
    beside: [collected(other, nxDomain())],
    status: 'wrong',
    found: [value],
    fix: `Enter the TXT record again, as it holds the value of the ${name} record: host`,
  })),
  {
    code: 'not_published',
    when: 'a wildcard gives the value of another record',
    record: {
      ...collected(dkim, found(dmarc.value)),
      wildcard: zoneAnswers('no-such-host._domainkey.acme.com', [found(dmarc.value)]),
    },
    beside: [collected(dmarc, found(dmarc.value))],
    status: 'missing',
    fix: 'Publish a TXT record with host k1._domainkey',
  },
  ...(['acme.com', 'mail.acme.com', 'bounce.acme.com'] as const).map((appended): Row => ({
    code: 'mx_target_appended',
    when: `${appended} was appended to the mail exchanger`,
    record: collected(returnPath, found(`10 MX.sendoff.example.${appended}.`)),
    status: 'wrong',
    fix: 'end its host with a dot if the form asks for one: host bounce and value 10 mx.sendoff.example',
  })),
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
  ).map(([expected, value]): Row => ({
    code: 'value_quoted',
    when: `the value is ${value.slice(0, 12)} to ${value.slice(-6)}`,
    record: collected(expected, found(value)),
    status: 'wrong',
    found: [value],
    fix: 'without quotation marks: host',
  })),
  ...(
    [
      ['v=spf1include:spf.sendoff.example-all', spf.value],
      ['v=spf1include:spf.sendoff.example -all', spf.value],
      ['v=spf1 include:spf.sendoff.example-all', spf.value],
      ['v=spf1ip4:192.0.2.1~all', 'v=spf1 ip4:192.0.2.1 ~all'],
    ] as const
  ).map(([value, expected]): Row => ({
    code: 'value_whitespace',
    when: `spaces were lost: ${value}`,
    record: { ...withDns(value, ['spf.sendoff.example-all']), expected: { ...spf, value: expected } },
    status: 'wrong',
    found: [value],
    fix: `host bounce and value ${expected}`,
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
  ).map(([code, other, value]): Row => ({
    code,
    extra: [other],
    when: `${other} is there too`,
    record: collected(dkim, found(value)),
    status: 'wrong',
    fix: 'host k1._domainkey and value v=DKIM1',
  })),
  {
    code: 'mx_target_appended',
    when: 'the zone was appended to the mail exchanger',
    record: collected(returnPath, found('10 mx.sendoff.example.acme.com')),
    status: 'wrong',
    fix: 'host bounce and value 10 mx.sendoff.example',
  },
  {
    code: 'key_hash_excluded',
    when: 'the right key has this around it',
    record: collected(dkim, found(`v=DKIM1; h=sha1; p=${KEY}`)),
    status: 'wrong',
    fix: 'host k1._domainkey and value v=DKIM1',
  },
  {
    code: 'key_type_wrong',
    when: 'the right key has this around it',
    record: collected(dkim, found(`v=DKIM1; k=ed25519; p=${KEY}`)),
    status: 'wrong',
    fix: 'host k1._domainkey and value v=DKIM1',
  },
  {
    code: 'key_service_excluded',
    when: 'the right key has this around it',
    record: collected(dkim, found(`v=DKIM1; s=tlsrpt; p=${KEY}`)),
    status: 'wrong',
    fix: 'host k1._domainkey and value v=DKIM1',
  },
  {
    code: 'tags_upper_case',
    when: 'the right key has this around it',
    record: collected(dkim, found(`V=DKIM1; K=RSA; P=${KEY}`)),
    status: 'wrong',
    fix: 'host k1._domainkey and value v=DKIM1',
  },
  {
    code: 'value_escaped',
    when: 'the right key has this around it',
    record: collected(dkim, found(`v=DKIM1\\; k=rsa\\; p=${KEY}`)),
    status: 'wrong',
    fix: 'host k1._domainkey and value v=DKIM1',
  },
  {
    code: 'key_pem',
    when: 'the right key has this around it',
    record: collected(dkim, found(`v=DKIM1; k=rsa; p=-----BEGIN PUBLIC KEY-----${KEY}-----END PUBLIC KEY-----`)),
    status: 'wrong',
    fix: 'host k1._domainkey and value v=DKIM1',
  },
  {
    code: 'key_without_tags',
    when: 'the right key has this around it',
    record: collected(dkim, found(KEY)),
    status: 'wrong',
    fix: 'host k1._domainkey and value v=DKIM1',
  },
  {
    code: 'value_zone_line',
    when: 'the right key has this around it',
    record: collected(dkim, found(`k1._domainkey 3600 IN TXT "v=DKIM1; k=rsa; p=${KEY}"`)),
    status: 'wrong',
    fix: 'host k1._domainkey and value v=DKIM1',
  },
  {
    code: 'tag_repeated',
    when: 'the right key has this around it',
    record: collected(dkim, found(`v=DKIM1; p=${KEY}; p=${KEY}`)),
    status: 'wrong',
    fix: 'host k1._domainkey and value v=DKIM1',
  },
  {
    code: 'value_reordered',
    when: 'the right key has this around it',
    record: collected(dkim, found(`${dkim.value.slice(255)}${dkim.value.slice(0, 255)}`)),
    status: 'wrong',
    fix: 'host k1._domainkey and value v=DKIM1',
  },
  ...[
    ...['===', 'A', 'A=', 'A==', 'AA', '.', ',', '\\', '-', ' (by Jane)', KEY].map((added) => `${dkim.value}${added}`),
    `v=DKIM1; p=*${KEY}`,
    ...['Schl\u00fcssel', 'a\u0001b', 'a\u0000', '\u007f'].map((notes) => `v=DKIM1; n=${notes}; p=${KEY}`),
  ].map((value): Row => ({
    code: 'key_surrounded',
    when: `something was added to the key: ${JSON.stringify(value.replaceAll(KEY, '…'))}`,
    record: collected(dkim, found(value)),
    status: 'wrong',
    found: [value],
    fix: 'without what was added to it, as verifiers may not accept that: host k1._domainkey and value v=DKIM1',
  })),
  ...[`v=DKIM1; p=\v${KEY}`, `${dkim.value}\f`].map((value): Row => ({
    code: 'value_whitespace',
    when: `whitespace that is not folded is beside the key: ${JSON.stringify(value.replaceAll(KEY, '…'))}`,
    record: collected(dkim, found(value)),
    status: 'wrong',
    fix: 'without the whitespace that is in it',
  })),
  {
    code: 'key_mismatch',
    when: 'the key is another one',
    record: collected(dkim, found('v=DKIM1; k=rsa; p=QUJD')),
    status: 'wrong',
    fix: 'Enter the TXT record again, as it holds another key now: host k1._domainkey and value v=DKIM1',
  },
  {
    code: 'dkim_multiple',
    when: 'a second key is published beside the right one',
    record: collected(dkim, found(dkim.value, 'v=DKIM1; p=QUJD')),
    status: 'wrong',
    found: ['v=DKIM1; p=QUJD'],
    fix: 'delete the TXT records with host k1._domainkey and publish a TXT record',
  },
  ...['v=spf1 -all', 'some-site-verification=1', KEY, ''].map((surplus): Row => ({
    code: 'dkim_multiple',
    when: `a text that is no key is beside the right one: ${surplus.slice(0, 12)}`,
    record: collected(dkim, found(surplus, dkim.value)),
    status: 'wrong',
    found: [surplus],
    fix: 'delete the TXT records with host k1._domainkey and publish a TXT record',
  })),
  {
    code: 'dkim_multiple',
    when: 'none of several texts is right',
    record: collected(dkim, found('v=DKIM1; p=QUJD', 'v=DKIM1; p=QUJE')),
    status: 'wrong',
    found: ['v=DKIM1; p=QUJD', 'v=DKIM1; p=QUJE'],
    fix: 'delete the TXT records with host k1._domainkey and publish a TXT record',
  },
  {
    code: 'spf_multiple',
    when: 'there are two SPF records, even if one is right',
    record: collected(spf, found(spf.value, 'v=spf1 mx -all')),
    status: 'wrong',
    fix: 'delete the others with host bounce and keep or enter the value v=spf1',
  },
  {
    code: 'spf_syntax',
    when: 'a term is none',
    record: collected(spf, found('v=spf1 ipv4:192.0.2.1 include:spf.sendoff.example -all')),
    status: 'wrong',
    fix: spf.value,
  },
  {
    code: 'spf_after_all',
    when: 'the mechanism stands behind all',
    record: collected(spf, found('v=spf1 -all include:spf.sendoff.example')),
    status: 'wrong',
    fix: spf.value,
  },
  {
    code: 'spf_overruled',
    when: 'a term before the mechanism may forbid it',
    record: collected(spf, found('v=spf1 ~exists:%{l}.list.example include:spf.sendoff.example -all')),
    status: 'wrong',
    fix: 'as a term before the mechanism may decide otherwise: host bounce and value',
  },
  {
    code: 'spf_missing_mechanism',
    when: 'another sender is allowed only',
    record: collected(spf, found('v=spf1 include:spf.other.example -all')),
    status: 'wrong',
    fix: spf.value,
  },
  {
    code: 'spf_missing_mechanism',
    when: 'the mechanism is there to forbid',
    record: collected(spf, found('v=spf1 ~include:spf.sendoff.example -all')),
    status: 'wrong',
    fix: spf.value,
  },
  {
    code: 'spf_too_many_lookups',
    when: 'ten terms that ask DNS stand before the mechanism',
    record: withDns(`v=spf1 ${tenHosts} include:spf.sendoff.example -all`),
    status: 'wrong',
    found: [`v=spf1 ${tenHosts} include:spf.sendoff.example -all`],
    fix: 'as receivers give up after 10 look-ups, before they reach the sender',
  },
  {
    code: 'spf_too_many_lookups',
    when: 'an included record redirects to one that has ten',
    record: withDns(
      'v=spf1 include:a.example include:spf.sendoff.example -all',
      ['a.example', 'v=spf1 redirect=b.example'],
      ['b.example', `v=spf1 ${tenHosts} -all`],
    ),
    status: 'wrong',
    fix: 'receivers give up after 10 look-ups',
  },
  {
    code: 'spf_too_many_lookups',
    when: 'two records include each other',
    record: withDns(
      'v=spf1 include:a.example include:spf.sendoff.example -all',
      ['a.example', 'v=spf1 include:b.example -all'],
      ['b.example', 'v=spf1 include:a.example -all'],
    ),
    status: 'wrong',
    fix: 'host bounce and value',
  },
  {
    code: 'spf_include_broken',
    when: 'an include before the mechanism has no SPF record',
    record: withDns('v=spf1 include:a.example include:spf.sendoff.example -all', ['a.example', 'some text']),
    status: 'wrong',
    fix: 'as receivers reject an include or redirect to a.example, ',
  },
  {
    code: 'spf_include_broken',
    when: 'an include of the domain itself stands behind the mechanism',
    record: withDns(`v=spf1 include:spf.sendoff.example include:${spf.name} -all`),
    status: 'wrong',
    fix: `to ${spf.name}, `,
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
    status: 'wrong',
    fix: 'a.example has more than 10 MX records',
  },
  {
    code: 'spf_too_many_void_lookups',
    when: 'three terms before the mechanism name nothing',
    record: {
      ...withDns('v=spf1 a:n1.example a:n2.example a:n3.example include:spf.sendoff.example -all'),
      spfAnswers: [
        ...spfAnswers,
        ...[1, 2, 3].map((at) => ({ ...zoneAnswers(`n${at}.example`, [nxDomain()]), type: 'A' as const })),
      ],
    },
    status: 'wrong',
    fix: 'receivers give up after 2 names without records, here at n3.example',
  },
  {
    code: 'sender_spf_broken',
    when: 'the sender’s own record is not there',
    record: { ...collected(spf, found(spf.value)), spfAnswers: [zoneAnswers('spf.sendoff.example', [nxDomain()])] },
    status: 'inconclusive',
    found: [],
    fix: 'Nothing to change in the record: the SPF records of the sending service',
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
    fix: 'Nothing to change in the record',
  },
  {
    code: 'value_mismatch',
    when: 'the mail exchanger is another one',
    record: collected(returnPath, found('10 mx.other.example')),
    status: 'wrong',
    fix: 'Delete the MX records with host bounce that point elsewhere',
  },
  {
    code: 'value_mismatch',
    when: 'another mail exchanger is preferred',
    record: collected(returnPath, found('10 mx.sendoff.example', '5 mx.other.example')),
    status: 'wrong',
    found: ['5 mx.other.example'],
    fix: 'Delete the MX records',
  },
  {
    code: 'value_mismatch',
    when: 'another mail exchanger is equally preferred',
    record: collected(returnPath, found('10 mx.sendoff.example', '10 mx.other.example')),
    status: 'wrong',
    found: ['10 mx.other.example'],
    fix: 'Delete the MX records',
  },
  {
    code: 'value_mismatch',
    when: 'there are two DMARC policies',
    record: collected(dmarc, found('v=DMARC1; p=none', 'v=DMARC1; p=reject')),
    status: 'wrong',
    fix: 'keep one of those with host _dmarc',
    entersNothing: true,
  },
  {
    code: 'domain_unregistered',
    when: 'the top-level domain denies the name',
    record: { expected: dkim, at: zoneAnswers(dkim.name, [nxDomain()], 'com') },
    status: 'missing',
    name: 'acme.com',
    fix: 'Register acme.com',
  },
  {
    code: 'ns_not_delegated',
    when: 'the top-level domain has the name without name servers',
    record: {
      expected: dkim,
      at: zoneAnswers(dkim.name, [nxDomain()], 'com'),
      delegation: { ...zoneAnswers('acme.com', [noData()], 'com'), type: 'NS' },
    },
    status: 'missing',
    name: 'acme.com',
    fix: 'Enter the name servers of acme.com at its registrar',
  },
  {
    code: 'domain_unregistered',
    when: 'the top-level domain denies the domain too',
    record: {
      expected: dkim,
      at: zoneAnswers(dkim.name, [nxDomain()], 'com'),
      delegation: { ...zoneAnswers('acme.com', [nxDomain()], 'com'), type: 'NS' },
    },
    status: 'missing',
    name: 'acme.com',
    fix: 'If it is registered, ask its registrar to put it into the zone again',
  },
  {
    code: 'domain_unregistered',
    when: 'the registry denies the domain that a subdomain belongs to',
    record: {
      expected: { ...dkim, name: 'k1._domainkey.mail.acme.co.uk' },
      at: zoneAnswers('k1._domainkey.mail.acme.co.uk', [nxDomain()], 'co.uk'),
      delegation: { ...zoneAnswers('acme.co.uk', [nxDomain()], 'co.uk'), type: 'NS' },
    },
    domain: 'mail.acme.co.uk',
    status: 'missing',
    name: 'acme.co.uk',
    fix: 'Register acme.co.uk or correct its spelling',
  },
  {
    code: 'dnssec_bogus',
    when: 'a validating resolver refuses the record',
    record: { ...collected(dkim, found(dkim.value)), caches: [{ kind: 'bogus', server: '192.0.2.53:53' }] },
    status: 'wrong',
    fix: 'Replace the DS records of acme.com at its registrar',
  },
  {
    code: 'ns_inconsistent',
    when: 'one server does not have the record yet',
    record: collected(dkim, found(dkim.value), bySecond(nxDomain())),
    status: 'missing',
    fix: 'wait until ns2.acme.com (192.0.2.2) has copied the zone',
  },
  {
    code: 'ns_inconsistent',
    when: 'one server still has another SPF record',
    record: collected(spf, found('v=spf1 redirect=spf.other.example'), bySecond(found(spf.value))),
    status: 'wrong',
    extra: ['spf_missing_mechanism'],
    fix: 'Wait until ns1.acme.com (192.0.2.1)',
  },
  {
    code: 'key_stale',
    when: 'one server still has the old key',
    record: collected(dkim, found('v=DKIM1; p=QUJD'), bySecond(found(dkim.value))),
    status: 'wrong',
    found: ['v=DKIM1; p=QUJD'],
    fix: 'Wait until ns1.acme.com (192.0.2.1)',
  },
  {
    code: 'ns_lame',
    when: 'the only server refuses',
    record: collected(dkim, failed('refused')),
    status: 'inconclusive',
    found: ['refused'],
    fix: 'Remove ns1.acme.com (192.0.2.1) from the name servers of acme.com',
  },
  {
    code: 'negative_cached',
    when: 'a resolver remembers that there was nothing',
    record: {
      ...collected(dkim, found(dkim.value)),
      caches: [{ kind: 'denied', server: '192.0.2.53:53', secondsLeft: 42 }],
    },
    severity: 'warning',
    status: 'found',
    fix: 'Nothing to change: the record with host k1._domainkey is right, but resolver 192.0.2.53:53 remembers for another 42 seconds that there was none.',
  },
  {
    code: 'negative_cached',
    when: 'the resolver does not tell for how long',
    record: { ...collected(dkim, found(dkim.value)), caches: [{ kind: 'denied', server: '192.0.2.53:53' }] },
    severity: 'warning',
    status: 'found',
    fix: 'for a time it does not tell',
  },
  {
    code: 'stale_cached',
    when: 'a resolver remembers another key',
    record: {
      ...collected(dkim, found(dkim.value)),
      caches: [
        { kind: 'found', server: '192.0.2.53:53', values: ['v=DKIM1; p=QUJD'], secondsLeft: 1 },
        { kind: 'found', server: '192.0.2.54:53', values: [dkim.value], secondsLeft: 9 },
      ],
    },
    severity: 'warning',
    status: 'found',
    found: ['v=DKIM1; p=QUJD'],
    fix: 'resolver 192.0.2.53:53 remembers what was there before for another 1 second.',
  },
  {
    code: 'server_failure',
    when: 'the only server is silent',
    record: collected(dkim, failed('timeout')),
    status: 'inconclusive',
    found: ['timeout'],
    fix: 'Nothing to change in the record',
  },
];

describe('each code, with its fix', () => {
  test.each(rows)('$code: $when', (row) => {
    const { code, record, status, found: values, name, fix, domain = 'acme.com', severity = 'error', extra = [] } = row;
    const entersNothing = ENTERING_NOTHING.includes(code) || row.entersNothing === true;
    const look = diagnose(domain, [record, ...(row.beside ?? [])]).records[0]!;
    expect(look.findings.map((finding) => [finding.code, finding.severity])).toEqual([
      [code, severity],
      ...extra.map((other) => [other, 'error']),
    ]);
    expect(look.status).toBe(status);
    const [finding] = look.findings;
    expect(finding).toMatchObject({ name: name ?? record.expected.name, expected: record.expected.value });
    expect(finding!.fix.toLowerCase()).toContain(fix.toLowerCase());
    expect(finding!.fix).toMatch(/^[A-Z]/);
    // Whoever copies to the end of a host or value must not copy punctuation with it.
    const { host } = look;
    for (const copied of [`host ${host}`, record.expected.value])
      for (const mark of ['.', ',', ';', ':', '!', '?', ')', '"']) expect(finding!.fix).not.toContain(copied + mark);
    const { type, value } = record.expected;
    expect(finding!.publish).toEqual(entersNothing ? undefined : { type, host, value });
    if (values !== undefined) expect(finding!.found).toEqual(values);
  });

  test('there is a row for every code', () => {
    expect(new Set(rows.map(({ code }) => code))).toEqual(new Set(Object.values(FindingCode)));
  });
});

describe('values that mean the same are found', () => {
  const half = Math.floor(KEY.length / 2);
  test.each([
    ['DKIM as it is', dkim, [dkim.value]],
    ['DKIM with its tags in another order and a final ;', dkim, [`v=DKIM1; p=${KEY}; k=rsa;`]],
    ['DKIM whose v= is not the first tag', dkim, [`k=rsa; v=DKIM1; p=${KEY}`]],
    ['DKIM without the optional tags', dkim, [`p=${KEY}`]],
    ['DKIM with whitespace inside p=', dkim, [` v=DKIM1; p = ${KEY.slice(0, half)} \t\r\n ${KEY.slice(half)} `]],
    ['DKIM without padding', dkim, [`v=DKIM1; p=${KEY.replace(/=+$/, '')}`]],
    ['DKIM with unknown tags and notes', dkim, [`v=DKIM1; n=ours; x-y=1; p=${KEY}`]],
    ['DKIM for the domain itself only', dkim, [`v=DKIM1; t=s; p=${KEY}`]],
    ['DKIM in testing mode, as the provider shows it', { ...dkim, value: `t=y; p=${KEY}` }, [`t=y; p=${KEY}`]],
    ['SPF with more senders', spf, ['v=spf1 mx include:spf.sendoff.example ~all']],
    ['SPF in other letters and spacing', spf, ['V=SPF1  +INCLUDE:spf.Sendoff.example.  -all']],
    ['SPF whose many other terms stand behind ours', spf, [`v=spf1 include:spf.sendoff.example ${tenHosts} -all`]],
    [
      'SPF with nine terms that ask DNS before ours',
      spf,
      [`v=spf1 ${tenHosts.slice(13)} include:spf.sendoff.example -all`],
    ],
    ['SPF next to other texts', spf, [spf.value, 'some-site-verification=1']],
    ['MX with another preference', returnPath, ['50 MX.sendoff.example']],
    ['MX with a spare one', returnPath, ['10 mx.sendoff.example', '20 mx.other.example']],
    ['DKIM with padding that its key does not need', dkim, [`${dkim.value}==`]],
    ['DKIM with spaces in its padding', { ...dkim, value: 'v=DKIM1; p=QUJDRA==' }, ['v=DKIM1; p=QUJDRA = =']],
    ['DKIM with a vertical tab in notes, which verifiers accept', dkim, [`v=DKIM1; n=a\vb; p=${KEY}`]],
    ['DKIM with notes of printable ASCII', dkim, [`v=DKIM1; n=a b\t!"~; p=${KEY}`]],
    ['DMARC with a tag in UTF-8', dmarc, ['v=DMARC1; p=none; x=\u00fc']],
    ['any DMARC policy', dmarc, ['v=DMARC1;p=reject;rua=mailto:a@acme.com']],
  ])('%s', (_title, expected, values) => {
    const look = diagnose('acme.com', [collected(expected, found(...values))]);
    expect(look.records[0]).toMatchObject({ status: 'found', findings: [] });
  });
});

describe('values that look alike but do not mean the same are wrong', () => {
  test.each([
    ['DKIM that allows no hash', dkim, `v=DKIM1; h=; p=${KEY}`],
    ['DKIM that allows no service', dkim, `v=DKIM1; s=; p=${KEY}`],
    ['DKIM of another version', dkim, `v=DKIM2; p=${KEY}`],
    ['DKIM with a tag twice', dkim, `v=DKIM1; p=${KEY}; p=${KEY}`],
    ['DKIM for SHA-1 only', dkim, `v=DKIM1; h=sha1; p=${KEY}`],
    ['DKIM for another service', dkim, `v=DKIM1; s=tlsrpt; p=${KEY}`],
    ['DKIM of another kind of key', dkim, `v=DKIM1; k=ed25519; p=${KEY}`],
    ['DKIM with a character that is no base64', dkim, `v=DKIM1; p=${KEY.slice(0, 8)}*${KEY.slice(8)}`],
    ['DKIM with less padding than its key needs', { ...dkim, value: 'v=DKIM1; p=QUJDRA==' }, 'v=DKIM1; p=QUJDRA='],
    ['SPF with whitespace before it', spf, ` ${spf.value}`],
    ['DMARC without a policy', dmarc, 'v=DMARC1; pct=50'],
    ['DMARC with an unknown policy', dmarc, 'v=DMARC1; p=maybe'],
  ])('%s', (_title, expected, value) => {
    expect(diagnose('acme.com', [collected(expected, found(value))]).records[0]).toMatchObject({ status: 'wrong' });
  });
});

describe('what a look comes to', () => {
  test('a domain is verified when its required records are found, whatever the others are', () => {
    const look = diagnose('acme.com', [
      collected(dkim, found(dkim.value)),
      collected(spf, found(spf.value)),
      collected(dmarc, nxDomain()),
      collected(returnPath, failed('timeout')),
    ]);
    expect(look).toMatchObject({ domain: 'acme.com', zone: 'acme.com', verified: true, conclusive: true });
    expect(look.records.map(({ host }) => host)).toEqual(['k1._domainkey', 'bounce', '_dmarc', 'bounce']);
  });

  test.each(['servfail', 'refused', 'timeout', 'lame', 'unreachable', 'malformed', 'noAddress', 'limit'] as const)(
    '%s is inconclusive, never missing',
    (reason) => {
      const look = diagnose('acme.com', [collected(dkim, failed(reason)), collected(spf, found(spf.value))]);
      expect(look).toMatchObject({ verified: false, conclusive: false, records: [{ status: 'inconclusive' }, {}] });
    },
  );

  test('a server that fails beside one that has the record is a warning', () => {
    const look = diagnose('acme.com', [collected(dkim, found(dkim.value), bySecond(failed('timeout')))]);
    expect(look).toMatchObject({ verified: true, conclusive: true });
    expect(look.records[0]!.findings).toMatchObject([
      { code: 'server_failure', severity: 'warning', server: 'ns2.acme.com (192.0.2.2)' },
    ]);
  });

  test('a denial counts even when another server fails: the record is not everywhere', () => {
    const look = diagnose('acme.com', [collected(dkim, nxDomain(), bySecond(failed('servfail')))]);
    expect(look).toMatchObject({ verified: false, conclusive: true, records: [{ status: 'missing' }] });
    expect(look.records[0]!.findings.map(({ code }) => code)).toEqual(['server_failure', 'not_published']);
  });

  test('a record found through an alias is found', () => {
    const answer = found(dkim.value);
    const look = diagnose('acme.com', [
      collected(dkim, answer.kind === 'found' ? { ...answer, aliases: ['acme.keys.example'] } : answer),
    ]);
    expect(look).toMatchObject({ verified: true, records: [{ findings: [] }] });
  });

  test.each([
    ['another record is found', spf, found(spf.value)],
    ['the name of another record exists', returnPath, noData()],
    ['another record’s name is an alias', spf, { ...nxDomain(), aliases: ['gone.other.com'] } as DnsAnswer],
  ])('a domain is not called unregistered when %s', (_title, other, answer) => {
    const at = { name: other.name, type: other.type, zone: 'com', answers: [answer] };
    const look = diagnose('acme.com', [
      { expected: dkim, at: zoneAnswers(dkim.name, [nxDomain()], 'com') },
      { expected: other, at },
    ]);
    expect(look.records[0]!.findings.map(({ code }) => code)).toEqual(['not_published']);
    expect(look.records[1]!.findings.map(({ code }) => code)).not.toContain('domain_unregistered');
  });

  test('a record elsewhere says nothing about whether the domain is registered', () => {
    const look = diagnose('acme.com', [
      { expected: dkim, at: zoneAnswers(dkim.name, [nxDomain()], 'com') },
      collected({ ...spf, name: 'bounce.other.example' }, found(spf.value)),
    ]);
    expect(look.records[0]!.findings.map(({ code }) => code)).toEqual(['domain_unregistered']);
  });

  test('an alias of a domain without a zone that leads to nothing is only that', () => {
    const answer = { ...nxDomain(), aliases: ['gone.other.com'] } as DnsAnswer;
    const look = diagnose('acme.com', [{ expected: dkim, at: zoneAnswers(dkim.name, [answer], 'com') }]);
    expect(look.records[0]!.findings.map(({ code }) => code)).toEqual(['cname_conflict']);
  });

  test('a delegated _domainkey does not become the domain’s zone', () => {
    const look = diagnose('acme.com', [
      { expected: dkim, at: zoneAnswers(dkim.name, [found(dkim.value)], '_domainkey.acme.com') },
      collected(spf, found(spf.value)),
    ]);
    expect(look.zone).toBe('acme.com');
    expect(look.records[0]!.host).toBe('k1');
  });

  test('hosts are relative to the zone, not to a subdomain that is none', () => {
    const look = diagnose('mail.acme.com', [collected({ ...spf, name: 'bounce.mail.acme.com' }, nxDomain())]);
    expect(look).toMatchObject({ zone: 'acme.com', records: [{ host: 'bounce.mail' }] });
  });

  test('a provider’s own record that follows no rule is compared as text', () => {
    const odd = { ...dkim, value: 'some text' };
    expect(diagnose('acme.com', [collected(odd, found('p=QUJD'))]).records[0]!.status).toBe('wrong');
  });
});
