import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { workflowCode } from './support/workflow-bundle.ts';

// The bundler refuses Node builtins and everything of Temporal that is not for Workflows: bundling alone proves that the
// Workflow code keeps to its sandbox.
test.each(['../src/workflows/index.ts', '../src/email-service/workflows/index.ts'])(
  '%s bundles for the Workflow sandbox',
  async (path) => {
    const { workflowBundle } = await workflowCode(fileURLToPath(new URL(path, import.meta.url)));
    const code = await readFile(workflowBundle.codePath, 'utf8');
    // A megabyte and a half is the SDK; much more would be a library that has no business there.
    expect(code.length).toBeLessThan(5_000_000);
    expect(code).not.toContain('node_modules/undici');
  },
);
