import { describe, expect, test } from 'vitest';
import type { ProviderDomain, ProviderEmail } from '../../../../src/email-provider/email-provider.ts';
import {
  NotOfContract,
  readDomain,
  readDomainId,
  readEmail,
  readKey,
} from '../../../../src/email-provider/adapters/sendoff/read-resources.ts';
import { seededChances } from '../../../support/seeded-chances.ts';
import { mutated } from './mutated-json.ts';

const record = { type: 'TXT', name: 'k1._domainkey.acme.test', value: 'v=DKIM1; p=x' };
const domainWith = (...records: unknown[]) => ({ id: 'dom_1', name: 'acme.test', status: 'pending', records });
/** Of the domain that was asked for. */
const read = (content: unknown) => readDomain(content, { id: 'dom_1' });
const email = { id: 'eml_1', status: 'bounced' };

const full = {
  domain: domainWith(
    {
      ...record,
      purpose: 'dkim',
      host: 'k1._domainkey',
      zone: 'acme.test',
      required: true,
      status: 'wrong',
      findings: [{ code: 'key_mismatch', name: record.name, found: ['v=DKIM1; p=y'], fix: 'Publish it.' }],
    },
    { ...record, purpose: 'dmarc', host: '_dmarc', required: false, status: 'missing', findings: [] },
  ),
  email: {
    ...email,
    delivered_at: '2026-01-02T03:04:05Z',
    bounce: {
      category: 'recipient',
      reason: 'no such user',
      smtp_code: 550,
      enhanced_code: '5.1.1',
      diagnostic: '550 5.1.1 no such user',
      remote_mta: 'mx.inbox.test',
    },
    attempts: [{ outcome: 'deferred', diagnostic: '450 later' }, { outcome: 'bounced' }],
  },
};

describe('a record', () => {
  test('of type, name and value alone gets defaults for everything else', () => {
    expect(read(domainWith({ ...record, type: 'txt', name: 'K1._domainkey.acme.test.' })).records).toEqual([
      {
        ...record,
        purpose: 'dkim',
        zone: null,
        required: true,
        findings: [],
      },
    ]);
  });

  test.each([
    [{ ...record }, 'dkim', true],
    [{ ...record, name: 'bounce.acme.test', value: 'v=spf1 -all' }, 'spf', true],
    [{ ...record, name: 'bounce.acme.test', type: 'MX', value: '10 mx.test' }, 'return_path', true],
    [{ ...record, name: '_dmarc.acme.test', value: 'v=DMARC1; p=none' }, 'dmarc', false],
    [{ ...record, name: 'acme.test', value: 'provider-verification=1' }, 'unknown', true],
  ])('without a purpose, %j serves %s', (given, purpose, required) => {
    expect(read(domainWith(given)).records[0]).toMatchObject({ purpose, required });
  });

  test.each([
    ['missing', undefined, []],
    ['null', null, []],
    ['a text', 'not found', []],
    ['numbers', [1, null], [{ code: 'unknown', name: record.name, found: [], fix: '1' }]],
    ['texts', ['not found'], [{ code: 'unknown', name: record.name, found: [], fix: 'not found' }]],
    ['a code alone', [{ code: 'odd' }], [{ code: 'odd', name: record.name, found: [], fix: 'odd' }]],
    ['a message', [{ message: 'Do it.' }], [{ code: 'unknown', name: record.name, found: [], fix: 'Do it.' }]],
    ['one value found', [{ fix: 'F', found: 'x' }], [{ code: 'unknown', name: record.name, found: ['x'], fix: 'F' }]],
  ])('whose findings are %s is read', (_name, findings, expected) => {
    expect(read(domainWith({ ...record, findings })).records[0]?.findings).toEqual(expected);
  });

  test.each([
    null,
    'TXT',
    7,
    [],
    {},
    { ...record, value: null },
    { ...record, name: '' },
    { ...record, type: undefined, value: 'x' },
  ])('%j, which nobody can publish, is not of the contract', (given) => {
    expect(() => read(domainWith(record, given))).toThrow('record 2 lacks a type, name or value');
  });
});

test('a domain without records is not of the contract, unless it is verified', () => {
  expect(() => read({ ...domainWith(), records: null })).toThrow(NotOfContract);
  expect(read({ ...domainWith(), records: undefined, status: 'verified' }).records).toEqual([]);
});

