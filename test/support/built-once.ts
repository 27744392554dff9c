// What several test files of one run use, and takes seconds of a processor to build, is built by the first that asks.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject, type ProvidedContext } from 'vitest';
import type { TestProject } from 'vitest/node';
import { createWhole } from '../../src/dev/temporal/data-file-lock.ts';
import { isRunning } from '../../src/dev/temporal/is-running.ts';
import { waitUntil } from '../../src/lib/timing/wait-until.ts';

declare module 'vitest' {
  interface ProvidedContext {
    readonly buildsFolder: string;
  }
}

/** vitest's globalSetup: the folder that the files of one run share. */
export default function provideBuildsFolder(project: TestProject): (() => void) | undefined {
  const run = project.vitest.getRootProject();
  // Another project has made it.
  if ((run.getProvidedContext() as Partial<ProvidedContext>).buildsFolder !== undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'sendoff-builds-'));
  run.provide('buildsFolder', folder);
  return () => {
    rmSync(folder, { recursive: true, force: true });
  };
}

/** Resolves with the folder of this name, in which `build` has run once, in this process or in another of the run. */
export async function builtOnce(name: string, build: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(inject('buildsFolder'), name);
  const claim = `${folder}.builder`;
  const built = `${folder}.built`;
  if (await createWhole(claim, String(process.pid))) {
    mkdirSync(folder);
    // After a failure too: the others then fail at once.
    await build(folder).finally(() => {
      writeFileSync(built, '');
    });
    return folder;
  }
  // For as long as it takes: on a busy machine that is minutes.
  const isOver = (): boolean => existsSync(built) || !isRunning(Number(readFileSync(claim, 'utf8')));
  await waitUntil(isOver, { timeoutMs: Number.POSITIVE_INFINITY, intervalMs: 100 });
  if (!existsSync(built)) throw new Error(`Another test file began to build ${name} and did not end`);
  return folder;
}
