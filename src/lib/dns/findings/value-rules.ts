import { exchangeOf, judgeValues } from '../records/compare-record.ts';
import { compareDkimKey, looksLikeDkimKey, type DkimComparison } from '../records/dkim-key.ts';
import { isDmarc } from '../records/dmarc-policy.ts';
import { unquoted, withoutWhitespace, withPlainSpaces } from '../records/folding-whitespace.ts';
import type { KeyWrapping } from '../records/wrapped-key.ts';
import type { ExpectedRecord } from '../expected-record.ts';
import { isAtOrBelow } from '../names/domain-name.ts';
import { SPF_LOOKUPS_MAX, SPF_MX_HOSTS_MAX, SPF_VOID_LOOKUPS_MAX } from '../spf/evaluate-spf.ts';
import type { SpfFault } from '../spf/judge-spf.ts';
import { compareSpf, isSpf, isSpfWithoutVersion } from '../spf/spf-record.ts';
import type { FindingCode } from './finding.ts';
import { deleteAndAdd, replaceRule, replaceValue, type FindingRule } from './finding-rule.ts';
import type { RecordFacts } from './record-facts.ts';

/** A record in the right place with a value that does not do what it should. */
export const valueRules = {
  value_quoted: replaceRule('the value contains quotation marks', ({ expected, wrappings, wrongValues }) =>
    wrongValues.filter((value) => wrappings.includes('quoted') || isRightButForQuotes(expected, value)),
  ),
  value_whitespace: replaceRule(
    'the value has wrong spaces or invisible characters',
    ({ expected, wrappings, wrongValues }) =>
      wrongValues.filter((value) => wrappings.includes('whitespace') || isRightButForWhitespace(expected, value)),
  ),
  split_into_records: {
    check: (facts) => {
      if (facts.expected.purpose !== 'dkim' || !joinsToExpected(facts)) return [];
      const found = facts.wrongValues;
      return [{ found, action: deleteAndAdd(facts, `${String(found.length)} TXT records`) }];
    },
    problem: ({ found }) => `the key is split into ${String(found.length)} records`,
  },
  dkim_multiple: {
    check: (facts) => {
      const { expected, wrongValues } = facts;
      if (expected.purpose !== 'dkim' || wrongValues.length < 2 || joinsToExpected(facts)) return [];
      const surplus = wrongValues.filter((value) => compareDkimKey(expected.value, value) !== 'same');
      return [{ found: surplus.length > 0 ? surplus : wrongValues, action: deleteAndAdd(facts, 'TXT records') }];
    },
    problem: 'there is more than one TXT record, so verifiers may accept no key',
  },
  value_truncated: dkimRule('truncated', 'the key is cut off'),
  key_revoked: dkimRule('revoked', 'the key is revoked (the p= tag is empty)'),
  key_testing: dkimRule('testing', 'the key is in testing mode (t=y), so receivers treat messages as unsigned'),
  key_hash_excluded: wrappingRule('hash', 'the h= tag of the key does not allow SHA-256'),
  key_type_wrong: wrappingRule('keyType', 'the k= tag of the key names another type of key'),
  key_service_excluded: wrappingRule('service', 'the s= tag of the key does not allow email'),
  tags_upper_case: wrappingRule('upperCase', 'the tags of the key are in the wrong case (capital or small letters)'),
  value_escaped: wrappingRule('escaped', 'the value has backslashes before its semicolons'),
  key_pem: wrappingRule('pem', 'the key has the BEGIN and END lines of a PEM file'),
  key_without_tags: wrappingRule('bareKey', 'the value is the key alone, without its tags'),
  value_zone_line: wrappingRule('zoneLine', 'the value is a whole line of a zone file'),
  tag_repeated: wrappingRule('repeatedTag', 'a tag occurs twice in the value'),
  value_reordered: wrappingRule('reordered', 'the parts of the value are in the wrong order'),
  key_surrounded: wrappingRule('surrounded', 'the value has extra characters that verifiers may not accept'),
  key_mismatch: {
    ...replaceRule('the record holds another key', ({ expected, wrongValues }) =>
      expected.purpose === 'dkim' ? wrongValues : [],
    ),
    lastResort: true,
  },
  spf_multiple: {
    check: ({ expected, wrongValues, host }) => {
      const found = expected.purpose === 'spf' ? wrongValues.filter(isSpf) : [];
      if (found.length < 2) return [];
      const action = `Delete all but one of the SPF records at host ${host} and give that one the value ${expected.value}`;
      return [{ found, action }];
    },
    problem: ({ found }) => `there are ${String(found.length)} SPF records, and receivers accept only one`,
  },
  spf_version_wrong: replaceRule(
    'the value does not begin with v=spf1 and a space, so receivers ignore it',
    ({ expected, wrongValues }) =>
      expected.purpose !== 'spf' || wrongValues.some(isSpf)
        ? []
        : wrongValues.filter((value) => isSpfWithoutVersion(value) && !isRightButForWhitespace(expected, value)),
  ),
  spf_syntax: spfRule('syntax', 'receivers cannot read the value'),
  spf_after_all: spfRule('afterAll', 'the term of the sending service comes after "all", where receivers stop reading'),
  spf_overruled: spfRule('overruled', 'a term before the sending service can reject its mail'),
  spf_missing_mechanism: spfRule('missing', 'the value does not allow the sending service'),
  spf_too_many_lookups: spfRule(
    'lookups',
    `receivers give up after ${String(SPF_LOOKUPS_MAX)} DNS lookups, before they reach the sending service`,
  ),
  spf_too_many_mx_hosts: spfRule(
    'mxHosts',
    `receivers give up at an mx term with more than ${String(SPF_MX_HOSTS_MAX)} mail servers`,
    (name) => `${name} has more than ${String(SPF_MX_HOSTS_MAX)} MX records. `,
  ),
  spf_too_many_void_lookups: spfRule(
    'voidLookups',
    `receivers give up because more than ${String(SPF_VOID_LOOKUPS_MAX)} terms lead to names without records`,
    (name) => `One of these names is ${name}. `,
  ),
  spf_include_broken: spfRule(
    'include',
    'receivers give up at an include or redirect that does not lead to exactly one valid SPF record',
    (name) => `It leads to ${name}. `,
  ),
  sender_spf_broken: {
    entersNothing: true,
    check: ({ spf, expected }) => {
      if (spf?.kind !== 'senderFault') return [];
      const action = `Nothing to change in your record. Contact the operator of the sending service: the evaluation of ${expected.value} fails at ${spf.name}.`;
      return [{ found: [], action }];
    },
    problem: "the sending service's own SPF record is missing or broken",
  },
  mx_target_appended: replaceRule(
    'the form appended your zone to the name of the mail server',
    ({ expected, zone, wrongValues }) => {
      if (expected.purpose !== 'return_path') return [];
      const exchange = `${exchangeOf(expected.value)}.`;
      const isAppended = (name: string): boolean =>
        name.startsWith(exchange) && isAtOrBelow(name.slice(exchange.length), zone);
      return wrongValues.filter((value) => isAppended(exchangeOf(value)));
    },
    () => 'If the form requires it, end the name of the mail server with a dot. ',
  ),
  value_mismatch: {
    lastResort: true,
    check: (facts) => {
      const { expected, wrongValues, host } = facts;
      if (expected.purpose === 'dkim' || wrongValues.length === 0) return [];
      if (expected.purpose === 'dmarc' && wrongValues.filter(isDmarc).length > 1) {
        const action = `Receivers ignore all DMARC records when there is more than one. Delete all but one of those at host ${host}`;
        return [{ found: wrongValues, action, entersNothing: true }];
      }
      if (expected.purpose !== 'return_path') return [{ found: wrongValues, action: replaceValue(facts) }];
      const found = wrongValues.filter((value) => exchangeOf(value) !== exchangeOf(expected.value));
      return [{ found, action: deleteAndAdd(facts, 'other MX records') }];
    },
    problem: 'the published value does not have the effect of the value shown',
  },
} satisfies Partial<Record<FindingCode, FindingRule>>;

