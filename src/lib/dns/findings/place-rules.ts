import type { AliasFault } from '../resolver/answer.ts';
import { ALIASES_MAX } from '../resolver/alias-chain.ts';
import { isOfItsKind, judgeValues } from '../records/compare-record.ts';
import { kindOf, type ExpectedRecord } from '../expected-record.ts';
import { isOfProxy } from '../records/proxy-addresses.ts';
import { hostWithin, isBelow } from '../names/domain-name.ts';
import { registeredDomainOf } from '../names/form-place.ts';
import { isMeantAsKey } from '../records/wrapped-key.ts';
import { compareSpf, isSpf } from '../spf/spf-record.ts';
import {
  addRecord,
  deleteAndAdd,
  recordNames,
  replaceValue,
  type FindingRule,
  type FindingRules,
} from './finding-rule.ts';
import type { RecordFacts } from './record-facts.ts';

/** A record that is not where it belongs, or belongs there no longer. */
export const placeRules = {
  domain_unregistered: {
    entersNothing: true,
    check: ({ unregistered, domain }) => {
      const name = registeredDomainOf(domain);
      const action = `Register ${name} or correct its spelling. If you have registered it, ask your registrar why it is not listed.`;
      return unregistered ? [{ name, found: [], action }] : [];
    },
    problem: ({ name }) => `the registry does not list the domain ${name}`,
  },
  host_doubled: {
    check: (facts) =>
      facts.doubled.flatMap(({ name, values }) => {
        const found = values.filter((value) => isOfItsKind(facts.expected, value));
        const action = `The form of your DNS provider appends ${facts.zone} to the host. ${moveRecord(facts, name)}`;
        return found.length === 0 ? [] : [{ name, found, action }];
      }),
    problem: ({ name }) => `published at ${name}, where part of the domain is repeated`,
  },
  host_left_out: {
    check: (facts) =>
      facts.domainItself.flatMap(({ name, values }) => {
        const found = values.filter((value) => value.trim() === facts.expected.value || isOurs(facts, value));
        if (found.length > 0) return [{ name, found, action: moveRecord(facts, name) }];
        const shared = values.filter((value) => holdsSender(facts, value));
        const action = `Keep that record for other mail: receivers of this mail check only the name above. ${addRecord(facts)}`;
        return shared.length === 0 ? [] : [{ name, found: shared, action }];
      }),
    problem: ({ name }) => `published at ${name}, without its host`,
  },
  host_on_parent: {
    check: (facts) =>
      facts.onParent
        .filter(({ values }) => judgeValues(facts.expected, values) === 'found')
        .map(({ name, values }) => {
          // Only a key cannot belong to the domain above as well.
          const isToMove = facts.expected.purpose === 'dkim' && isBelow(name, facts.zone);
          const action = isToMove
            ? moveRecord(facts, name)
            : `That record does not apply to ${facts.domain}. ${inZone(facts)}${addRecord(facts)}`;
          return { name, found: values, action };
        }),
    problem: ({ name }) => `published at ${name}, without the subdomain`,
  },
  selector_wrong: {
    check: (facts) =>
      facts.otherSelectors
        .filter(({ values }) => values.some((value) => isValueOf(facts.expected, value)))
        .map(({ name, values }) => ({ name, found: values, action: moveRecord(facts, name) })),
    problem: ({ name }) =>
      `published at ${name}, ${name.includes('._domainkey.') ? 'under the wrong selector' : 'which is the wrong host'}`,
  },
  host_wrong: {
    check: (facts) =>
      facts.misspelt.flatMap(({ name, values }) => {
        const found = values.filter(
          (value) => isOurs(facts, value) || judgeValues(facts.expected, [value]) === 'found',
        );
        return found.length === 0 ? [] : [{ name, found, action: moveRecord(facts, name) }];
      }),
    problem: ({ name }) => `published at ${name}, which is the wrong host`,
  },
  cname_conflict: {
    check: (facts) => {
      if (facts.aliasInTheWay.length === 0 || facts.aliasFault !== undefined) return [];
      const { redirectedAt: name } = facts;
      return [{ ...(name !== undefined && { name }), found: aliasesIn(facts), action: deleteAlias(facts) }];
    },
    problem: 'a CNAME record is in the way, and no other record can exist beside it',
  },
  dname_above: {
    check: (facts) => {
      const { expected, status, redirectedAt: name, zone, host } = facts;
      if (expected.purpose !== 'dkim' || status !== 'found' || name === undefined) return [];
      const action = `Delete the DNAME record at host ${hostWithin(name, zone)} which redirects all names below it, and enter the record itself at host ${host} with value ${expected.value}`;
      return [{ severity: 'warning', name, found: [], action }];
    },
    // RFC 6672 section 3.2 has resolvers follow it, but OpenDKIM finds no key in an answer with a DNAME record.
    problem: ({ name }) => `the key is found through a DNAME record at ${name}, which some receivers do not follow`,
  },
  cname_loop: aliasRule('loop', 'a CNAME record leads back to itself'),
  cname_too_long: aliasRule(
    'tooLong',
    `more than ${String(ALIASES_MAX)} CNAME records follow each other, and resolvers give up`,
  ),
  cname_proxied: {
    check: (facts) => {
      const found = addressesBeside(facts);
      if (found.length === 0 || !found.every(isOfProxy)) return [];
      const action = `The DNS provider hides the CNAME record behind its proxy for web pages. Switch the proxy off for this record: at Cloudflare, set its proxy status to DNS only. The name servers must return at host ${facts.host} a CNAME record with value ${facts.expected.value}`;
      return [{ found, action }];
    },
    problem: 'the addresses of a proxy are in place of the CNAME record',
  },
  cname_not_alone: {
    check: (facts) => {
      const { besideAlias, expected, host, wrongValues } = facts;
      const addresses = addressesBeside(facts);
      const isByProxy = addresses.length > 0 && addresses.every(isOfProxy);
      const others = besideAlias.filter(
        ({ type, values }) =>
          !(isByProxy && isAddressType(type)) && !values.some((value) => holdsValue(expected.value, value)),
      );
      if (others.length === 0) return [];
      const types = `${[...new Set(others.map(({ type }) => type))].join(' and ')} records`;
      const form = others.some(({ type }) => isAddressType(type))
        ? 'If the DNS provider makes addresses of a CNAME record (ALIAS, flattening, proxy), switch that off for this record. Otherwise: '
        : '';
      const isThere = judgeValues(expected, wrongValues) === 'found';
      const keep = `Delete the ${types} at host ${host} and keep the CNAME record there with value ${expected.value}`;
      const found = others.flatMap(({ type, values }) => values.map((value) => `${type} ${value}`));
      return [{ found, action: `${form}${isThere ? keep : deleteAndAdd(facts, types)}` }];
    },
    problem: ({ found }) =>
      `there are records of another type (${[...new Set(found.map((one) => one.split(' ', 1)[0]))].join(', ')}), and a CNAME record must be the only one at its name`,
  },
  wrong_type: {
    check: (facts) =>
      facts.otherTypes.flatMap(({ type, values }) => {
        // Only SPF records ever had the type SPF.
        const found = values.filter((value) => type === 'SPF' || holdsValue(facts.expected.value, value));
        if (found.length === 0) return [];
        return [{ found: found.map((value) => `${type} ${value}`), action: deleteAndAdd(facts, `${type} record`) }];
      }),
    problem: ({ found }) => `published with the wrong type (${found.map((one) => one.split(' ', 1)[0]).join(', ')})`,
  },
  value_of_other_record: {
    check: (facts) =>
      facts.judged
        .flatMap(({ verdict, aliases, values }) => {
          // No other CNAME record can be beside one.
          const isOther = verdict === 'missing' || (verdict === 'wrong' && kindOf(facts.expected) === 'alias');
          if (!isOther || aliases.length > 0) return [];
          const other = facts.siblings.find((sibling) => values.some((value) => isValueOf(sibling, value)));
          if (other === undefined) {
            // Beside another text no key counts. A wildcard's text is not among these values.
            const isInTheWay = kindOf(facts.expected) === 'dkim' && values.length > 0;
            return isInTheWay ? [{ found: values, action: deleteAndAdd(facts, 'other TXT records') }] : [];
          }
          const found = values.filter((value) => isValueOf(other, value));
          return [
            {
              found,
              action: `It is the value of the ${recordNames[other.purpose]} record${other.purpose === facts.expected.purpose ? ` at ${other.name}` : ''}. ${replaceValue(facts)}`,
            },
          ];
        })
        .slice(0, 1),
    problem: 'the value belongs to another record',
  },
  not_published: {
    lastResort: true,
    check: (facts) => {
      if (facts.status !== 'missing') return [];
      const { otherKeysBelow: parent } = facts;
      const others =
        parent === undefined
          ? ''
          : `Other names exist below ${parent}: if one of them is meant to be this record, correct its host. `;
      return [{ found: [], action: `${others}${inZone(facts)}${addRecord(facts)}` }];
    },
    problem: 'not published',
  },
  key_replaced: {
    entersNothing: true,
    check: ({ expected, status, host }) =>
      expected.isReplaced === true && status === 'found'
        ? [{ severity: 'warning', found: [], action: `Delete the ${expected.type} record at host ${host}` }]
        : [],
    problem: 'another key has replaced this one, and no message that it signed is under way any more',
  },
} satisfies FindingRules;

