import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { moduleState } from './support/module-state.ts';
import { workflowCode } from './support/workflow-bundle.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

// The bundler refuses Node builtins and everything of Temporal that is not for Workflows: bundling alone proves that the
// Workflow code keeps to its sandbox.
describe.each(['src/workflows/index.ts', 'src/email-service/workflows/index.ts'])('%s', (path) => {
  const bundled = async (): Promise<string> => {
    const { workflowBundle } = await workflowCode(join(root, path));
    return readFileSync(workflowBundle.codePath, 'utf8');
  };

  test('bundles for the Workflow sandbox', async () => {
    const code = await bundled();
    // A megabyte and a half is the SDK; much more would be a library that has no business there.
    expect(code.length).toBeLessThan(5_000_000);
    expect(code).not.toContain('node_modules/undici');
    expect(code).not.toContain('node_modules/commonmark');
  });

  // A Worker evaluates them once for all its Workflows.
  test('has no module that keeps state', async () => {
    const modules = [...(await bundled()).matchAll(/^\/\*{3}\/ "(\.\/src\/[^"]+\.ts)"$/gm)].map(
      ([, file = '']) => file,
    );
    expect(modules).toContain(`./${path}`);
    for (const file of modules) {
      const sourcePath = resolve(root, file);
      expect(existsSync(sourcePath), file).toBe(true);
      expect(moduleState(readFileSync(sourcePath, 'utf8')), file).toEqual([]);
    }
  });
});

describe('state of a module', () => {
  test.each([
    ['let calls = 0;'],
    ['export let last: string | undefined;'],
    ['const seen = new Set<string>(); export const add = (id: string) => seen.add(id);'],
    ['const seen: string[] = []; export function add(id: string) { seen.push(id); }'],
    ["import { known } from './known.ts'; export function add(id: string) { known.list[0] = id; }"],
    ['const totals = { all: 0 }; export const count = () => { totals.all += 1; };'],
    ['const totals = { all: 0 }; export const count = () => ++totals.all;'],
    ['const totals: { all?: number } = {}; export const forget = () => { delete totals.all; };'],
    ['const totals = {}; export const merge = (more: object) => Object.assign(totals, more);'],
    ['class Count { static all = 0; }'],
    ['const word = /a/g; export const has = (text: string) => word.test(text);'],
  ])('is found in: %s', (source) => {
    expect(moduleState(source)).toHaveLength(1);
  });

  test.each([
    ["const known: ReadonlySet<string> = new Set(['a']); export const has = (id: string) => known.has(id);"],
    ['export function sorted(ids: readonly string[]) { const all = [...ids]; all.sort(); return all; }'],
    ["const word = /a/g; export const without = (text: string) => text.replace(word, '');"],
    [
      'const mark = /a/y; export const at = (text: string, at: number) => { mark.lastIndex = at; return mark.exec(text); };',
    ],
    ['class Failed extends Error { static readonly code = 1; }'],
  ])('is not found in: %s', (source) => {
    expect(moduleState(source)).toEqual([]);
  });
});
