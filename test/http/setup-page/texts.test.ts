import { describe, expect, test } from 'vitest';
import { instructionText, problemText } from '../../../src/http/setup-page/texts/instruction-text.ts';
import { de } from '../../../src/http/setup-page/texts/de.ts';
import { en } from '../../../src/http/setup-page/texts/en.ts';
import {
  checkNotices,
  setupStates,
  type SetupRecord,
  type SetupView,
} from '../../../src/http/setup-page/setup-view.ts';
import { diagnose } from '../../../src/lib/dns/findings/diagnose.ts';
import { findingRules } from '../../../src/lib/dns/findings/finding-rules.ts';
import { failureTypes } from '../../../src/onboarding/failures.ts';
import { dnsOperators } from '../../../src/onboarding/dns-operators/operators.ts';
import { recordForm } from '../../../src/onboarding/dns-operators/record-form.ts';
import { findingCases } from '../../lib/dns/findings/finding-cases.ts';
import { aliasRecord, dkimRecord, dmarcRecord, mxRecord, spfRecord } from '../../onboarding/dns-operators/records.ts';
import { setupRecord, setupView } from './setup-views.ts';

const languages = [en, de];
const product = { name: 'Acme Mail', support: 'help@acme.test' };
const nameless = { name: undefined, support: undefined };

/** The keys of all levels, such as `states.waiting`. */
const keysOf = (texts: object, path = ''): string[] =>
  Object.entries(texts).flatMap(([key, value]: [string, unknown]) =>
    typeof value === 'object' && value !== null ? keysOf(value, `${path}${key}.`) : [`${path}${key}`],
  );

