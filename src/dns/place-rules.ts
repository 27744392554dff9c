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

/** A record that is not where it belongs. */
export const placeRules = {
  [FindingCode.domainUnregistered]: {
    look: (facts) =>
      facts.unregistered
        ? [
            {
              name: registeredDomainOf(facts.domain),
              found: [],
              fix: `Register ${registeredDomainOf(facts.domain)} or correct its spelling: the servers of its top-level domain do not know it. If it is registered, ask its registrar to put it into the zone again.`,
            },
          ]
        : [],
    inWords: (finding) => `${finding.name} is not registered`,
  },
  [FindingCode.hostDoubled]: {
    look: (facts) => {
      const found = facts.doubled?.values.filter((value) => isOfItsKind(facts.expected, value)) ?? [];
      if (facts.doubled === undefined || found.length === 0) return [];
      const fix = `Change the host of the record from ${facts.expected.name} to ${facts.host}, because the provider appends ${facts.zone} by itself; the value is ${facts.expected.value}`;
      return [{ name: facts.doubled.name, found, fix: asSentence(fix) }];
    },
    inWords: (finding) => `published at ${finding.name} instead (host doubled)`,
  },
  [FindingCode.hostOnParent]: {
    look: (facts) => {
      const place = facts.onParent;
      if (place === undefined || judgeValues(facts.expected, place.values) !== 'found') return [];
      const fix = `Change the host of the record from ${hostWithin(place.name, facts.zone)} to ${facts.host}; the value is ${facts.expected.value}`;
      return [{ name: place.name, found: place.values, fix: asSentence(fix) }];
    },
    inWords: (finding) => `published at ${finding.name} instead (subdomain left out of the host)`,
  },
  [FindingCode.selectorWrong]: {
    look: (facts) =>
      facts.otherSelectors
        .filter((place) => place.values.some((value) => isKeyOf(facts.expected, value)))
        .map((place) => {
          const fix = `Change the host of the record from ${hostWithin(place.name, facts.zone)} to ${facts.host}, as messages are signed with that selector; the value is ${facts.expected.value}`;
          return { name: place.name, found: place.values, fix: asSentence(fix) };
        }),
    inWords: (finding) => `published at ${finding.name} instead (wrong selector)`,
  },
  [FindingCode.cnameConflict]: {
    look: (facts) => {
      if (facts.aliasInTheWay.length === 0 || facts.aliasFault !== undefined) return [];
      const fix = `delete the CNAME record with host ${facts.host}, beside which no other record can be, and ${publishSentence(facts)}`;
      return [{ found: facts.aliasInTheWay.map((target) => `CNAME ${target}`), fix: asSentence(fix) }];
    },
    inWords: () => 'a CNAME record is in the way',
  },
  [FindingCode.cnameLoop]: aliasRule('loop', 'the CNAME record leads back to itself', 'which leads back to itself'),
  [FindingCode.cnameTooLong]: aliasRule(
    'tooLong',
    `the chain of CNAME records is longer than ${String(ALIASES_MAX)}`,
    `which starts a chain of more than ${String(ALIASES_MAX)} that resolvers do not follow`,
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

function aliasRule(fault: AliasFault, words: string, why: string): DiagnosisRule {
  return {
    look: (facts) => {
      if (facts.aliasFault !== fault) return [];
      const fix = `delete the CNAME record with host ${facts.host}, ${why}, and ${publishSentence(facts)}`;
      return [{ found: facts.aliasInTheWay.map((target) => `CNAME ${target}`), fix: asSentence(fix) }];
    },
    inWords: () => words,
  };
}

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
