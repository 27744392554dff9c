import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

// The bundler refuses Node builtins and everything of Temporal that is not for Workflows: bundling alone proves that the
// Workflow code keeps to its sandbox.
test.each(['../src/workflows/index.ts', '../src/email-service/workflows/index.ts'])(
  '%s bundles for the Workflow sandbox',
  async (path) => {
    const { code } = await bundleWorkflowCode({
      workflowsPath: fileURLToPath(new URL(path, import.meta.url)),
      logger: new DefaultLogger('ERROR'),
    });
    // A megabyte and a half is the SDK; much more would be a library that has no business there.
    expect(code.length).toBeLessThan(5_000_000);
    expect(code).not.toContain('node_modules/undici');
  },
);
