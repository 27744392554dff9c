import { createApiClient } from '../api-client.ts';
import { ExitCode } from '../exit-codes.ts';
import { findApi } from '../find-api.ts';

export interface ExtendOptions {
  readonly hours: number;
  readonly reason: string;
  readonly by: string;
  readonly json?: boolean;
  readonly data: string;
}

/** Extends the verification window of a tenant that waits for its domain. */
export async function extendWindow(
  tenantId: string,
  { hours, reason, by, json, data }: ExtendOptions,
  { environment, write }: { readonly environment: NodeJS.ProcessEnv; readonly write: (text: string) => void },
): Promise<number> {
  const extended = await createApiClient(findApi(data, environment)).extend(tenantId, { hours, by, reason });
  write(
    `${json === true ? JSON.stringify(extended) : `${tenantId}: the verification window closes at ${extended.deadline}`}\n`,
  );
  return ExitCode.done;
}
