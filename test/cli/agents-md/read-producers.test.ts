import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { BATCH_PRODUCERS_MAX } from '../../../src/agents-md/batch.ts';
import { readProducers } from '../../../src/cli/agents-md/read-producers.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sendoff-producers-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function read(content: string | Buffer) {
  const file = join(folder, 'producers.jsonl');
  writeFileSync(file, content);
  return readProducers(file, Readable.from([]));
}

const refusal = (content: string): Promise<string> =>
  read(content).then(
    () => 'no refusal',
    (error: unknown) => (error as Error).message,
  );

describe('a list of producers', () => {
  test('has one producer per line, ignoring blank lines, CRLF and a byte order mark', async () => {
    const content = '\ufeff{"producerId":"a"}\r\n\r\n  {"producerId":"b","organization":"b"}  \n\n{"producerId":"c"}';
    expect(await read(content)).toEqual([
      { producerId: 'a' },
      { producerId: 'b', organization: 'b' },
      { producerId: 'c' },
    ]);
  });

  test('reads stdin for -, with chunks that end inside a line or a character', async () => {
    const bytes = Buffer.from('{"producerId":"a"}\n{"producerId":"ü"}\n');
    const at = bytes.indexOf(0xc3) + 1;
    const stdin = Readable.from([bytes.subarray(0, 5), bytes.subarray(5, at), bytes.subarray(at)]);
    await expect(readProducers('-', stdin)).rejects.toThrow('line 2: producerId must be 1 to 128');
    expect(await readProducers('-', Readable.from([bytes.subarray(0, 5), bytes.subarray(5, 19)]))).toEqual([
      { producerId: 'a' },
    ]);
  });

  test('names the number, the field and the value of every invalid line', async () => {
    const message = await refusal(
      [
        '{"producerId":"a","organization":"https://github.com/a"}',
        '{"producerId":"b"',
        '[]',
        '{"producerId":"c","organisation":"c"}',
        '{"producerId":"d","host":"example.com"}',
      ].join('\n'),
    );
    expect(message).toContain('No check was started.');
    expect(message).toMatch(/line 1: organization must be 1 to 39 .*found "https:\/\/github\.com\/a"/);
    expect(message).toMatch(/line 2: must be one JSON object such as \{.*found "\{\\"producerId\\":\\"b\\""/);
    expect(message).toMatch(/line 3: must be an object; found \[\]/);
    expect(message).toContain('line 4: organisation is not a field of a check');
    expect(message).toMatch(/line 5: host must be one of github\.com, .*found "example\.com"/);
  });

  test('names both lines of a duplicate producer', async () => {
    const message = await refusal('{"producerId":"a"}\n{"producerId":"b"}\n\n{"producerId":"a","organization":"x"}\n');
    expect(message).toContain('line 4: producerId a is already used in line 1');
  });

  test('shows the first of thousands of invalid lines and counts the others', async () => {
    const message = await refusal('x\n'.repeat(3_000));
    expect(message.split('\n')).toHaveLength(52);
    expect(message).toContain('and 2950 more');
  });

  test.each([
    ['nothing', '', /contains no producer: expected one JSON object per line, such as \{"producerId"/],
    ['blank lines', '\n \n', /contains no producer/],
    ['a line without an end', 'x'.repeat(20_000), /a line of more than 10000 characters/],
  ])('refuses a file with %s', async (_name, content, message) => {
    expect(await refusal(content)).toMatch(message);
  });

  test('accepts the maximum of a batch and refuses one more', async () => {
    const lines = Array.from({ length: BATCH_PRODUCERS_MAX + 1 }, (_, at) => `{"producerId":"p${at}"}`);
    expect(await read(lines.slice(1).join('\n'))).toHaveLength(BATCH_PRODUCERS_MAX);
    expect(await refusal(lines.join('\n'))).toContain(`more than ${BATCH_PRODUCERS_MAX} producers: split it`);
  });

  test('names an unreadable file with the reason', async () => {
    const none = join(folder, 'none.jsonl');
    await expect(readProducers(none, Readable.from([]))).rejects.toThrow(
      `${none} cannot be read: there is no such file`,
    );
    await expect(readProducers(folder, Readable.from([]))).rejects.toThrow('it is a folder');
  });
});
