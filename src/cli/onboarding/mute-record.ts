import { createApiClient, type DomainWatch } from '../api-client.ts';
import { ExitCode } from '../exit-codes.ts';
import { findApi } from '../find-api.ts';
import { printable } from '../../lib/printable.ts';
import { domainWatch, mistakeLines } from './show-onboarding.ts';

export interface UnmuteOptions {
  readonly by: string;
  readonly json?: boolean;
  readonly data: string;
}

export interface MuteOptions extends UnmuteOptions {
  readonly reason: string;
}

interface MuteContext {
  readonly environment: NodeJS.ProcessEnv;
  readonly write: (text: string) => void;
}

/** Leaves a required record of a verified domain out of the domain's state. */
export async function muteRecord(
  tenantId: string,
  purpose: string,
  { reason, by, json, data }: MuteOptions,
  { environment, write }: MuteContext,
): Promise<number> {
  const watch = await createApiClient(findApi(data, environment)).mute(tenantId, purpose, { reason, by });
  write(
    json === true ? `${JSON.stringify({ tenantId, ...watch })}\n` : show(`${tenantId}: ${purpose} is muted`, watch),
  );
  return ExitCode.done;
}

/** Lets a muted record count again. */
export async function unmuteRecord(
  tenantId: string,
  purpose: string,
  { by, json, data }: UnmuteOptions,
  { environment, write }: MuteContext,
): Promise<number> {
  const watch = await createApiClient(findApi(data, environment)).unmute(tenantId, purpose, by);
  write(json === true ? `${JSON.stringify({ tenantId, ...watch })}\n` : show(`${tenantId}: ${purpose} counts`, watch));
  return ExitCode.done;
}

const show = (headline: string, watch: DomainWatch): string =>
  `${printable([headline, ...domainWatch(watch), ...watch.findings.flatMap(mistakeLines)].join('\n'))}\n`;
