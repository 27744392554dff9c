// What several test files of one run use, and takes seconds of a processor to build, is built by the first that asks.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import type { TestProject } from 'vitest/node';
import { waitUntil } from '../../src/lib/wait-until.ts';

declare module 'vitest' {
  interface ProvidedContext {
    readonly buildsFolder: string;
  }
}

/** Longer than a build takes on a busy machine, and shorter than a test's time limit. */
const BUILT_WITHIN_MS = 100_000;

/** vitest's globalSetup: the folder that the files of one run share. */
export default function provideBuildsFolder(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'sendoff-builds-'));
  project.provide('buildsFolder', folder);
  return () => {
    rmSync(folder, { recursive: true, force: true });
  };
}

/** Resolves with the folder of this name, in which `build` has run once, in this process or in another of the run. */
export async function builtOnce(name: string, build: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(inject('buildsFolder'), name);
  const built = join(inject('buildsFolder'), `${name}.built`);
  if (isFirst(folder)) {
    // After a failure too: the others then fail at once.
    await build(folder).finally(() => {
      writeFileSync(built, '');
    });
  } else if (!(await waitUntil(() => existsSync(built), { timeoutMs: BUILT_WITHIN_MS, intervalMs: 100 }))) {
    throw new Error(`Another test file began to build ${name} and did not end`);
  }
  return folder;
}

/** The system creates a folder for one process only. */
function isFirst(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
