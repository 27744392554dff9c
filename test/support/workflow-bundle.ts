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

/** Workflow code for a Worker, bundled by the first who asks: it takes two seconds of a processor. */
export async function workflowBundleOf(workflowsPath: string): Promise<{ codePath: string }> {
  const name = createHash('sha256').update(workflowsPath).digest('hex').slice(0, 16);
  const codePath = join(inject('bundleFolder'), `${name}.js`);
  if (existsSync(codePath)) return { codePath };
  const { code } = await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('ERROR') });
  // Two may bundle at once; none reads half a file.
  const draft = `${codePath}.${randomUUID()}`;
  writeFileSync(draft, code);
  renameSync(draft, codePath);
  return { codePath };
}
