import { describe, expect, test } from 'vitest';
import { validateOnboarding } from '../../../src/http/validate-onboarding.ts';
import { sendingDomainFault } from '../../../src/lib/mail-rules/sending-domain-fault.ts';

const open = { allowReservedNames: false };
const closed = { allowReservedNames: true };

describe('a sending domain', () => {
  test.each([
    ...['acme.test', 'acme.example', 'example.com', 'mail.example.org', 'acme.invalid', 'acme.localhost', 'acme.local'],
    ...['a.onion', 'a.alt', 'nas.home.arpa', '2.0.192.in-addr.arpa', 'acme.internal', 'acme.localdomain', 'nas.lan'],
  ])('%s is refused as reserved, except in a closed network', (name) => {
    expect(sendingDomainFault(name, open)).toMatchObject({ code: 'reserved_name' });
    expect(sendingDomainFault(name, closed)?.code).not.toBe('reserved_name');
  });

  test.each(['acme.com', 'example.de', 'myexample.com', 'test.com', 'local.acme.co.uk', 'acme.lol', 'contest.io'])(
    '%s may be registered',
    (name) => {
      expect(sendingDomainFault(name, open)).toBeUndefined();
    },
  );

  test('with a reserved name is named as the field of an onboarding', () => {
    const firstEmail = { recipient: 'ada@inbox.com', subject: 's', body: 'b' };
    const input = { tenantId: 'acme', domain: 'ACME.local', fromAddress: 'hello@acme.local', firstEmail };
    const { faults } = validateOnboarding(input, open);
    expect(faults).toMatchObject([{ field: 'domain', code: 'reserved_name' }]);
    expect(faults[0]?.problem).toContain('local is reserved');
    expect(validateOnboarding(input, closed).faults).toEqual([]);
  });

  test('loses its final dot, as do the domains of both addresses', () => {
    const firstEmail = { recipient: 'Ada@Inbox.com.', subject: 's', body: 'b' };
    const input = { tenantId: 'acme', domain: 'ACME.com.', fromAddress: 'hello@acme.com.', firstEmail };
    expect(validateOnboarding(input, open)).toMatchObject({
      faults: [],
      input: { domain: 'acme.com', fromAddress: 'hello@acme.com', firstEmail: { recipient: 'Ada@inbox.com' } },
    });
  });
});
