import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    readonly bundleFolder: string;
  }
}

/** vitest's globalSetup: where the files of one run share their bundles. */
export default function provideBundleFolder(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'sendoff-bundles-'));
  project.provide('bundleFolder', folder);
  return () => {
    rmSync(folder, { recursive: true, force: true });
  };
}

export interface WorkflowCode {
  readonly workflowBundle: { readonly codePath: string };
  readonly debugMode: true;
}

/**
 * Options for a Worker that runs these Workflows. They run on the test's own thread: another one takes half a second of a
 * processor to start, for each test. The programs that the system tests start run them as in production.
 */
export async function workflowCode(workflowsPath: string): Promise<WorkflowCode> {
  return { workflowBundle: { codePath: await bundled(workflowsPath) }, debugMode: true };
}

/** Bundled by the first who asks: it takes two seconds of a processor. */
async function bundled(workflowsPath: string): Promise<string> {
  const name = createHash('sha256').update(workflowsPath).digest('hex').slice(0, 16);
  const codePath = join(inject('bundleFolder'), `${name}.js`);
  if (existsSync(codePath)) return codePath;
  const { code } = await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('ERROR') });
  // Two may bundle at once; none reads half a file.
  const draft = `${codePath}.${randomUUID()}`;
  writeFileSync(draft, code);
  renameSync(draft, codePath);
  return codePath;
}