/** Tenants often enter the records of a delegated subdomain in the form of the zone above it. */
const inZone = ({ zone, delegatedTo }: RecordFacts): string =>
  delegatedTo.length === 0
    ? ''
    : `Zone ${zone} has its own name servers (${delegatedTo.join(', ')}), and records in a zone above it have no effect. Enter the record where zone ${zone} is managed. `;

const moveRecord = ({ zone, host, expected }: RecordFacts, from: string): string =>
  `Change the host of the record from ${hostWithin(from, zone)} to ${host} and keep the value ${expected.value}`;

const isAddressType = (type: string): boolean => type === 'A' || type === 'AAAA';

const addressesBeside = ({ besideAlias }: RecordFacts): readonly string[] =>
  besideAlias.filter(({ type }) => isAddressType(type)).flatMap(({ values }) => values);

const aliasesIn = ({ aliasInTheWay }: RecordFacts): readonly string[] =>
  aliasInTheWay.map((target) => `CNAME ${target}`);

function deleteAlias(facts: RecordFacts): string {
  const { redirectedAt, zone, host } = facts;
  if (redirectedAt === undefined) return deleteAndAdd(facts, 'CNAME record');
  const at = hostWithin(redirectedAt, zone);
  return `It comes from the DNAME record at host ${at} which redirects all names below it, so nothing can be entered at host ${host} itself. Delete the DNAME record. ${addRecord(facts)}`;
}

