import { describe, expect, test } from 'vitest';
import { allowsHost, parsePolicy, policyIdIn } from '../../../src/email-service/delivery/mta-sts-policy.ts';

describe('the record', () => {
  test.each([
    [['v=STSv1; id=20160831085700Z;'], '20160831085700Z'],
    [['v=STSv1;id=a'], 'a'],
    [['v=STSv1 ; other=b ; id = a ;'], 'a'],
    [['v=spf1 -all', 'v=STSv1; id=a'], 'a'],
    [['v=STSv1; id=a', 'v=STSv1; id=b'], undefined],
    [['v=STSv2; id=a'], undefined],
    [['v=STSv10; id=a'], undefined],
    [[' v=STSv1; id=a'], undefined],
    [['v=STSv1'], undefined],
    [['v=STSv1; id='], undefined],
    [['v=STSv1; id=a b'], undefined],
    [[`v=STSv1; id=${'a'.repeat(33)}`], undefined],
    [[], undefined],
  ])('%j has the id %s', (texts, id) => {
    expect(policyIdIn(texts)).toBe(id);
  });
});

const POLICY = 'version: STSv1\r\nmode: enforce\r\nmx: mail.inbox.test\r\nmx: *.inbox.test\r\nmax_age: 604800\r\n';

describe('a policy', () => {
  const read = { mode: 'enforce', mx: ['mail.inbox.test', '*.inbox.test'], maxAgeSeconds: 604_800 };

  test.each([
    ['with CRLF', POLICY, read],
    ['with LF', POLICY.replaceAll('\r', ''), read],
    ['with fields of a later version', `${POLICY}next: 1\r\n`, read],
    ['with a repeated field, of which the first holds', `${POLICY}mode: none\r\nmax_age: 1\r\n`, read],
    ['with upper case', POLICY.replace('mail.inbox', 'MAIL.Inbox'), read],
    ['for tests', POLICY.replace('enforce', 'testing'), { ...read, mode: 'testing' }],
    ['of none', 'version: STSv1\nmode: none\nmax_age: 86400\n', { mode: 'none', mx: [], maxAgeSeconds: 86_400 }],
    ['without a version', POLICY.replace('version: STSv1', ''), undefined],
    ['of another version', POLICY.replace('STSv1', 'STSv2'), undefined],
    ['of an unknown mode', POLICY.replace('enforce', 'strict'), undefined],
    ['without a host', POLICY.replaceAll(/mx:.*/g, ''), undefined],
    ['without an end', POLICY.replace(/max_age.*/, ''), undefined],
    ['that lasts longer than a year', POLICY.replace('604800', '31557601'), undefined],
    ['that lasts for a negative time', POLICY.replace('604800', '-1'), undefined],
    ['that is a web page', '<!doctype html>', undefined],
  ])('%s', (_, text, policy) => {
    expect(parsePolicy(text)).toEqual(policy);
  });

  test.each([
    ['mail.inbox.test', true],
    ['MAIL.inbox.test.', true],
    ['mx1.inbox.test', true],
    ['inbox.test', false],
    ['a.mx1.inbox.test', false],
    ['mail.inbox.test.evil.test', false],
    ['evilinbox.test', false],
    ['test', false],
  ])('allows %s: %s', (host, allowed) => {
    expect(allowsHost(parsePolicy(POLICY) ?? { mx: [] }, host)).toBe(allowed);
  });
});
