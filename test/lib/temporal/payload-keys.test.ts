import { createDecipheriv, randomBytes } from 'node:crypto';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { describe, expect, test } from 'vitest';
import type { PayloadKey } from '../../../src/lib/settings.ts';
import { createPayloadCodec, readPayloadCodec } from '../../../src/lib/temporal/payload-keys.ts';

const key = (id: string): PayloadKey => ({ id, key: randomBytes(32) });
const setting = (...keys: PayloadKey[]): string =>
  keys.map((each) => `${each.id}:${each.key.toString('base64')}`).join(',');
const clear = defaultPayloadConverter.toPayload({ subject: 'Welcome to Acme' });
const text = (bytes: Uint8Array | null | undefined): string => Buffer.from(bytes ?? []).toString('utf8');
const [one, two] = [key('2026-11'), key('2026-12')];

async function encoded(payload: Payload, ...keys: PayloadKey[]): Promise<Payload> {
  const [found] = await createPayloadCodec(keys).encode([payload]);
  if (found === undefined) throw new Error('nothing was encoded');
  return found;
}

describe('an encrypted payload', () => {
  test('is nonce, ciphertext and tag of the whole payload, beside the id of its key', async () => {
    const { metadata = {}, data } = await encoded(clear, one);
    expect(Object.fromEntries(Object.entries(metadata ?? {}).map(([name, value]) => [name, text(value)]))).toEqual({
      encoding: 'binary/encrypted',
      'encryption-key-id': '2026-11',
    });
    const bytes = Buffer.from(data ?? []);
    const decipher = createDecipheriv('aes-256-gcm', one.key, bytes.subarray(0, 12)).setAuthTag(bytes.subarray(-16));
    const opened = Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]);
    const payload = temporal.api.common.v1.Payload.decode(opened);
    expect(defaultPayloadConverter.fromPayload(payload)).toEqual({ subject: 'Welcome to Acme' });
    expect(bytes.includes('Acme')).toBe(false);
  });

  test('has another nonce each time', async () => {
    expect((await encoded(clear, one)).data).not.toEqual((await encoded(clear, one)).data);
  });

  test('is decrypted by its key wherever that is in the list', async () => {
    const [decoded] = await createPayloadCodec([two, one]).decode([await encoded(clear, one)]);
    expect(defaultPayloadConverter.fromPayload(decoded!)).toEqual({ subject: 'Welcome to Acme' });
  });

  test('whose key is missing is refused with its id', async () => {
    for (const keys of [[], [two]]) {
      const refused = createPayloadCodec(keys).decode([await encoded(clear, one)]);
      await expect(refused).rejects.toThrow('encrypted with the key "2026-11", which SENDOFF_PAYLOAD_KEYS does not');
    }
  });

  test('that was altered, cut, or has another key of the same id is refused', async () => {
    const whole = await encoded(clear, one);
    const bytes = Buffer.from(whole.data ?? []);
    bytes[20] = (bytes[20] ?? 0) ^ 1;
    const wrong = [
      createPayloadCodec([one]).decode([{ ...whole, data: bytes }]),
      createPayloadCodec([one]).decode([{ ...whole, data: Buffer.from(whole.data ?? []).subarray(0, 5) }]),
      createPayloadCodec([one]).decode([{ ...whole, data: null }]),
      createPayloadCodec([key('2026-11')]).decode([whole]),
    ];
    for (const refused of wrong) await expect(refused).rejects.toThrow('does not decrypt a payload');
  });
});

test('what is in clear is read as it is, with and without keys', async () => {
  for (const keys of [[], [one]]) expect(await createPayloadCodec(keys).decode([clear])).toEqual([clear]);
});

describe('SENDOFF_PAYLOAD_KEYS', () => {
  test('encrypts with the first key; with SENDOFF_PAYLOAD_DECODE_ONLY, or unset, with none', async () => {
    const environment = { SENDOFF_PAYLOAD_KEYS: setting(two, one) };
    const [encrypted] = await readPayloadCodec(environment).encode([clear]);
    expect(text(encrypted?.metadata?.['encryption-key-id'])).toBe('2026-12');
    const decodeOnly = readPayloadCodec({ ...environment, SENDOFF_PAYLOAD_DECODE_ONLY: 'true' });
    for (const codec of [decodeOnly, readPayloadCodec({})]) expect(await codec.encode([clear])).toEqual([clear]);
    const [decoded] = await decodeOnly.decode([await encoded(clear, one)]);
    expect(defaultPayloadConverter.fromPayload(decoded!)).toEqual({ subject: 'Welcome to Acme' });
  });

  test.each([
    ['a key without a name', one.key.toString('base64')],
    ['a short key', 'a:c2hvcnQ='],
    ['two keys of one name', setting(one, key('2026-11'))],
    ['an empty name', `:${one.key.toString('base64')}`],
  ])('refuses %s, and does not show it', (_, value) => {
    const read = () => readPayloadCodec({ SENDOFF_PAYLOAD_KEYS: value });
    expect(read).toThrow('SENDOFF_PAYLOAD_KEYS must be keys of 32 bytes in base64');
    expect(read).not.toThrow(value);
  });

  test('is required by SENDOFF_PAYLOAD_DECODE_ONLY', () => {
    expect(() => readPayloadCodec({ SENDOFF_PAYLOAD_DECODE_ONLY: 'true' })).toThrow('SENDOFF_PAYLOAD_KEYS is not set');
  });
});
