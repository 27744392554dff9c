import type { HttpApp } from '../../../lib/http/create-http-app.ts';
import { OPEN_AFTER_END, setupLinkExpiry } from '../../../store/onboarding/setup-link-expiry.ts';
import { audit } from '../../audit.ts';
import type { HttpDependencies } from '../../dependencies.ts';
import { noOnboarding } from '../../no-onboarding.ts';
import { AuditQuery, AuditRequest, RevokedSetupLinks, SetupLinkSchema } from '../../schemas/onboarding-changes.ts';
import { TenantParams } from '../../schemas/onboarding.ts';
import { problemResponses } from '../../schemas/problem-responses.ts';

/** Creates and revokes the links to a tenant's setup page. */
export function setupLinkRoutes(
  app: HttpApp,
  { register, setupLinks, setupPage }: Pick<HttpDependencies, 'register' | 'setupLinks' | 'setupPage'>,
): void {
  app.post(
    '/onboardings/:tenantId/setup-link',
    {
      schema: {
        operationId: 'createSetupLink',
        summary: "Create a link to the tenant's setup page",
        description: `Hand it to the person who manages the DNS: everyone with the link sees the page. A tenant may have several. Each opens while this onboarding runs and for ${OPEN_AFTER_END} after its end.`,
        params: TenantParams,
        body: AuditRequest,
        response: { 201: SetupLinkSchema, ...problemResponses('withBody', 'not_found') },
      },
    },
    async (request, reply) => {
      const { tenantId } = request.params;
      if ((await register.get(tenantId)) === undefined) return noOnboarding(tenantId);
      await audit(request, register, tenantId, { request: 'setup_link', by: request.body?.by });
      const link = await setupLinks.create(tenantId);
      if (link === undefined) return noOnboarding(tenantId);
      reply.status(201).header('cache-control', 'no-store');
      const baseUrl = setupPage.baseUrl ?? app.listeningOrigin;
      return { tenantId, url: `${baseUrl}/setup/${link.token}`, expires_at: setupLinkExpiry(link.record) };
    },
  );

  app.delete(
    '/onboardings/:tenantId/setup-links',
    {
      schema: {
        operationId: 'revokeSetupLinks',
        summary: "Revoke every link to the tenant's setup page",
        params: TenantParams,
        querystring: AuditQuery,
        response: { 200: RevokedSetupLinks, ...problemResponses('withoutBody', 'validation_failed', 'not_found') },
      },
    },
    async (request) => {
      const { tenantId } = request.params;
      if ((await register.get(tenantId)) === undefined) return noOnboarding(tenantId);
      await audit(request, register, tenantId, { request: 'revoke_setup_links', by: request.query.by });
      return { tenantId, revoked: await setupLinks.revoke(tenantId) };
    },
  );
}
