import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { emailIdOfReturnPath, returnPathOf } from '../../../src/email-service/delivery/return-path.ts';
import { newId } from '../../../src/email-service/resources/resource-ids.ts';
import { RETURN_PATH_LABEL_LENGTH_MAX, sendingDomainFault } from '../../../src/lib/mail-rules/sending-domain-fault.ts';
import { createSealer } from '../../../src/lib/sealing.ts';

const keyOf = (name: string): Buffer => createHash('sha256').update(name).digest();
const sealer = createSealer([keyOf('a')]);
const emailId = 'eml_01h45ytscbebyvny4gc8cr8ma2';
const localPartOf = (address: string): string => address.slice(0, address.lastIndexOf('@'));
const pathOf = (id: string, by = sealer): string =>
  localPartOf(returnPathOf(by, { id, return_path_domain: 'bounce.acme.test' }));

test('names the email at the return path domain, in lower case', () => {
  const address = returnPathOf(sealer, { id: emailId, return_path_domain: 'bounce.acme.test' });
  expect(address).toMatch(/^eml_01h45ytscbebyvny4gc8cr8ma2-[0-9a-z]{16}@bounce\.acme\.test$/);
  expect(emailIdOfReturnPath(sealer, localPartOf(address))).toBe(emailId);
});

test('is recognized in upper case, which some servers make of it', () => {
  expect(emailIdOfReturnPath(sealer, pathOf(emailId).toUpperCase())).toBe(emailId);
});

test('differs between emails', () => {
  expect(pathOf(newId('eml')).slice(-16)).not.toBe(pathOf(newId('eml')).slice(-16));
});

test('fits an address of RFC 5321 with the longest domain and label', () => {
  expect(pathOf(emailId).length).toBeLessThanOrEqual(64);
  const domain = `${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(63)}.test`;
  expect(sendingDomainFault(domain, { allowReservedNames: true })).toBeUndefined();
  const longest = `${'d'.repeat(RETURN_PATH_LABEL_LENGTH_MAX)}.${domain}`;
  const address = returnPathOf(sealer, { id: emailId, return_path_domain: longest });
  expect(address.length).toBeLessThanOrEqual(254);
});

test('stays valid while its key is listed, and new ones are made with the first', () => {
  const replaced = createSealer([keyOf('b'), keyOf('a')]);
  expect(emailIdOfReturnPath(replaced, pathOf(emailId))).toBe(emailId);
  expect(pathOf(emailId, replaced)).toBe(pathOf(emailId, createSealer([keyOf('b')])));
  expect(emailIdOfReturnPath(createSealer([keyOf('b')]), pathOf(emailId))).toBeUndefined();
});

const other = newId('eml');
test.each([
  ['another email', `${other}-${pathOf(emailId).slice(-16)}`],
  ['no MAC', emailId],
  ['an empty MAC', `${emailId}-`],
  ['a changed MAC', `${pathOf(emailId).slice(0, -1)}${pathOf(emailId).endsWith('0') ? '1' : '0'}`],
  ['a MAC of another key', pathOf(emailId, createSealer([keyOf('b')]))],
  ['a MAC with more behind it', `${pathOf(emailId)}0`],
  ['an id of another kind', pathOf(emailId).replace('eml_', 'evt_')],
  ['another address', 'postmaster'],
])('is not recognized with %s', (_what, localPart) => {
  expect(emailIdOfReturnPath(sealer, localPart)).toBeUndefined();
});
