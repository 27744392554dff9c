import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { measureAgentsMd } from '../../src/cli/measure-agents-md.ts';

let folder: string;
let printed: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sendoff-measure-'));
  printed = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += String(text);
    return true;
  });
});

afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

function fileWith(content: string): string {
  const file = join(folder, 'AGENTS.md');
  writeFileSync(file, content);
  return file;
}

test.each([
  [200, 0, 'pass'],
  [199, 1, 'partial'],
  [0, 1, 'partial'],
])('%i visible characters end with %i: %s', async (count, exitCode, outcome) => {
  expect(await measureAgentsMd(fileWith('x'.repeat(count)))).toBe(exitCode);
  expect(printed).toContain(`${outcome}: `);
  expect(printed).toContain(`${count} visible characters (200 needed)`);
});

test('of a longer file the first 256 KiB are measured, as of a code host', async () => {
  expect(await measureAgentsMd(fileWith(`${' '.repeat(256 * 1_024)}${'x'.repeat(300)}`))).toBe(3);
  expect(printed).toContain('inconclusive: ');
  expect(await measureAgentsMd(fileWith('x'.repeat(256 * 1_024 + 1)))).toBe(0);
  expect(printed).toContain('only its beginning');
});

test('--json prints the measurement', async () => {
  await measureAgentsMd(fileWith('x'), { json: true });
  expect(JSON.parse(printed)).toMatchObject({ outcome: 'partial', measurement: { visibleCodePoints: 1 } });
});

test('a file that cannot be read is named with the reason', async () => {
  await expect(measureAgentsMd(join(folder, 'none.md'))).rejects.toThrow('cannot be read: there is no such file');
  await expect(measureAgentsMd(folder)).rejects.toThrow('cannot be read: it is a folder');
  await expect(measureAgentsMd(fileWith('a\0'))).rejects.toThrow('holds NUL characters');
});
