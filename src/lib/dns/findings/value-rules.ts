import { exchangeOf, judgeValues } from '../records/compare-record.ts';
import { asSentence, publishSentence, replaceSentence } from './finding-rule.ts';
import type { FindingRule } from './finding-rule.ts';
import { isAtOrBelow } from '../names/domain-name.ts';
import { compareDkimKey, looksLikeDkimKey } from '../records/dkim-key.ts';
import type { DkimComparison } from '../records/dkim-key.ts';
import { isDmarc } from '../records/dmarc-policy.ts';
import type { ExpectedRecord } from '../expected-record.ts';
import { FindingCode } from './finding.ts';
import { unquoted, withoutWhitespace, withPlainSpaces } from '../records/folding-whitespace.ts';
import type { SpfFault } from '../spf/judge-spf.ts';
import { SPF_LOOKUPS_MAX, SPF_MX_HOSTS_MAX, SPF_VOID_LOOKUPS_MAX } from '../spf/evaluate-spf.ts';
import { compareSpf, isSpf, isSpfWithoutVersion } from '../spf/spf-record.ts';
import type { KeyWrapping } from '../records/wrapped-key.ts';

/** A record at the right place with a value that does not mean what it should. */
export const valueRules = {
  [FindingCode.valueQuoted]: {
    look: (facts) => {
      const isQuoted = (value: string): boolean =>
        facts.wrappings.includes('quoted') || isRightButForQuotes(facts.expected, value);
      const quoted = facts.wrongValues.filter(isQuoted);
      return quoted.length === 0 ? [] : [{ found: quoted, fix: replaceSentence(facts, 'without quotation marks') }];
    },
    inWords: () => 'the value has quotation marks in it',
  },
  [FindingCode.valueWhitespace]: {
    look: (facts) => {
      const isSpaced = (value: string): boolean =>
        facts.wrappings.includes('whitespace') || isRightButForWhitespace(facts.expected, value);
      const found = facts.wrongValues.filter(isSpaced);
      if (found.length === 0) return [];
      return [{ found, fix: replaceSentence(facts, 'without the whitespace that is in it') }];
    },
    inWords: () => 'the value has whitespace or invisible characters in it',
  },
  [FindingCode.splitIntoRecords]: {
    look: (facts) => {
      if (facts.expected.purpose !== 'dkim' || !joinsToExpected(facts.expected, facts.wrongValues)) return [];
      const fix = `delete the ${String(facts.wrongValues.length)} TXT records with host ${facts.host} and ${publishSentence(facts)}`;
      return [{ found: facts.wrongValues, fix: asSentence(fix) }];
    },
    inWords: (finding) => `the key is split into ${String(finding.found.length)} records`,
  },
  [FindingCode.dkimMultiple]: {
    look: (facts) => {
      const { expected, wrongValues, host } = facts;
      if (expected.purpose !== 'dkim' || wrongValues.length < 2 || joinsToExpected(expected, wrongValues)) return [];
      const isRight = (value: string): boolean => compareDkimKey(expected.value, value) === 'same';
      const surplus = wrongValues.filter((value) => !isRight(value));
      const fix = `a verifier accepts no key beside a second TXT record: delete the TXT records with host ${host} and ${publishSentence(facts)}`;
      return [{ found: surplus.length > 0 ? surplus : wrongValues, fix: asSentence(fix) }];
    },
    inWords: () => 'more than one TXT record is at the name',
  },
  [FindingCode.valueTruncated]: dkimRule('truncated', 'in full, as it was cut off', 'the key is cut off'),
  [FindingCode.keyRevoked]: dkimRule(
    'revoked',
    'with its key, as an empty p= revokes it',
    'the key is revoked (empty p=)',
  ),
  [FindingCode.keyTesting]: dkimRule(
    'testing',
    'without t=y, as receivers treat what a key in testing mode signs as unsigned',
    'the key is in testing mode (t=y)',
  ),
  [FindingCode.keyHash]: wrappingRule('hash', 'without h= as it excludes SHA-256', 'the key excludes SHA-256 (h=)'),
  [FindingCode.keyType]: wrappingRule('keyType', 'with its own k=', 'the key has another k='),
  [FindingCode.keyService]: wrappingRule('service', 'without s= as it excludes email', 'the key excludes email (s=)'),
  [FindingCode.tagsUpperCase]: wrappingRule('upperCase', 'in lower case where it is', 'tags are in the wrong case'),
  [FindingCode.valueEscaped]: wrappingRule('escaped', 'without backslashes', 'the value has escaped semicolons'),
  [FindingCode.keyPem]: wrappingRule('pem', 'without the lines BEGIN and END', 'the key is in PEM armour'),
  [FindingCode.keyWithoutTags]: wrappingRule('bareKey', 'with its tags', 'the key stands without its tags'),
  [FindingCode.valueZoneLine]: wrappingRule(
    'zoneLine',
    'as only the part in quotation marks of the line belongs there',
    'a whole line of a zone file is the value',
  ),
  [FindingCode.tagRepeated]: wrappingRule('repeatedTag', 'with each tag once', 'a tag stands there twice'),
  [FindingCode.valueReordered]: wrappingRule(
    'reordered',
    'as its parts are in the wrong order',
    'the parts of the value are in the wrong order',
  ),
  [FindingCode.keySurrounded]: wrappingRule(
    'surrounded',
    'without what was added to it, as verifiers may not accept that',
    'something was added to the right key',
  ),
  [FindingCode.keyMismatch]: {
    lastResort: true,
    look: (facts) => {
      if (facts.expected.purpose !== 'dkim' || facts.wrongValues.length === 0) return [];
      return [{ found: facts.wrongValues, fix: replaceSentence(facts, 'as it holds another key now') }];
    },
    inWords: () => 'another key is published',
  },
  [FindingCode.spfMultiple]: {
    look: (facts) => {
      const found = facts.expected.purpose === 'spf' ? facts.wrongValues.filter(isSpf) : [];
      if (found.length < 2) return [];
      const fix = `receivers accept no SPF record beside a second one: delete the others with host ${facts.host} and keep or enter the value ${facts.expected.value}`;
      return [{ found, fix: asSentence(fix) }];
    },
    inWords: (finding) => `${String(finding.found.length)} SPF records, of which only one may be there`,
  },
  [FindingCode.spfVersionWrong]: {
    look: (facts) => {
      const { expected, wrongValues } = facts;
      if (expected.purpose !== 'spf' || wrongValues.some(isSpf)) return [];
      const found = wrongValues.filter(
        (value) => isSpfWithoutVersion(value) && !isRightButForWhitespace(expected, value),
      );
      if (found.length === 0) return [];
      const why = 'as receivers read a text as SPF only when it begins with v=spf1 and a space';
      return [{ found, fix: replaceSentence(facts, why) }];
    },
    inWords: () => 'the SPF record does not begin with v=spf1',
  },
  [FindingCode.spfSyntax]: spfRule('syntax', 'the SPF record cannot be read'),
  [FindingCode.spfAfterAll]: spfRule('afterAll', 'the mechanism stands behind "all", where it is not read'),
  [FindingCode.spfOverruled]: spfRule(
    'overruled',
    'a term before the mechanism may decide otherwise',
    'as a term before the mechanism may decide otherwise',
  ),
  [FindingCode.spfMissingMechanism]: spfRule('missing', 'the SPF record lacks the mechanism'),
  [FindingCode.spfTooManyLookups]: spfRule(
    'lookups',
    `the SPF record needs more than ${String(SPF_LOOKUPS_MAX)} look-ups`,
    `as receivers give up after ${String(SPF_LOOKUPS_MAX)} look-ups, before they reach the sender's mechanism`,
  ),
  [FindingCode.spfTooManyMxHosts]: spfRule(
    'mxHosts',
    `an mx term of the SPF record leads to more than ${String(SPF_MX_HOSTS_MAX)} hosts`,
    (name) => `as receivers give up at its mx term: ${name} has more than ${String(SPF_MX_HOSTS_MAX)} MX records`,
  ),
  [FindingCode.spfTooManyVoidLookups]: spfRule(
    'voidLookups',
    `more than ${String(SPF_VOID_LOOKUPS_MAX)} terms of the SPF record name what does not exist`,
    (name) =>
      `as receivers give up after ${String(SPF_VOID_LOOKUPS_MAX)} names without records, here at ${name}, before they reach the sender's mechanism`,
  ),
  [FindingCode.spfIncludeBroken]: spfRule(
    'include',
    'an include or redirect of the SPF record leads to no usable SPF record',
    (name) => `as receivers reject an include or redirect to ${name}, which has not exactly one readable SPF record`,
  ),
  [FindingCode.senderSpfBroken]: {
    entersNothing: true,
    look: ({ spf, expected }) => {
      if (spf?.kind !== 'senderFault') return [];
      const fix = `Nothing to change in the record: the SPF records of the sending service, to which ${expected.value} refers, authorise nothing (${spf.name}); ask its operator.`;
      return [{ found: [], fix }];
    },
    inWords: () => "the sending service's own SPF record authorises nothing",
  },
  [FindingCode.mxTargetAppended]: {
    look: (facts) => {
      if (facts.expected.purpose !== 'return_path') return [];
      const exchange = `${exchangeOf(facts.expected.value)}.`;
      const isAppended = (name: string): boolean =>
        name.startsWith(exchange) && isAtOrBelow(name.slice(exchange.length), facts.zone);
      const found = facts.wrongValues.filter((value) => isAppended(exchangeOf(value)));
      if (found.length === 0) return [];
      return [{ found, fix: replaceSentence(facts, 'and end its host with a dot if the form asks for one') }];
    },
    inWords: () => 'the form appended the zone to the mail exchanger',
  },
  [FindingCode.valueMismatch]: {
    lastResort: true,
    look: (facts) => {
      const { expected, wrongValues } = facts;
      if (expected.purpose === 'dkim' || wrongValues.length === 0) return [];
      if (expected.purpose === 'dmarc' && wrongValues.filter(isDmarc).length > 1) {
        const fix = `receivers ignore all DMARC records when there are several: keep one of those with host ${facts.host}`;
        return [{ found: wrongValues, fix: asSentence(fix), entersNothing: true }];
      }
      if (expected.purpose !== 'return_path') return [{ found: wrongValues, fix: replaceSentence(facts, '') }];
      const others = wrongValues.filter((value) => exchangeOf(value) !== exchangeOf(expected.value));
      const fix = `delete the MX records with host ${facts.host} that point elsewhere and ${publishSentence(facts)}`;
      return [{ found: others, fix: asSentence(fix) }];
    },
    inWords: () => 'another value is published',
  },
} satisfies Partial<Record<FindingCode, FindingRule>>;

