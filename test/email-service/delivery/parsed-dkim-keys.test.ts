import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { generateDkimKeyPair } from '../../../src/email-service/domains/dkim-key-pair.ts';
import { createDkimKeys } from '../../../src/email-service/delivery/parsed-dkim-keys.ts';
import { createSealer, type Sealer } from '../../../src/lib/sealing.ts';

const { privateKey } = await generateDkimKeyPair();
const sealer = createSealer([randomBytes(32)]);
const sealedKey = (context = 'domain/dom_1/dkim') => ({ sealed: sealer.seal(privateKey, context), context });

function counted() {
  let opened = 0;
  const counting: Sealer = {
    ...sealer,
    open: (sealed, context) => {
      opened += 1;
      return sealer.open(sealed, context);
    },
  };
  const clock = { ms: 0 };
  return { open: createDkimKeys(counting, () => clock.ms), opened: () => opened, clock };
}

test('opens the key of a row once in ten minutes', () => {
  const { open, opened, clock } = counted();
  const key = sealedKey();
  expect(open(key)).toBe(open(key));
  expect(open(key).export({ type: 'pkcs8', format: 'pem' })).toBe(privateKey);
  expect(opened()).toBe(1);
  clock.ms = 10 * 60_000;
  open(key);
  expect(opened()).toBe(2);
});

test('opens a key that its row has instead', () => {
  const { open, opened } = counted();
  expect(open(sealedKey())).not.toBe(open(sealedKey()));
  expect(opened()).toBe(2);
});

test('refuses a key that was sealed for another domain', () => {
  const { open } = counted();
  const key = sealedKey();
  const { sealed } = key;
  open(key);
  expect(() => open({ sealed, context: 'domain/dom_2/dkim' })).toThrow('domain/dom_2/dkim');
});

test('keeps a bounded number of keys', () => {
  const { open, opened } = counted();
  const keys = Array.from({ length: 1_001 }, () => sealedKey());
  keys.forEach(open);
  const [first] = keys;
  const last = keys.at(-1);
  if (first === undefined || last === undefined) throw new Error('no keys');
  open(last);
  expect(opened()).toBe(1_001);
  open(first);
  expect(opened()).toBe(1_002);
});