test('whole numbers serve as ids', () => {
  expect(readKey({ id: 17, token: 't' })).toEqual({ id: '17', token: 't' });
  expect(readEmail({ id: 17, status: 'queued' }, '17').id).toBe('17');
});

describe('a bounce', () => {
  test.each([
    [null, null],
    ['no such user', { category: 'unknown', reason: 'no such user' }],
    [{}, { category: 'unknown', reason: 'The provider gives no reason', smtpCode: null }],
    [
      { reason: null, smtp_code: '550', diagnostic: '550 no' },
      { reason: '550 no', smtpCode: 550 },
    ],
    [{ smtp_code: 'five' }, { smtpCode: null }],
    [{ smtp_code: 5.5 }, { smtpCode: null }],
    [{ permanent_for: 'message' }, { permanentFor: 'message' }],
    [{ permanent_for: 'ever' }, { permanentFor: null }],
    [{ permanent: true }, { permanentFor: null }],
  ])('%j is read', (bounce, expected) => {
    const shown = readEmail({ ...email, bounce }).bounce;
    if (expected === null) expect(shown).toBeNull();
    else expect(shown).toMatchObject(expected);
  });
});

test('finds a domain by its name in a list of anything', () => {
  expect(readDomainId({ data: [null, 'x', { name: 7 }, { id: 'dom_2', name: 'ACME.test' }] }, 'acme.test')).toBe(
    'dom_2',
  );
  expect(readDomainId({ data: [] }, 'acme.test')).toBeUndefined();
  expect(() => readDomainId({ data: [{ name: 'acme.test' }] }, 'acme.test')).toThrow(NotOfContract);
});

describe('any JSON', () => {
  const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
  const isTextOrNull = (value: unknown): boolean => value === null || isText(value);
  const isDomain = ({ id, name = 'none', status, records }: ProviderDomain): boolean =>
    [id, name, status].every(isText) &&
    records.every(
      (each) =>
        [each.purpose, each.type, each.name, each.value, each.host ?? 'none', each.zone ?? 'none'].every(isText) &&
        typeof each.required === 'boolean' &&
        ['missing', 'wrong', 'found', 'inconclusive', undefined].includes(each.status) &&
        each.findings.every(({ code, name: at, found, fix }) =>
          [code, at, fix, ...found].every((word) => typeof word === 'string'),
        ),
    );
  const isEmail = ({ id, status, deliveredAt, bounce, lastAttempt }: ProviderEmail): boolean =>
    [id, status].every(isText) &&
    [deliveredAt, lastAttempt].every(isTextOrNull) &&
    (bounce === null ||
      ([bounce.category, bounce.reason].every(isText) &&
        [bounce.enhancedCode, bounce.diagnostic, bounce.remoteMta].every(isTextOrNull) &&
        ['address', 'message', null].includes(bounce.permanentFor ?? null) &&
        (bounce.smtpCode === null || Number.isInteger(bounce.smtpCode))));

  test.each([
    ['a domain', full.domain, (content: unknown) => isDomain(readDomain(content, { name: 'acme.test' }))],
    ['an email', full.email, (content: unknown) => isEmail(readEmail(content))],
    ['a key', { id: 'key_1', token: 'secret' }, (content: unknown) => isText(readKey(content).id)],
    ['a list', { data: [full.domain] }, (content: unknown) => readDomainId(content, 'acme.test') !== ''],
  ])('in place of %s is read into its shape or is not of the contract', (_name, valid, holds) => {
    let understood = 0;
    for (let seed = 1; seed <= 20_000; seed++) {
      // As JSON carries it: what cannot be in JSON is null there.
      const [content] = JSON.parse(JSON.stringify([mutated(valid, seededChances(seed))])) as [unknown];
      try {
        // An assertion for each costs more than the reading.
        if (!holds(content)) expect.fail(`seed ${seed}: ${JSON.stringify(content)}`);
        understood++;
      } catch (error) {
        if (!(error instanceof NotOfContract)) throw error;
      }
    }
    // Neither way out is a rare one.
    expect(understood).toBeGreaterThan(1_000);
    expect(understood).toBeLessThan(19_000);
  });
});
