import { fileURLToPath } from 'node:url';

export const historyFolder = fileURLToPath(new URL('histories', import.meta.url));

/** By the file's name: those of the orchestrator begin with their Workflow's. */
export const workflowsPathOf = (file: string): string =>
  fileURLToPath(
    new URL(
      file.includes('onboard-tenant') ? '../../src/workflows/index.ts' : '../../src/email-service/workflows/index.ts',
      import.meta.url,
    ),
  );
