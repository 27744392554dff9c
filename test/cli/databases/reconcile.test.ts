import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { reconcile } from '../../../src/cli/databases/reconcile.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const nowhere = { TEMPORAL_ADDRESS: '127.0.0.1:1' };
const run = (environment: NodeJS.ProcessEnv): Promise<number> =>
  reconcile(
    {},
    {
      environment: {
        ...{ ...nowhere, SENDOFF_SECRET_KEY: randomBytes(32).toString('base64') },
        ...{ SENDOFF_DATABASE_URL: `file:${join(temporaryFolder(), 'sendoff.db')}`, ...environment },
      },
      write: () => undefined,
      progress: { write: () => undefined },
    },
  );

test('asks for the operator token of the embedded email service only where new onboardings use it', async () => {
  await expect(run({})).rejects.toThrow('EMAIL_PROVIDER_OPERATOR_TOKEN is not set');
  await expect(run({ EMAIL_PROVIDER: 'resend' })).rejects.toThrow('127.0.0.1:1');
});
