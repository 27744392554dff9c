import { describe, expect, test } from 'vitest';
import { dnsOperators } from '../../../src/onboarding/dns-operators/operators.ts';
import { recordForm } from '../../../src/onboarding/dns-operators/record-form.ts';
import { aliasRecord, dkimRecord, dmarcRecord, mxRecord, PARTS, spfRecord } from './records.ts';

const operator = (id: string) => dnsOperators.find((one) => one.id === id)!;

describe('the general form', () => {
  test('has the relative host, the full name to compare, and the value whole and in parts', () => {
    expect(recordForm(dkimRecord)).toEqual({
      type: 'TXT',
      host: 'k1._domainkey.mail',
      name: 'k1._domainkey.mail.acme.com',
      zone: 'acme.com',
      value: dkimRecord.value,
      chunks: PARTS,
      labels: {},
      advice: ['zoneMayBeAppended', 'partsIfRefused'],
    });
    expect(PARTS.map(({ length }) => length)).toEqual([255, dkimRecord.value.length - 255]);
  });

  test('divides no short text', () => {
    expect(recordForm(spfRecord)).not.toHaveProperty('chunks');
    expect(recordForm(dmarcRecord).advice).toEqual(['zoneMayBeAppended']);
  });

  test('has the priority of an MX record in a field of its own', () => {
    const { priority, value } = recordForm(mxRecord);
    expect({ priority, value }).toEqual({ priority: '10', value: 'mx.sendoff.example' });
  });

  test.each([
    ['an MX value without a priority', { ...mxRecord, value: 'mx.sendoff.example' }],
    ['a record of another type', { ...spfRecord, type: 'CAA', value: '0 issue letsencrypt.org' }],
  ])('leaves %s as it is', (_, record) => {
    expect(recordForm(record)).toMatchObject({ type: record.type, value: record.value });
    expect(recordForm(record)).not.toHaveProperty('priority');
  });

  test.each([
    [{ name: 'bounce.mail.acme.com', host: 'bounce.mail', zone: null }, 'acme.com'],
    [{ name: 'acme.com', host: '@', zone: null }, 'acme.com'],
    [{ name: 'bounce.acme.com', host: 'somewhere', zone: null }, 'bounce.acme.com'],
  ])('takes the zone from the host while no name server has named it: %o', (record, zone) => {
    expect(recordForm({ ...spfRecord, ...record }).zone).toBe(zone);
  });
});

test.each([
  ['godaddy', '@', 'zoneAppended'],
  ['porkbun', '', 'hostStaysEmpty'],
])('%s names the zone itself by "%s"', (id, host, advice) => {
  const form = recordForm({ ...dmarcRecord, name: 'acme.com', host: '@' }, operator(id));
  expect(form).toMatchObject({ host });
  expect(form.advice[0]).toBe(advice);
});

test.each(['route53', 'google-cloud'])('%s takes a short text in quotation marks, too', (id) => {
  expect(recordForm(spfRecord, operator(id)).value).toBe(`"${spfRecord.value}"`);
});

test.each([
  ['name-com', 2],
  ['digitalocean', 2],
])('%s: a 2048-bit key fits, a 4096-bit key does not', (id, times) => {
  expect(recordForm(dkimRecord, operator(id)).advice).not.toContain('valueTooLong');
  const longer = { ...dkimRecord, value: dkimRecord.value.repeat(times) };
  expect(recordForm(longer, operator(id)).advice).toContain('valueTooLong');
});

test.each([
  [undefined, 'Value > t1.dkim.sendoff.example', ['zoneMayBeAppended', 'mayNeedDot']],
  ['godaddy', 'Value > t1.dkim.sendoff.example', ['zoneAppended', 'noDot']],
  ['cloudflare', 'Target > t1.dkim.sendoff.example', ['zoneAppended', 'mayNeedDot', 'proxyOff']],
  ['route53', 'Value > t1.dkim.sendoff.example', ['zoneAppended', 'mayNeedDot']],
  ['ovhcloud', 'Value > t1.dkim.sendoff.example.', ['zoneAppended', 'dotBelongs']],
  ['dnsimple', 'Value > t1.dkim.sendoff.example.', ['zoneAppended', 'dotBelongs']],
  ['hetzner', 'Value > t1.dkim.sendoff.example', ['zoneAppended', 'mayNeedDot', 'twoConsoles']],
])('a CNAME record in the form of %s: %s', (id, field, advice) => {
  const form = recordForm(aliasRecord, id === undefined ? undefined : operator(id));
  expect(`${form.labels.value ?? 'Value'} > ${form.value}`).toBe(field);
  expect(form).toMatchObject({ host: 't1._domainkey.mail', advice });
  expect(form).not.toHaveProperty('chunks');
});

describe('the dot at the end of a mail server', () => {
  const dotted = { ...mxRecord, value: '10 mx.sendoff.example.' };

  test.each(['godaddy', 'cloudflare'])('of the provider is left out of a form that wants none: %s', (id) => {
    expect(recordForm(dotted, operator(id)).value).toBe('mx.sendoff.example');
  });

  test.each([undefined, operator('godaddy')])('is there once a form has appended the zone', (one) => {
    const { value, advice } = recordForm(mxRecord, one, { mxDot: true });
    expect(value).toBe('mx.sendoff.example.');
    expect(advice.filter((each) => /dot/i.test(each))).toEqual(['dotBelongs']);
  });
});
