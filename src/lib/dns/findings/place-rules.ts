import { ALIASES_MAX } from '../resolver/alias-chain.ts';
import type { AliasFault } from '../resolver/alias-chain.ts';
import { isOfItsKind, judgeValues } from '../records/compare-record.ts';
import { asSentence, publishSentence, recordNames, replaceSentence } from './finding-rule.ts';
import type { FindingRule } from './finding-rule.ts';
import { compareDkimKey } from '../records/dkim-key.ts';
import { hostWithin, isBelow } from '../names/domain-name.ts';
import type { ExpectedRecord } from '../expected-record.ts';
import { FindingCode } from './finding.ts';
import { registeredDomainOf } from '../names/form-place.ts';
import type { RecordFacts } from './record-facts.ts';
import { compareSpf, isSpf } from '../spf/spf-record.ts';

/** A record that is not where it belongs. */
export const placeRules = {
  [FindingCode.domainUnregistered]: {
    entersNothing: true,
    look: (facts) =>
      facts.unregistered
        ? [
            {
              name: registeredDomainOf(facts.domain),
              found: [],
              fix: `The registry's name servers do not know this domain: register ${registeredDomainOf(facts.domain)} or correct its spelling. If it is registered, ask its registrar to put it into the zone again`,
            },
          ]
        : [],
    inWords: (finding) => `${finding.name} is not registered`,
  },
  [FindingCode.hostDoubled]: {
    look: (facts) => {
      return facts.doubled.flatMap((place) => {
        const found = place.values.filter((value) => isOfItsKind(facts.expected, value));
        if (found.length === 0) return [];
        const entered = place.name.slice(0, -facts.zone.length - 1);
        const why =
          place.name === `${facts.expected.name}.${facts.zone}`
            ? `The form appends ${facts.zone} by itself`
            : `The full name must be ${facts.expected.name} and not ${place.name}`;
        const fix = `${why}: ${moveSentence(facts, entered)}`;
        return [{ name: place.name, found, fix }];
      });
    },
    inWords: (finding) => `published at ${finding.name} instead (host doubled)`,
  },
  [FindingCode.hostLeftOut]: {
    look: (facts) =>
      facts.domainItself.flatMap((place) => {
        const at = hostWithin(place.name, facts.zone);
        const found = place.values.filter((value) => value.trim() === facts.expected.value || isOurs(facts, value));
        if (found.length > 0) {
          const fix = `The host was left out: ${moveSentence(facts, at)}`;
          return [{ name: place.name, found, fix }];
        }
        const merged =
          facts.expected.purpose === 'spf' ? place.values.filter((value) => holdsSender(facts, value)) : [];
        if (merged.length === 0) return [];
        const fix = `Receivers of this mail read the SPF record at ${facts.expected.name} and not the one at ${place.name}: leave that for other senders and ${publishSentence(facts)}`;
        return [{ name: place.name, found: merged, fix }];
      }),
    inWords: (finding) => `published at ${finding.name} instead (host left out)`,
  },
  [FindingCode.hostOnParent]: {
    look: (facts) => {
      const places = facts.onParent.filter(({ values }) => judgeValues(facts.expected, values) === 'found');
      return places.map(({ name, values }) => {
        // The same value may be right up there, for another domain; a key is this domain's only.
        const isToMove = facts.expected.purpose === 'dkim' && isBelow(name, facts.zone);
        const fix = isToMove
          ? moveSentence(facts, hostWithin(name, facts.zone))
          : `the record at ${name} does not count for ${facts.domain}: ${inZone(facts)}${publishSentence(facts)}`;
        return { name, found: values, fix: asSentence(fix) };
      });
    },
    inWords: (finding) => `published at ${finding.name} instead (subdomain left out of the host)`,
  },
  [FindingCode.selectorWrong]: {
    look: (facts) =>
      facts.otherSelectors
        .filter((place) => place.values.some((value) => isKeyOf(facts.expected, value)))
        .map((place) => {
          const from = hostWithin(place.name, facts.zone);
          const fix = `Messages are signed with another selector: ${moveSentence(facts, from)}`;
          return { name: place.name, found: place.values, fix: asSentence(fix) };
        }),
    inWords: (finding) => `published at ${finding.name} instead (wrong selector)`,
  },
  [FindingCode.cnameConflict]: {
    look: (facts) => {
      if (facts.aliasInTheWay.length === 0 || facts.aliasFault !== undefined) return [];
      const fix = `no other record can be beside a CNAME: delete the CNAME record with host ${facts.host} and ${publishSentence(facts)}`;
      return [{ found: facts.aliasInTheWay.map((target) => `CNAME ${target}`), fix: asSentence(fix) }];
    },
    inWords: () => 'a CNAME record is in the way',
  },
  [FindingCode.cnameLoop]: aliasRule(
    'loop',
    'the CNAME record leads back to itself',
    'the CNAME record leads back to itself',
  ),
  [FindingCode.cnameTooLong]: aliasRule(
    'tooLong',
    `the chain of CNAME records is longer than ${String(ALIASES_MAX)}`,
    `resolvers follow a chain of at most ${String(ALIASES_MAX)} CNAME records`,
  ),
  [FindingCode.wrongType]: {
    look: (facts) => {
      const { expected, host, otherTypes } = facts;
      return otherTypes.flatMap(({ type, values }) => {
        // Nothing but this record is ever of type SPF.
        const found = values.filter((value) => type === 'SPF' || holdsValue(expected.value, value));
        if (found.length === 0) return [];
        const why = type === 'SPF' ? 'receivers no longer read the type SPF: ' : '';
        const fix = `${why}delete the ${type} record with host ${host} and ${publishSentence(facts)}`;
        return [{ found: found.map((value) => `${type} ${value}`), fix: asSentence(fix) }];
      });
    },
    inWords: (finding) => `a record of the wrong type is there (${finding.found.map(typeOf).join(', ')})`,
  },
  [FindingCode.valueOfOtherRecord]: {
    look: (facts) =>
      facts.judged
        .flatMap(({ verdict, aliases, values }) => {
          if (verdict !== 'missing' || aliases.length > 0) return [];
          const other = facts.siblings.find((sibling) => values.some((value) => isValueOf(sibling, value)));
          if (other === undefined) return [];
          const found = values.filter((value) => isValueOf(other, value));
          const why = `as it holds the value of the ${recordNames[other.purpose]} record`;
          return [{ found, fix: replaceSentence(facts, why) }];
        })
        .slice(0, 1),
    inWords: () => 'the value of another record is there',
  },
  [FindingCode.notPublished]: {
    lastResort: true,
    look: (facts) => {
      if (facts.status !== 'missing') return [];
      const selector =
        facts.otherKeysBelow === undefined
          ? ''
          : `names exist below ${facts.otherKeysBelow} but not this one: correct the host if one of them is meant to be it, or `;
      return [{ found: [], fix: asSentence(`${inZone(facts)}${selector}${publishSentence(facts)}`) }];
    },
    inWords: () => 'not published',
  },
} satisfies Partial<Record<FindingCode, FindingRule>>;

