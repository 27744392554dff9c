import { describe, expect, test } from 'vitest';
import { dnsOperators } from '../../../src/onboarding/dns-operators/operators.ts';
import { recordForm } from '../../../src/onboarding/dns-operators/record-form.ts';
import { aliasRecord, dkimRecord, dmarcRecord, mxRecord, PARTS, spfRecord } from './records.ts';

const operator = (name: string) => dnsOperators.find((one) => one.name === name)!;

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
  ['GoDaddy', '@', 'zoneAppended'],
  ['Porkbun', '', 'hostStaysEmpty'],
])('%s names the zone itself by "%s"', (name, host, advice) => {
  const form = recordForm({ ...dmarcRecord, name: 'acme.com', host: '@' }, operator(name));
  expect(form).toMatchObject({ host });
  expect(form.advice[0]).toBe(advice);
});

test.each(['Amazon Route 53', 'Google Cloud DNS'])('%s takes a short text in quotation marks, too', (name) => {
  expect(recordForm(spfRecord, operator(name)).value).toBe(`"${spfRecord.value}"`);
});

test.each([
  ['Name.com', 2],
  ['DigitalOcean', 2],
])('%s: a 2048-bit key fits, a 4096-bit key does not', (name, times) => {
  expect(recordForm(dkimRecord, operator(name)).advice).not.toContain('valueTooLong');
  const longer = { ...dkimRecord, value: dkimRecord.value.repeat(times) };
  expect(recordForm(longer, operator(name)).advice).toContain('valueTooLong');
});

test.each([
  [undefined, 'Value > t1.dkim.sendoff.example', ['zoneMayBeAppended', 'mayNeedDot']],
  ['GoDaddy', 'Value > t1.dkim.sendoff.example', ['zoneAppended', 'noDot']],
  ['Cloudflare', 'Target > t1.dkim.sendoff.example', ['zoneAppended', 'mayNeedDot', 'proxyOff']],
  ['Amazon Route 53', 'Value > t1.dkim.sendoff.example', ['zoneAppended', 'mayNeedDot']],
  ['OVHcloud', 'Value > t1.dkim.sendoff.example.', ['zoneAppended', 'dotBelongs']],
  ['DNSimple', 'Value > t1.dkim.sendoff.example.', ['zoneAppended', 'dotBelongs']],
  ['Hetzner', 'Value > t1.dkim.sendoff.example', ['zoneAppended', 'mayNeedDot', 'twoConsoles']],
])('a CNAME record in the form of %s: %s', (name, field, advice) => {
  const form = recordForm(aliasRecord, name === undefined ? undefined : operator(name));
  expect(`${form.labels.value ?? 'Value'} > ${form.value}`).toBe(field);
  expect(form).toMatchObject({ host: 't1._domainkey.mail', advice });
  expect(form).not.toHaveProperty('chunks');
});

describe('the dot at the end of a mail server', () => {
  const dotted = { ...mxRecord, value: '10 mx.sendoff.example.' };

  test.each(['GoDaddy', 'Cloudflare'])('of the provider is left out of a form that wants none: %s', (name) => {
    expect(recordForm(dotted, operator(name)).value).toBe('mx.sendoff.example');
  });

  test.each([undefined, operator('GoDaddy')])('is there once a form has appended the zone', (one) => {
    const { value, advice } = recordForm(mxRecord, one, { mxDot: true });
    expect(value).toBe('mx.sendoff.example.');
    expect(advice.filter((each) => /dot/i.test(each))).toEqual(['dotBelongs']);
  });
});
