import { counted } from '../../lib/counted.ts';
import { OPEN_AFTER_END } from '../../store/onboarding/setup-links.ts';
import { createApiClient } from '../api-client.ts';
import { ExitCode } from '../exit-codes.ts';
import { findApi } from '../find-api.ts';
import type { ListContext } from './list-onboardings.ts';

export interface SetupLinkOptions {
  readonly revoke?: boolean;
  readonly by: string;
  readonly json?: boolean;
  readonly data: string;
}

/** Prints a new link to a tenant's setup page on stdout, or revokes all of them. */
export async function setupLink(
  tenantId: string,
  { revoke, by, json, data }: SetupLinkOptions,
  { environment, write, writeMessage }: ListContext,
): Promise<number> {
  const api = createApiClient(findApi(data, environment));
  if (revoke === true) {
    const revoked = await api.revokeSetupLinks(tenantId, by);
    write(
      json === true
        ? `${JSON.stringify({ tenantId, revoked })}\n`
        : `${tenantId}: ${counted(revoked, 'link')} revoked\n`,
    );
    return ExitCode.done;
  }
  const link = await api.createSetupLink(tenantId, by);
  write(`${json === true ? JSON.stringify(link) : link.url}\n`);
  const until =
    link.expires_at === null ? `until ${OPEN_AFTER_END} after the onboarding has ended` : `until ${link.expires_at}`;
  if (json !== true)
    writeMessage(
      `Everyone with the link sees the page, ${until}. Revoke it: sendoff setup-link ${tenantId} --revoke\n`,
    );
  return ExitCode.done;
}