/** A zone that was delegated below the registered domain: tenants look for their records in the form of the zone above. */
const inZone = ({ zone, delegatedTo }: RecordFacts): string =>
  delegatedTo.length === 0
    ? ''
    : `zone ${zone} has name servers of its own (${delegatedTo.join(', ')}), and a record entered in a zone above it is not seen; where these are managed, `;

function moveSentence(facts: RecordFacts, from: string): string {
  return `change the host of the record from ${from} to ${facts.host} and keep the value ${facts.expected.value}`;
}

function aliasRule(fault: AliasFault, words: string, why: string): FindingRule {
  return {
    look: (facts) => {
      const { spf } = facts;
      if (spf?.kind === 'fault' && spf.fault === fault) {
        const fix = replaceSentence(facts, `as receivers end with an error at ${spf.name}, to which it refers: ${why}`);
        return [{ name: spf.name, found: facts.wrongValues.filter(isSpf), fix }];
      }
      if (facts.aliasFault !== fault) return [];
      const fix = `${why}: delete the CNAME record with host ${facts.host} and ${publishSentence(facts)}`;
      return [{ found: facts.aliasInTheWay.map((target) => `CNAME ${target}`), fix: asSentence(fix) }];
    },
    inWords: () => words,
  };
}

/** A value that only this record has: another SPF record at the same place is another sender's business. */
function isOurs({ expected }: RecordFacts, value: string): boolean {
  return expected.purpose === 'dkim'
    ? isKeyOf(expected, value)
    : expected.purpose !== 'spf' && isOfItsKind(expected, value);
}

const isValueOf = (record: ExpectedRecord, value: string): boolean =>
  record.purpose === 'dkim' ? isKeyOf(record, value) : judgeValues(record, [value]) === 'found';

/** The sender beside others. */
const holdsSender = ({ expected }: RecordFacts, value: string): boolean =>
  isSpf(value) && !['missing', 'syntax'].includes(compareSpf(expected.value, value));

/** The expected key, whole or cut off. Another key under another selector is another sender's business. */
function isKeyOf(expected: ExpectedRecord, value: string): boolean {
  return ['same', 'testing', 'truncated'].includes(compareDkimKey(expected.value, value));
}

/** The expected value, entered into the form of another type: an MX host keeps its words, a text its spaces or none. */
function holdsValue(expected: string, value: string): boolean {
  const plain = (text: string): string =>
    text
      .toLowerCase()
      .replace(/^\d+\s+/, '')
      .replace(/[\s"'.]/g, '');
  return plain(value) !== '' && plain(value) === plain(expected);
}

function typeOf(found: string): string {
  return found.split(' ', 1)[0] ?? '';
}