function dkimRule(comparison: DkimComparison, why: string, words: string): FindingRule {
  return {
    look: (facts) => {
      if (facts.expected.purpose !== 'dkim' || facts.wrongValues.length !== 1) return [];
      const found = facts.wrongValues.filter((value) => compareDkimKey(facts.expected.value, value) === comparison);
      return found.length === 0 ? [] : [{ found, fix: replaceSentence(facts, why) }];
    },
    inWords: () => words,
  };
}

function wrappingRule(wrapping: KeyWrapping, why: string, words: string): FindingRule {
  return {
    look: (facts) => {
      if (!facts.wrappings.includes(wrapping)) return [];
      return [{ found: facts.wrongValues, fix: replaceSentence(facts, why) }];
    },
    inWords: () => words,
  };
}

/** @param why for the fix; a function of the domain whose records are the cause */
function spfRule(fault: SpfFault, words: string, why: string | ((name: string) => string) = ''): FindingRule {
  return {
    look: (facts) => {
      const { spf, expected, wrongValues } = facts;
      if (spf?.kind !== 'fault' || spf.fault !== fault) return [];
      const found = wrongValues.filter(isSpf);
      const isNamed = (value: string): boolean =>
        isRightButForWhitespace(expected, value) || isRightButForQuotes(expected, value);
      if (found.length === 0 || found.some(isNamed)) return [];
      return [{ found, fix: replaceSentence(facts, typeof why === 'string' ? why : why(spf.name)) }];
    },
    inWords: () => words,
  };
}

