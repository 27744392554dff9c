import { restartCommand } from '../../onboarding/start-again.ts';
import { createApiClient } from '../api-client.ts';
import { ExitCode } from '../exit-codes.ts';
import { findApi } from '../find-api.ts';

export interface ReleaseEmailOptions {
  readonly reason: string;
  readonly by: string;
  readonly json?: boolean;
  readonly data: string;
}

/** Allows the first email of an onboarding that failed with SendOutcomeUnknown to be sent once more. */
export async function releaseEmail(
  tenantId: string,
  { reason, by, json, data }: ReleaseEmailOptions,
  { environment, write }: { readonly environment: NodeJS.ProcessEnv; readonly write: (text: string) => void },
): Promise<number> {
  const released = await createApiClient(findApi(data, environment)).releaseEmail(tenantId, { by, reason });
  const { provider, recipient, since } = released;
  write(
    json === true
      ? `${JSON.stringify(released)}\n`
      : `${tenantId}: the email to ${recipient} that ${provider} may have accepted at ${since} can be sent once more.\nSend it with the same subject and text: ${restartCommand(tenantId)}\n`,
  );
  return ExitCode.done;
}
