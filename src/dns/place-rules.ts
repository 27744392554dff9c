import { ALIASES_MAX } from './alias-chain.ts';
import type { AliasFault } from './alias-chain.ts';
import { isOfItsKind, judgeValues } from './compare-record.ts';
import { asSentence, publishSentence } from './diagnosis-rule.ts';
import type { DiagnosisRule } from './diagnosis-rule.ts';
import { compareDkimKey } from './dkim-key.ts';
import { hostWithin } from './domain-name.ts';
import type { ExpectedRecord } from './expected-record.ts';
import { FindingCode } from './finding.ts';
import { registeredDomainOf } from './form-place.ts';
import type { RecordFacts } from './record-facts.ts';

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
      const found = facts.doubled?.values.filter((value) => isOfItsKind(facts.expected, value)) ?? [];
      if (facts.doubled === undefined || found.length === 0) return [];
      const fix = `The form appends ${facts.zone} by itself: ${moveSentence(facts, facts.expected.name)}`;
      return [{ name: facts.doubled.name, found, fix: asSentence(fix) }];
    },
    inWords: (finding) => `published at ${finding.name} instead (host doubled)`,
  },
  [FindingCode.hostLeftOut]: {
    look: (facts) =>
      facts.domainItself.flatMap((place) => {
        const found = place.values.filter((value) => value.trim() === facts.expected.value || isOurKey(facts, value));
        if (found.length === 0) return [];
        const fix = `The host was left out: ${moveSentence(facts, hostWithin(place.name, facts.zone))}`;
        return [{ name: place.name, found, fix }];
      }),
    inWords: (finding) => `published at ${finding.name} instead (host left out)`,
  },
  [FindingCode.hostOnParent]: {
    look: (facts) => {
      const place = facts.onParent;
      if (place === undefined || judgeValues(facts.expected, place.values) !== 'found') return [];
      const fix = moveSentence(facts, hostWithin(place.name, facts.zone));
      return [{ name: place.name, found: place.values, fix: asSentence(fix) }];
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
      const { expected, otherType } = facts;
      const found = otherType?.values.filter((value) => holdsValue(expected.value, value)) ?? [];
      if (otherType === undefined || found.length === 0) return [];
      const fix = `delete the ${otherType.type} record with host ${facts.host} and ${publishSentence(facts)}`;
      return [{ found: found.map((value) => `${otherType.type} ${value}`), fix: asSentence(fix) }];
    },
    inWords: (finding) => `a record of the wrong type is there (${finding.found.map(typeOf).join(', ')})`,
  },
  [FindingCode.notPublished]: {
    lastResort: true,
    look: (facts) => (facts.status === 'missing' ? [{ found: [], fix: asSentence(publishSentence(facts)) }] : []),
    inWords: () => 'not published',
  },
} satisfies Partial<Record<FindingCode, DiagnosisRule>>;

function moveSentence(facts: RecordFacts, from: string): string {
  return `change the host of the record from ${from} to ${facts.host} and keep the value ${facts.expected.value}`;
}

function aliasRule(fault: AliasFault, words: string, why: string): DiagnosisRule {
  return {
    look: (facts) => {
      if (facts.aliasFault !== fault) return [];
      const fix = `${why}: delete the CNAME record with host ${facts.host} and ${publishSentence(facts)}`;
      return [{ found: facts.aliasInTheWay.map((target) => `CNAME ${target}`), fix: asSentence(fix) }];
    },
    inWords: () => words,
  };
}

const isOurKey = ({ expected }: RecordFacts, value: string): boolean =>
  expected.purpose === 'dkim' && isKeyOf(expected, value);

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
