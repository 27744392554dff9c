import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';

/** A new empty folder that is removed when the test has ended, after its `afterEach`. */
export function temporaryFolder(): string {
  const [folder, remove] = newFolder();
  onTestFinished(remove);
  return folder;
}

/** The same for all tests of a file. Call it beside them, before what uses the folder until its own `afterAll`. */
export function folderOfFile(): string {
  const [folder, remove] = newFolder();
  afterAll(remove);
  return folder;
}

/** Writes a program for the shell into a folder of a test. @returns its path */
export function writeProgram(folder: string, name: string, script: string): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return path;
}

function newFolder(): readonly [folder: string, remove: () => void] {
  const folder = mkdtempSync(join(tmpdir(), 'sendoff-test-'));
  const remove = (): void => {
    rmSync(folder, { recursive: true, force: true });
  };
  return [folder, remove];
}
