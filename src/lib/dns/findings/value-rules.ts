import { targetOf, judgeValues } from '../records/compare-record.ts';
import { compareDkimKey, looksLikeDkimKey } from '../records/dkim-key.ts';
import { asksForMore, isDmarc, isWeakerThanMeant } from '../records/dmarc-policy.ts';
import { decoded, unescaped, withoutFrame, withoutZoneLine } from '../records/damaged-text.ts';
import { unquoted, withoutWhitespace, withPlainSpaces } from '../records/folding-whitespace.ts';
import type { KeyDamage } from '../records/key-damage.ts';
import type { KeyWrapping } from '../records/wrapped-key.ts';
import { kindOf, type ExpectedRecord, type RecordKind } from '../expected-record.ts';
import { isAtOrBelow } from '../names/domain-name.ts';
import { SPF_LOOKUPS_MAX, SPF_MX_HOSTS_MAX, SPF_VOID_LOOKUPS_MAX } from '../spf/evaluate-spf.ts';
import type { SpfFault } from '../spf/judge-spf.ts';
import { compareSpf, isSpf, isSpfWithoutVersion, parseSpf } from '../spf/spf-record.ts';
import { deleteAndAdd, replaceRule, replaceValue, type FindingRule, type FindingRules } from './finding-rule.ts';
import type { RecordFacts } from './record-facts.ts';

