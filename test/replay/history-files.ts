import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

export const historyFolder = fileURLToPath(new URL('histories', import.meta.url));

/** By the file's name, which begins with its Workflow's: those of the email service, and all others the orchestrator's. */
export const workflowsPathOf = (file: string): string =>
  fileURLToPath(
    new URL(
      /^(verify|deliver)-/.test(basename(file))
        ? '../../src/email-service/workflows/index.ts'
        : '../../src/workflows/index.ts',
      import.meta.url,
    ),
  );
