import type { HttpApp } from '../../../lib/http/create-http-app.ts';
import { ProblemError } from '../../../lib/http/problem.ts';
import { type DomainWatchView, domainWatchOf, type WatchedDomain } from '../../../store/upkeep/watched-domains.ts';
import { audit } from '../../audit.ts';
import type { HttpDependencies } from '../../dependencies.ts';
import { DomainWatchSchema } from '../../schemas/domain-watch.ts';
import { AuditQuery, MutedRecordParams, MuteRequest } from '../../schemas/onboarding-changes.ts';
import { problemResponses } from '../../schemas/problem-responses.ts';

const watch = DomainWatchSchema.ref;

export function mutedRecordRoutes(
  app: HttpApp,
  { register, watchedDomains }: Pick<HttpDependencies, 'register' | 'watchedDomains'>,
): void {
  app.put(
    '/onboardings/:tenantId/muted-records/:purpose',
    {
      schema: {
        operationId: 'muteRecord',
        summary: "Leave a record of a verified domain out of the domain's state",
        description: 'Ends a drift that has no other cause. Muting a muted record replaces its reason.',
        params: MutedRecordParams,
        body: MuteRequest,
        response: { 200: watch, ...problemResponses('withBody', 'not_found') },
      },
    },
    async (request) => {
      const { tenantId, purpose } = request.params;
      const { body } = request;
      await requireRecord(tenantId, purpose);
      await audit(request, register, tenantId, { request: 'mute_record', purpose, ...body });
      const record = { ...body, purpose, at: new Date().toISOString() };
      return viewOf(tenantId, await watchedDomains.mute(tenantId, record));
    },
  );

  app.delete(
    '/onboardings/:tenantId/muted-records/:purpose',
    {
      schema: {
        operationId: 'unmuteRecord',
        summary: 'Let a muted record count again; the next sweep checks the domain',
        params: MutedRecordParams,
        querystring: AuditQuery,
        response: { 200: watch, ...problemResponses('withoutBody', 'validation_failed', 'not_found') },
      },
    },
    async (request) => {
      const { tenantId, purpose } = request.params;
      await requireRecord(tenantId, purpose);
      await audit(request, register, tenantId, { request: 'unmute_record', purpose, by: request.query.by });
      return viewOf(tenantId, await watchedDomains.unmute(tenantId, purpose, new Date().toISOString()));
    },
  );

  async function requireRecord(tenantId: string, purpose: string): Promise<void> {
    if ((await watchedDomains.get(tenantId)) === undefined) throw notWatched(tenantId);
    const records = (await register.get(tenantId))?.onboarding.records.filter(({ required }) => required) ?? [];
    const purposes = [...new Set(records.map((record) => record.purpose))];
    if (purposes.includes(purpose)) return;
    const detail = `The domain has no required record ${JSON.stringify(purpose)}. Its required records: ${purposes.join(', ')}.`;
    throw new ProblemError('not_found', detail);
  }
}

function viewOf(tenantId: string, watched: WatchedDomain | undefined): DomainWatchView {
  const view = domainWatchOf(watched);
  if (view === null) throw notWatched(tenantId);
  return view;
}

const notWatched = (tenantId: string): ProblemError =>
  new ProblemError(
    'not_found',
    `Tenant ${JSON.stringify(tenantId)} has no verified domain: its latest onboarding is not onboarded.`,
  );