/** A record in the right place with a value that does not do what it should. */
export const valueRules = {
  value_quoted: replaceRule('the value contains quotation marks', ({ expected, key, wrongValues }) =>
    wrongValues.filter((value) => isAround(key, 'quoted') || isRightButForQuotes(expected, value)),
  ),
  value_whitespace: replaceRule(
    'the value has wrong spaces or invisible characters',
    ({ expected, key, wrongValues }) =>
      wrongValues.filter((value) => isAround(key, 'whitespace') || isRightButForWhitespace(expected, value)),
  ),
  split_into_records: {
    check: (facts) => {
      if (kindOf(facts.expected) !== 'dkim' || !joinsToExpected(facts)) return [];
      const found = facts.wrongValues;
      return [{ found, action: deleteAndAdd(facts, `${String(found.length)} TXT records`) }];
    },
    problem: ({ found }) => `the key is split into ${String(found.length)} records`,
  },
  dkim_multiple: {
    check: (facts) => {
      const { expected, wrongValues } = facts;
      if (kindOf(expected) !== 'dkim' || wrongValues.length < 2 || joinsToExpected(facts)) return [];
      const surplus = wrongValues.filter((value) => compareDkimKey(expected.value, value) !== 'same');
      return [{ found: surplus.length > 0 ? surplus : wrongValues, action: deleteAndAdd(facts, 'TXT records') }];
    },
    problem: 'there is more than one TXT record, so verifiers may accept no key',
  },
  value_truncated: damageRule('truncated', 'the key is cut off'),
  key_part_missing: damageRule('partMissing', 'a part of the key is missing', countCharacters),
  key_damaged: damageRule('damaged', 'the key has wrong characters', countCharacters),
  key_revoked: damageRule('revoked', 'the key is revoked (the p= tag is empty)'),
  key_testing: damageRule('testing', 'the key is in testing mode (t=y), so receivers treat messages as unsigned'),
  key_version_wrong: wrappingRule(['version'], 'the v= tag of the key is not DKIM1'),
  key_hash_excluded: wrappingRule(['hash'], 'the h= tag of the key does not allow SHA-256'),
  key_type_wrong: wrappingRule(['keyType'], 'the k= tag of the key names another type of key'),
  key_service_excluded: wrappingRule(['service'], 'the s= tag of the key does not allow email'),
  tags_upper_case: wrappingRule(
    ['upperCase'],
    'letters of the value are in the wrong case (capital or small letters)',
    'caseChanged',
  ),
  value_encoded: valueRule(
    'characters of the value were replaced with codes or lost, as in web pages and URLs',
    ['encoded', 'signs'],
    decoded,
  ),
  value_labelled: valueRule('text that does not belong to the value is around it', ['label'], (value) =>
    withoutZoneLine(value) === value ? withoutFrame(value) : value,
  ),
  value_escaped: valueRule('the value has backslashes that do not belong to it', ['escaped'], unescaped),
  value_zone_line: valueRule('the value is a whole line of a zone file', ['zoneLine'], withoutZoneLine),
  tags_not_separated: wrappingRule(
    ['separators'],
    'the semicolons or equals signs of the tags are missing or replaced',
  ),
  key_pem: wrappingRule(['pem'], 'the key has the BEGIN and END lines of a PEM file'),
  key_without_tags: wrappingRule(['bareKey'], 'the value is the key alone, without its tags'),
  tag_repeated: wrappingRule(['repeatedTag'], 'a tag occurs twice in the value'),
  value_reordered: wrappingRule(['reordered'], 'the parts of the value are in the wrong order', 'reordered'),
  key_surrounded: wrappingRule(
    ['surrounded', 'brackets'],
    'the value has extra characters that verifiers may not accept',
    'surrounded',
  ),
  key_mismatch: { ...damageRule('otherKey', 'the record holds another key'), lastResort: true },
  key_invalid: {
    ...replaceRule(
      'the value is not a DKIM key',
      ({ expected, key, wrongValues }) => (kindOf(expected) === 'dkim' && key?.kind !== 'otherKey' ? wrongValues : []),
      () => 'The right key is not in it. ',
    ),
    lastResort: true,
  },
  spf_multiple: {
    check: ({ expected, wrongValues, host }) => {
      const found = kindOf(expected) === 'spf' ? wrongValues.filter(isSpf) : [];
      if (found.length < 2) return [];
      const action = `Delete all but one of the SPF records at host ${host} and give that one the value ${expected.value}`;
      return [{ found, action }];
    },
    problem: ({ found }) => `there are ${String(found.length)} SPF records, and receivers accept only one`,
  },
  spf_version_wrong: replaceRule(
    'the value does not begin with v=spf1 and a space, so receivers ignore it',
    ({ expected, wrongValues }) =>
      kindOf(expected) !== 'spf' || wrongValues.some(isSpf)
        ? []
        : wrongValues.filter((value) => isSpfWithoutVersion(value) && !isRightButForWhitespace(expected, value)),
  ),
  spf_syntax: spfRule('syntax', 'receivers cannot read the value', (_name, value) => {
    const term = value.split(/ +/).find((one, at) => at > 0 && parseSpf(`v=spf1 ${one}`) === undefined);
    return term === undefined ? '' : `They stop at ${term.slice(0, TERM_MAX)}, which is not a term of SPF. `;
  }),
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
  mx_target_appended: appendedRule('return_path', 'the name of the mail server'),
  cname_target_appended: appendedRule('alias', 'the target'),
  cname_multiple: {
    check: (facts) => {
      const found = kindOf(facts.expected) === 'alias' ? facts.wrongValues : [];
      return found.length < 2 ? [] : [{ found, action: deleteAndAdd(facts, 'CNAME records') }];
    },
    problem: ({ found }) => `there are ${String(found.length)} CNAME records, and a name can have only one`,
  },
  cname_target_missing: {
    entersNothing: true,
    check: ({ emptyTarget: name }) => {
      if (name === undefined) return [];
      const action = `Nothing to change in your record. If this lasts, contact the operator of the sending service, who publishes what belongs at ${name}`;
      return [{ severity: 'warning' as const, name, found: [], action }];
    },
    problem: 'the record is right, but receivers find nothing yet where it leads to',
  },
  dmarc_organization_invalid: {
    entersNothing: true,
    check: ({ domain, organization, status, wrongValues }) => {
      if (organization?.policy !== 'invalid' || status === 'found' || wrongValues.some(isDmarc)) return [];
      const { name, values } = organization;
      const action = `Correct that record, and it applies to ${domain} too: exactly one TXT record there may begin with v=DMARC1, and its p= must be none, quarantine or reject. A DMARC record of ${domain} itself would override it.`;
      return [{ name, found: values.filter(isDmarc), action }];
    },
    problem: ({ name }) => `the DMARC record at ${name} is not valid, so receivers apply no policy`,
  },
  value_mismatch: {
    lastResort: true,
    check: (facts) => {
      const { expected, wrongValues, host, organization } = facts;
      const kind = kindOf(expected);
      const weaker = kind === 'dmarc' ? facts.foundValues.filter(isWeakerThanMeant) : [];
      if (weaker.length > 0)
        return [{ severity: 'warning' as const, found: weaker, action: `${aboutDmarc}${replaceValue(facts)}` }];
      if (kind === 'dkim' || wrongValues.length === 0) return [];
      if (kind === 'dmarc' && wrongValues.filter(isDmarc).length > 1) {
        const action = `Receivers ignore all DMARC records when there is more than one. Delete all but one of those at host ${host}`;
        return [{ found: wrongValues, action, entersNothing: true }];
      }
      const isSpare = organization?.policy === 'valid' && !asksForMore(expected.value, organization.values);
      if (kind === 'dmarc' && isSpare) {
        const action = `Delete it: the policy at ${organization.name} then applies to ${facts.domain}. The record to delete is at host ${host}`;
        return [{ found: wrongValues, action, entersNothing: true }];
      }
      const about = { dmarc: aboutDmarc, alias: 'It leads to another target. ' };
      if (kind !== 'return_path')
        return [{ found: wrongValues, action: `${kind === 'spf' ? '' : about[kind]}${replaceValue(facts)}` }];
      const found = wrongValues.filter((value) => targetOf(value) !== targetOf(expected.value));
      const others = `The mail server is another one: ${found.map(targetOf).join(', ')}. `;
      return [{ found, action: `${others}${deleteAndAdd(facts, 'other MX records')}` }];
    },
    problem: 'the published value does not have the effect of the value shown',
  },
} satisfies FindingRules;

const aboutDmarc = 'A DMARC record begins with v=DMARC1 and a semicolon, and its p= is none, quarantine or reject. ';

