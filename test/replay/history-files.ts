import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

export const historyFolder = fileURLToPath(new URL('histories', import.meta.url));

/** The name of a file begins with the name of its Workflow, which tells the program. */
export const workflowsPathOf = (file: string): string =>
  fileURLToPath(
    new URL(
      /^(verify|deliver)-/.test(basename(file))
        ? '../../src/email-service/workflows/index.ts'
        : '../../src/workflows/index.ts',
      import.meta.url,
    ),
  );