function aliasRule(fault: AliasFault, problem: string): FindingRule {
  return {
    check: (facts) => {
      const { spf } = facts;
      if (spf?.kind === 'fault' && spf.fault === fault) {
        const action = `The SPF record refers to ${spf.name}, where receivers give up. ${replaceValue(facts)}`;
        return [{ name: spf.name, found: facts.wrongValues.filter(isSpf), action }];
      }
      if (facts.aliasFault !== fault) return [];
      return [{ found: aliasesIn(facts), action: deleteAlias(facts) }];
    },
    problem,
  };
}

/** A value that only this record has; an SPF record or another key at the same place can be another sender's. */
function isOurs({ expected }: RecordFacts, value: string): boolean {
  const kind = kindOf(expected);
  return kind === 'dkim' ? isMeantAsKey(expected.value, value) : kind !== 'spf' && isOfItsKind(expected, value);
}

const isValueOf = (record: ExpectedRecord, value: string): boolean =>
  kindOf(record) === 'dkim' ? isMeantAsKey(record.value, value) : judgeValues(record, [value]) === 'found';

/** An SPF record that names the sender beside others. */
const holdsSender = ({ expected }: RecordFacts, value: string): boolean =>
  kindOf(expected) === 'spf' && isSpf(value) && !['missing', 'syntax'].includes(compareSpf(expected.value, value));

/** The expected value, entered into the form of another type: an MX host keeps its words, a text its spaces or none. */
function holdsValue(expected: string, value: string): boolean {
  const plain = (text: string): string =>
    text
      .toLowerCase()
      .replace(/^\d+\s+/, '')
      .replace(/[\s"'.]/g, '');
  return plain(value) !== '' && plain(value) === plain(expected);
}
