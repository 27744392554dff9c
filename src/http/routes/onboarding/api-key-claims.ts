import type { HttpApp } from '../../../lib/http/create-http-app.ts';
import { ProblemError } from '../../../lib/http/problem.ts';
import { readIdempotencyKey } from '../../../lib/http/read-idempotency-key.ts';
import type { HttpDependencies } from '../../dependencies.ts';
import { noOnboarding } from '../../no-onboarding.ts';
import { ClaimedKey, ClaimRequest } from '../../schemas/onboarding-changes.ts';
import { TenantParams } from '../../schemas/onboarding.ts';
import { problemResponses } from '../../schemas/problem-responses.ts';

/** Hands out a tenant's API token once; from then on only the backend has it. */
export function apiKeyClaimRoute(app: HttpApp, { claims }: Pick<HttpDependencies, 'claims'>): void {
  app.post(
    '/onboardings/:tenantId/api-key/claim',
    {
      schema: {
        operationId: 'claimApiKey',
        summary: "Receive the tenant's API token, once",
        description:
          'sendoff forgets the token. With an Idempotency-Key, a claim whose answer was lost can be repeated for 60 seconds.',
        params: TenantParams,
        body: ClaimRequest,
        response: {
          200: ClaimedKey,
          ...problemResponses(
            'withBody',
            'not_found',
            'api_key_claimed',
            'api_key_not_claimable',
            'idempotency_key_malformed',
          ),
        },
      },
    },
    async (request, reply) => {
      const { tenantId } = request.params;
      const { by } = request.body;
      const { apiTokenName } = request;
      const idempotencyKey = readIdempotencyKey(request.headers['idempotency-key']);
      const outcome = await claims.claim({ tenantId, by, apiTokenName, idempotencyKey });
      if (outcome.kind === 'noOnboarding') return noOnboarding(tenantId);
      switch (outcome.kind) {
        case 'claimed': {
          const { claim, token, isReplay } = outcome;
          request.log.info({ tenantId, keyId: claim.keyId, by, isReplay }, 'API token claimed');
          reply.header('cache-control', 'no-store');
          if (isReplay) reply.header('idempotent-replayed', 'true');
          return { tenantId, keyId: claim.keyId, token, claimedAt: claim.at, claimedBy: claim.by };
        }
        case 'alreadyClaimed': {
          const claimed = { at: outcome.claim.at, by: outcome.claim.by };
          const detail = `The API token of ${tenantId} was claimed at ${claimed.at} by ${claimed.by}.`;
          throw new ProblemError('api_key_claimed', detail, { claimed });
        }
        case 'noKey':
          throw new ProblemError('api_key_not_claimable', `${outcome.provider} gives tenants no API key.`);
        case 'notClaimable': {
          const reason =
            outcome.outcome === 'running'
              ? 'has not ended'
              : `is ${outcome.outcome}, and sendoff holds no token of its key`;
          throw new ProblemError('api_key_not_claimable', `The onboarding of ${tenantId} ${reason}.`);
        }
      }
    },
  );
}