function dkimRule(comparison: DkimComparison, problem: string): FindingRule {
  return replaceRule(problem, ({ expected, wrongValues }) =>
    expected.purpose === 'dkim' && wrongValues.length === 1
      ? wrongValues.filter((value) => compareDkimKey(expected.value, value) === comparison)
      : [],
  );
}

function wrappingRule(wrapping: KeyWrapping, problem: string): FindingRule {
  return replaceRule(problem, ({ wrappings, wrongValues }) => (wrappings.includes(wrapping) ? wrongValues : []));
}

/** @param about a sentence about the domain whose records are the cause, followed by a space */
function spfRule(fault: SpfFault, problem: string, about: (name: string) => string = () => ''): FindingRule {
  return replaceRule(
    problem,
    ({ spf, expected, wrongValues }) => {
      if (spf?.kind !== 'fault' || spf.fault !== fault) return [];
      const found = wrongValues.filter(isSpf);
      // Another rule says more about these.
      const isNamed = found.some(
        (value) => isRightButForWhitespace(expected, value) || isRightButForQuotes(expected, value),
      );
      return isNamed ? [] : found;
    },
    ({ spf }) => (spf?.kind === 'fault' ? about(spf.name) : ''),
  );
}

const isRightButForQuotes = (expected: ExpectedRecord, value: string): boolean =>
  unquoted(value) !== value && sameMeaning(expected, unquoted(value).trim());

function sameMeaning(expected: ExpectedRecord, value: string): boolean {
  if (expected.purpose === 'spf') return isSpf(value) && compareSpf(expected.value, value) === 'same';
  return expected.purpose === 'dmarc' && isDmarc(value);
}

function isRightButForWhitespace(expected: ExpectedRecord, value: string): boolean {
  if (expected.purpose === 'dkim' || judgeValues(expected, [value]) === 'found') return false;
  // Spaces separate SPF terms, so only the expected text shows which of them are missing or surplus.
  const isSameText = withoutWhitespace(value).toLowerCase() === withoutWhitespace(expected.value).toLowerCase();
  return (expected.purpose === 'spf' && isSameText) || judgeValues(expected, [withPlainSpaces(value)]) === 'found';
}

/** Servers return records in any order: the part with the tags comes first, the few others are tried in each order. */
function joinsToExpected({ expected, wrongValues }: RecordFacts): boolean {
  if (wrongValues.length < 2 || wrongValues.length > 4 || wrongValues.includes('')) return false;
  return permutations(wrongValues).some(
    (parts) => looksLikeDkimKey(parts[0] ?? '') && compareDkimKey(expected.value, parts.join('')) === 'same',
  );
}

function permutations(values: readonly string[]): readonly (readonly string[])[] {
  if (values.length < 2) return [values];
  return values.flatMap((value, at) => permutations(values.toSpliced(at, 1)).map((rest) => [value, ...rest]));
}