/** Whole sentences, without a word that stayed empty. */
function expectSentences(text: string): void {
  expect(text).toMatch(/^[\p{L}„“(][^]*[.:)]$/u);
  expect(text).not.toMatch(/undefined|null|\[object|\$\{| {2}|\s[.,]/);
}

test('all languages have the same texts, and none is the text of another language', () => {
  expect(keysOf(de)).toEqual(keysOf(en));
  for (const key of ['checks', 'steps', 'about', 'operator', 'handOn'] as const) {
    for (const [name, text] of Object.entries(en[key])) {
      if (typeof text === 'string') expect((de[key] as Record<string, unknown>)[name], name).not.toBe(text);
    }
  }
});

describe.each(languages)('$languageName', (texts) => {
  test('says in each state where the tenant stands and what happens next', () => {
    for (const state of setupStates) {
      const { headline, next } = texts.states[state](setupView([], { state }));
      expect(headline).toMatch(/^[\p{L}].*[^.]$/u);
      expectSentences(next);
    }
    expect(texts.about.next(setupView([], { mayCheck: false }))).toEqual([]);
    expect(texts.about.next(setupView([], { state: 'published' }))).toEqual([]);
    expect(texts.about.next(setupView([])).join()).toMatch(/\b(?:of|von) acme\.com\b/);
    texts.about.next(setupView([])).forEach(expectSentences);
    for (const notice of checkNotices) expectSentences(texts.notices[notice]);
  });

  test('says how an onboarding ended, for every failure', () => {
    for (const type of [...failureTypes, 'Cancelled', 'Terminated'] as const) {
      const end = { type, at: null, conclusive: true, recipient: 'ada@inbox.test', reason: '550 no such user.' };
      const undoing = { ...end, conclusive: false, recipient: '', reason: '' };
      for (const each of [end, undoing]) expectSentences(texts.ends[type](each, setupView([])));
    }
  });

  test('has a text for every finding code, and no other', () => {
    expect(Object.keys(texts.problems).sort()).toEqual(Object.keys(findingRules).sort());
  });

  test.each(findingCases)('$code: $when: says what is wrong and refers to the fields that follow', (one) => {
    const { record: collected, domain = 'acme.com', beside = [], code } = one;
    const [check] = diagnose(domain, [collected, ...beside]).records;
    const finding = check!.findings.find((found) => found.code === code)!;
    const { purpose, name, type } = check!;
    const value = collected.expected.value;
    const record = setupRecord({ ...spfRecord, purpose, name, type, value, host: check!.host, zone: check!.zone });
    const text = problemText(finding, record, texts);
    expectSentences(text);
    expect(text.length).toBeLessThan(500);
    // Only sentences with fields after them may say "below"; of several DMARC records, the tenant chooses one.
    if (finding.publish === undefined) expect(text).not.toMatch(/\b(below|unten)\b/);
    else if (!['ns_inconsistent', 'key_stale', 'ns_private_address'].includes(code))
      expect(text).toMatch(/\b(below|unten)\b/);
    // The long value has a field of its own.
    expect(text).not.toContain(value);
  });

  test('shows the words of another provider for its own codes', () => {
    const problem = { code: 'too_blue', name: 'acme.com', fix: 'Make it green.' };
    expect(problemText(problem, setupRecord(spfRecord), texts)).toBe('Make it green.');
    expect(problemText({ ...problem, code: 'constructor' }, setupRecord(spfRecord), texts)).toBe('Make it green.');
  });

  test('has a sentence for each advice that an operator’s form needs', () => {
    const forms = [
      dkimRecord,
      spfRecord,
      mxRecord,
      aliasRecord,
      dmarcRecord,
      { ...dmarcRecord, name: 'acme.com', host: '@' },
    ].flatMap((record) => [undefined, ...dnsOperators].map((operator) => recordForm(record, operator)));
    const used = new Set(forms.flatMap(({ advice }) => advice));
    for (const advice of used) expectSentences(texts.records.advice[advice]('acme.com'));
    // No operator's limit is below the length of a 2048-bit key.
    expect(Object.keys(texts.records.advice).filter((advice) => !(used as Set<string>).has(advice))).toEqual([
      'valueTooLong',
    ]);
  });

  test.each([
    [{ days: 2, hours: 4, minutes: 7 }, '2 days 4 hours', '2 Tage 4 Stunden'],
    [{ days: 2, hours: 0, minutes: 7 }, '2 days', '2 Tage'],
    [{ days: 1, hours: 1, minutes: 1 }, '1 day 1 hour', '1 Tag 1 Stunde'],
    [{ days: 0, hours: 3, minutes: 1 }, '3 hours 1 minute', '3 Stunden 1 Minute'],
    [{ days: 0, hours: 0, minutes: 20 }, '20 minutes', '20 Minuten'],
  ])('says %o', (left, english, german) => {
    expect(texts.checks.duration(left)).toBe(texts === en ? english : german);
  });
});

describe('the instructions for a colleague', () => {
  const godaddy = dnsOperators.find(({ name }) => name === 'GoDaddy')!;
  const doubled: SetupView = setupView(
    [
      setupRecord({
        ...dkimRecord,
        status: 'missing',
        findings: [
          {
            code: 'host_doubled',
            name: `${dkimRecord.name}.acme.com`,
            fix: 'x',
            publish: { type: 'TXT', host: dkimRecord.host, value: dkimRecord.value },
          },
        ],
      }),
      setupRecord(mxRecord, godaddy),
      setupRecord({ ...dmarcRecord, status: 'found' }),
    ],
    { operator: { name: 'GoDaddy', manual: godaddy.manual! }, deadline: '2026-11-25T12:00:00.000Z' },
  );

  test('have what is wrong, the fields of the operator’s form, and each value on a line of its own', () => {
    expect(instructionText(doubled, en, product)).toBe(
      `DNS records for mail.acme.com
=============================

Please enter these records in the DNS zone acme.com
They are for sending email with Acme Mail
They are needed by November 25, 2026 at 12:00 PM UTC
It looks like acme.com is managed at GoDaddy.
https://www.godaddy.com/help/add-a-txt-record-19232

1. DKIM key (required)
The record was saved as k1._domainkey.mail.acme.com.acme.com, where a part of the domain occurs twice, because the form adds acme.com automatically. Edit the record: replace the host k1._domainkey.mail.acme.com with the host below. Leave the value as it is.
Type: TXT
Host: k1._domainkey.mail
Full name: k1._domainkey.mail.acme.com
Value:
${dkimRecord.value}
The value in parts:
${recordForm(dkimRecord)
  .chunks!.map((chunk) => `"${chunk}"`)
  .join('\n')}
- Most forms add acme.com to the host automatically. After saving, compare the name of the record with the full name.
- If the form refuses the value because it is too long, enter its parts in the same field: each in quotation marks, with a space between them.

2. Return path (required)
Type: MX
Name: bounce.mail
Full name: bounce.mail.acme.com
Priority: 10
Value:
mx.sendoff.example
- The form adds acme.com to the host automatically. Enter the host exactly as shown.
- Enter the value without a dot at its end.

These records are already correct. Leave them as they are:
- TXT _dmarc.mail.acme.com

Questions? Contact help@acme.test
`,
    );
  });

  test('ask for nothing once all records are correct', () => {
    const done = setupView([setupRecord({ ...spfRecord, status: 'found' })]);
    expect(instructionText(done, en, nameless).split('\n\n').slice(1)).toEqual([
      'These records are already correct. Leave them as they are:\n- TXT bounce.mail.acme.com\n',
    ]);
  });

  test('name what is wrong where nothing is to be entered, and the zone of a record that is in another one', () => {
    const expired = { code: 'negative_cached', name: spfRecord.name, fix: 'x' };
    const text = instructionText(
      setupView([
        setupRecord({ ...mxRecord, name: 'bounce.mail.acme.com', host: 'bounce', zone: 'mail.acme.com' }),
        { ...setupRecord({ ...spfRecord, status: 'wrong' }), needsEntry: false, problems: [expired] },
      ]),
      en,
      nameless,
    );
    expect(text).toContain('1. Return path (required)\nIn the DNS zone mail.acme.com\nType: MX\n');
    expect(text).not.toContain('2. ');
    expect(text).toContain(
      'You do not have to enter anything for these records, but something is not correct yet:\n- TXT bounce.mail.acme.com\n',
    );
  });

  describe('of records that no check has seen', () => {
    const failed = { code: 'server_failure', name: spfRecord.name, fix: 'x' };
    const unchecked: SetupRecord = {
      ...setupRecord({ ...spfRecord, status: 'inconclusive' }),
      ...{ needsEntry: false, problems: [failed] },
    };
    const request =
      'These records belong in the DNS zone acme.com. They could not be checked: enter those that are not there yet';

    test('list their fields, and do not say that nothing is to be entered', () => {
      const text = instructionText(setupView([unchecked]), en, nameless);
      expect(text.split('\n\n')[1]?.split('\n')[0]).toBe(request);
      expect(text).toContain(
        '1. SPF (required)\nA name server of acme.com gave no usable answer. This says nothing about your record.',
      );
      expect(text).toContain(`\nValue:\n${spfRecord.value}\n`);
      expect(text).not.toContain('You do not have to enter anything');
    });

    test('list them after those that are certainly to be entered', () => {
      const text = instructionText(setupView([setupRecord(mxRecord), unchecked]), en, nameless);
      expect(text.indexOf('Please enter these records')).toBeLessThan(text.indexOf('1. Return path'));
      expect(text.indexOf('1. Return path')).toBeLessThan(text.indexOf(request));
      expect(text.indexOf(request)).toBeLessThan(text.indexOf('2. SPF (required)'));
    });
  });

  test('are in the language of the page', () => {
    const text = instructionText(doubled, de, product);
    expect(text).toContain('Bitte tragen Sie diese Einträge in die DNS-Zone acme.com ein');
    expect(text).toContain('25. November 2026');
    expect(text).toContain(`\nWert:\n${dkimRecord.value}\n`);
  });
});
