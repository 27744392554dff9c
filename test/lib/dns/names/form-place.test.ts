import { expect, test } from 'vitest';
import { formPlace } from '../../../../src/lib/dns/names/form-place.ts';

test.each([
  ['bounce.mail.acme.com', 'acme.com', { zone: 'acme.com', host: 'bounce.mail', zoneFound: true }],
  ['bounce.mail.acme.com', 'mail.acme.com', { zone: 'mail.acme.com', host: 'bounce', zoneFound: true }],
  ['mail.acme.com', 'mail.acme.com', { zone: 'mail.acme.com', host: '@', zoneFound: true }],
  ['k1._domainkey.acme.com', '_domainkey.acme.com', { zone: '_domainkey.acme.com', host: 'k1', zoneFound: true }],
  ['bounce.mail.acme.co.uk', undefined, { zone: 'acme.co.uk', host: 'bounce.mail', zoneFound: false }],
  ['bounce.mail.acme.com', 'com', { zone: 'acme.com', host: 'bounce.mail', zoneFound: false }],
  ['bounce.mail.acme.co.uk', 'co.uk', { zone: 'acme.co.uk', host: 'bounce.mail', zoneFound: false }],
  ['bounce.mail.acme.com', '', { zone: 'acme.com', host: 'bounce.mail', zoneFound: false }],
  // A private suffix has an owner, who may send from below it.
  ['bounce.mail.github.io', 'github.io', { zone: 'github.io', host: 'bounce.mail', zoneFound: true }],
  ['bounce.mail.acme.com', 'other.com', { zone: 'acme.com', host: 'bounce.mail', zoneFound: false }],
])('%s where name servers named %s', (name, zone, place) => {
  expect(formPlace(name, zone)).toEqual(place);
});

test('uses the zone of an earlier check while name servers name none', () => {
  const place = { zone: 'mail.acme.com', host: 'bounce', zoneFound: true };
  expect(formPlace('bounce.mail.acme.com', undefined, 'mail.acme.com')).toEqual(place);
  expect(formPlace('bounce.mail.acme.com', 'acme.com', 'mail.acme.com')).toMatchObject({ host: 'bounce.mail' });
});
