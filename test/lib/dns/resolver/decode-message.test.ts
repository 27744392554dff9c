import { type Answer, encode } from 'dns-packet';
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { decodeMessage } from '../../../../src/lib/dns/resolver/decode-message.ts';

const message = (answers: readonly Answer[]): Buffer =>
  encode({
    type: 'response',
    id: 1,
    questions: [{ name: 'acme.test', type: 'TXT', class: 'IN' }],
    answers: [...answers],
  });

const txt = (data: Buffer | string): Answer => ({ name: 'acme.test', type: 'TXT', ttl: 60, data });

/** A name that a row of pointers leads to, in the data of a record, and records that are called by its end. */
function chained(pointers: number, records: number): Buffer {
  const own = message([]);
  const row = Buffer.alloc(pointers * 2);
  const begin = own.length + 12;
  for (let at = 0; at < pointers; at++) row.writeUInt16BE(0xc000 | (at === 0 ? 12 : begin + 2 * (at - 1)), at * 2);
  const first = Buffer.from([0xc0, 12, 0, 99, 0, 1, 0, 0, 0, 60, row.length >> 8, row.length & 0xff]);
  const last = begin + 2 * (pointers - 1);
  const each = Buffer.from([0xc0 | (last >> 8), last & 0xff, 0, 2, 0, 1, 0, 0, 0, 60, 0, 2, 0xc0, 12]);
  own.writeUInt16BE(records + 1, 6);
  return Buffer.concat([own, first, row, ...Array.from({ length: records }, () => each)]);
}

test('reads a full message of long texts and of random data, as keys and signatures look', () => {
  const texts = Array.from({ length: 200 }, (_, at) => txt(`${String(at)} ${'x'.repeat(250)}`));
  expect(decodeMessage(message(texts)).answers).toHaveLength(200);
  for (let round = 0; round < 200; round++) {
    const keys = Array.from({ length: 8 }, () => txt(randomBytes(255)));
    expect(decodeMessage(message(keys)).answers).toHaveLength(8);
  }
});

test('follows the few pointers of an ordinary message', () => {
  expect(decodeMessage(chained(4, 3)).answers?.at(-1)).toMatchObject({ name: 'acme.test', data: 'acme.test' });
});

test.each([
  ['a row of pointers that thousands of names share', chained(2_000, 400), 'chain of pointers'],
  ['more records than any zone has', message(Array.from({ length: 501 }, () => txt('v=spf1'))), 'too many records'],
  ['less than a header', Buffer.alloc(11), 'no header'],
])('refuses %s', (_what, bytes, reason) => {
  expect(() => decodeMessage(bytes)).toThrow(reason);
});
