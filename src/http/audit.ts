import type { FastifyRequest } from 'fastify';
import type { Register } from '../store/onboarding/register.ts';

export const auditedRequests = [
  'cancel',
  'check_now',
  'extend',
  'release_email',
  'restart',
  'setup_link',
  'revoke_setup_links',
  'mute_record',
  'unmute_record',
] as const;

interface AuditedRequest {
  readonly request: (typeof auditedRequests)[number];
  readonly by?: string | null | undefined;
  readonly hours?: number;
  readonly reason?: string;
  readonly purpose?: string;
}

/**
 * Keeps who asked for a change, in the log and in the events of the tenant. Called before the change, so that no change is
 * without its line.
 */
export async function audit(
  { log, apiTokenName }: Pick<FastifyRequest, 'log' | 'apiTokenName'>,
  register: Pick<Register, 'addEvent'>,
  tenantId: string,
  { by = null, ...request }: AuditedRequest,
): Promise<void> {
  const data = { ...request, by, apiTokenName };
  log.info({ tenantId, audit: data }, 'change requested');
  await register.addEvent(tenantId, { type: 'onboarding.requested', data }, new Date().toISOString());
}