/** Characters of a term that a text quotes. */
const TERM_MAX = 60;

function damageRule(
  kind: KeyDamage['kind'],
  problem: string,
  about: (facts: RecordFacts) => string = () => '',
): FindingRule {
  return replaceRule(problem, ({ key, wrongValues }) => (key?.kind === kind ? wrongValues : []), about);
}

function wrappingRule(wrappings: readonly KeyWrapping[], problem: string, kind?: KeyDamage['kind']): FindingRule {
  return replaceRule(
    problem,
    ({ key, wrongValues }) =>
      wrappings.some((wrapping) => isAround(key, wrapping)) || (kind !== undefined && key?.kind === kind)
        ? wrongValues
        : [],
    aboutKey,
  );
}

/** A name in a value without its final dot, to which the form appended the zone, or the end of the name once more. */
function appendedRule(kind: RecordKind, what: string): FindingRule {
  return replaceRule(
    `the form appended a domain to ${what}`,
    ({ expected, zone, wrongValues }) => {
      if (kindOf(expected) !== kind) return [];
      const target = targetOf(expected.value);
      const appendedTo = (value: string): string | undefined =>
        targetOf(value).startsWith(`${target}.`) ? targetOf(value).slice(target.length + 1) : undefined;
      return wrongValues.filter((value) => {
        const appended = appendedTo(value);
        return appended !== undefined && (isAtOrBelow(appended, zone) || isAtOrBelow(target, appended));
      });
    },
    () => `If the form requires it, end ${what} with a dot. `,
  );
}

/** @param repair what undoes the damage of a value of any purpose */
function valueRule(problem: string, wrappings: readonly KeyWrapping[], repair: (value: string) => string): FindingRule {
  return replaceRule(
    problem,
    ({ key, expected, wrongValues }) =>
      wrongValues.filter(
        (value) => wrappings.some((wrapping) => isAround(key, wrapping)) || isRightAfter(repair, expected, value),
      ),
    aboutKey,
  );
}

function aboutKey({ key }: RecordFacts): string {
  return key?.kind === 'same' || key?.kind === 'surrounded' ? 'The right key is in it. ' : '';
}

const isAround = (key: RecordFacts['key'], wrapping: KeyWrapping): boolean =>
  key?.wrappings.includes(wrapping) === true;

function countCharacters({ key }: RecordFacts): string {
  return key === undefined
    ? ''
    : `About ${String(key.foundCharacters)} of its ${String(key.characters)} characters are there. `;
}

/** @param about a sentence about the domain whose records are the cause, followed by a space */
function spfRule(
  fault: SpfFault,
  problem: string,
  about: (name: string, value: string) => string = () => '',
): FindingRule {
  return replaceRule(
    problem,
    ({ spf, expected, wrongValues }) => {
      if (spf?.kind !== 'fault' || spf.fault !== fault) return [];
      const found = wrongValues.filter(isSpf);
      // Another rule says more about these.
      const isNamed = found.some(
        (value) =>
          isRightButForWhitespace(expected, value) ||
          isRightButForQuotes(expected, value) ||
          repairs.some((repair) => isRightAfter(repair, expected, value)),
      );
      return isNamed ? [] : found;
    },
    ({ spf, wrongValues }) => (spf?.kind === 'fault' ? about(spf.name, wrongValues.find(isSpf) ?? '') : ''),
  );
}

const isRightButForQuotes = (expected: ExpectedRecord, value: string): boolean =>
  [unquoted(value).trim(), value.replaceAll('"', ' ').replace(/ +/g, ' ').trim()].some(
    (text) => text !== value.trim() && sameMeaning(expected, text),
  );

const repairs = [decoded, withoutFrame, unescaped, withoutZoneLine];

/** Quotation marks and spaces are often beside other damage. */
function isRightAfter(repair: (value: string) => string, expected: ExpectedRecord, value: string): boolean {
  if (kindOf(expected) === 'dkim' || repair(value) === value) return false;
  const isRight = (text: string): boolean => sameMeaning(expected, withPlainSpaces(unquoted(text)));
  return !isRight(value) && isRight(repair(value));
}

function sameMeaning(expected: ExpectedRecord, value: string): boolean {
  if (kindOf(expected) === 'spf') return isSpf(value) && compareSpf(expected.value, value) === 'same';
  if (kindOf(expected) === 'alias') return judgeValues(expected, [value]) === 'found';
  return kindOf(expected) === 'dmarc' && isDmarc(value);
}

function isRightButForWhitespace(expected: ExpectedRecord, value: string): boolean {
  if (kindOf(expected) === 'dkim' || judgeValues(expected, [value]) === 'found') return false;
  // Spaces separate SPF terms, so only the expected text shows which of them are missing or surplus.
  const isSameText = withoutWhitespace(value).toLowerCase() === withoutWhitespace(expected.value).toLowerCase();
  return (kindOf(expected) === 'spf' && isSameText) || judgeValues(expected, [withPlainSpaces(value)]) === 'found';
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