const isRightButForQuotes = (expected: ExpectedRecord, value: string): boolean =>
  unquoted(value) !== value && sameMeaning(expected, unquoted(value).trim());

function sameMeaning(expected: ExpectedRecord, value: string): boolean {
  switch (expected.purpose) {
    case 'spf':
      return isSpf(value) && compareSpf(expected.value, value) === 'same';
    case 'dmarc':
      return isDmarc(value);
    case 'dkim':
    case 'return_path':
      return false;
  }
}

function isRightButForWhitespace(expected: ExpectedRecord, value: string): boolean {
  if (judgeValues(expected, [value]) === 'found') return false;
  switch (expected.purpose) {
    case 'dkim':
      return false;
    case 'spf':
      // Spaces separate terms here, so that only the expected text shows which of them were left out or added.
      if (withoutWhitespace(value).toLowerCase() === withoutWhitespace(expected.value).toLowerCase()) return true;
      break;
    case 'dmarc':
    case 'return_path':
      break;
  }
  return judgeValues(expected, [withPlainSpaces(value)]) === 'found';
}

/** Servers give records in any order: the one with the tags comes first, the others in each order, of which there are few. */
function joinsToExpected(expected: ExpectedRecord, values: readonly string[]): boolean {
  if (values.length < 2 || values.length > 4 || values.includes('')) return false;
  return permutations(values).some(
    (parts) => looksLikeDkimKey(parts[0] ?? '') && compareDkimKey(expected.value, parts.join('')) === 'same',
  );
}

function permutations(values: readonly string[]): readonly (readonly string[])[] {
  if (values.length < 2) return [values];
  return values.flatMap((value, at) => permutations(values.toSpliced(at, 1)).map((rest) => [value, ...rest]));
}
