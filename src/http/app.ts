import { NAMED_PRODUCERS_MAX } from '../agents-md/producer.ts';
import { createHttpApp, type HttpApp } from '../lib/http/create-http-app.ts';
import { describeRoutes } from '../lib/http/describe-routes.ts';
import { refuseTooManyFields } from '../lib/http/refuse-too-many-fields.ts';
import { acceptJson } from './accept-json.ts';
import { requireBearer } from './bearer.ts';
import type { HttpDependencies } from './dependencies.ts';
import { description } from './openapi.ts';
import { agentsMdBadgeRoute, agentsMdRoutes } from './routes/agents-md/agents-md.ts';
import { apiKeyClaimRoute } from './routes/onboarding/api-key-claims.ts';
import { eventRoutes } from './routes/onboarding/events.ts';
import { mutedRecordRoutes } from './routes/upkeep/muted-records.ts';
import { onboardingListRoute } from './routes/onboarding/onboarding-list.ts';
import { onboardingUpdateRoutes } from './routes/onboarding/onboarding-updates.ts';
import { healthRoutes } from './routes/health.ts';
import { notificationRoutes } from './routes/upkeep/notifications.ts';
import { setupLinkRoutes } from './routes/onboarding/setup-links.ts';
import { firstEmailReleaseRoute } from './routes/onboarding/first-email-release.ts';
import { onboardingRoutes } from './routes/onboarding/onboardings.ts';
import { webhookReceiver } from './routes/onboarding/webhooks.ts';
import { setupPageRoutes } from './setup-page/setup-page-routes.tsx';
import { withoutSetupToken } from './setup-page/without-setup-token.ts';
import { sharedSchemas } from './schemas/shared-schemas.ts';
import { temporalProblem } from './temporal-problem.ts';

/** Temporal accepts no larger Workflow input. */
const BODY_BYTES_MAX = 2_000_000;
/** The longest tenant id, percent-encoded: the schema refuses a longer one. */
const PARAM_LENGTH_MAX = 400;

/** The orchestrator's HTTP API, ready for `inject` or `listen`. */
export function buildHttpApp(dependencies: HttpDependencies): HttpApp {
  const app = createHttpApp({
    logger: dependencies.logger,
    loggedPath: withoutSetupToken,
    bodyLimit: BODY_BYTES_MAX,
    maxParamLength: PARAM_LENGTH_MAX,
    realm: 'sendoff',
    patternMeanings: {},
    recognize: temporalProblem,
  });
  acceptJson(app);
  app.decorateRequest('apiTokenName', '');
  // Response schemas serve the document only: the compiler checks what the handlers return.
  app.setSerializerCompiler(() => JSON.stringify);
  describeRoutes(app, description);
  for (const schema of sharedSchemas) app.addSchema(schema);
  app.register(async (anyone: HttpApp) => {
    healthRoutes(anyone, dependencies);
  });
  app.register(async (backend: HttpApp) => {
    backend.addHook('onRequest', requireBearer(dependencies.apiTokens));
    backend.addHook('preValidation', refuseTooManyFields(NAMED_PRODUCERS_MAX));
    backend.register(async (notified: HttpApp) => {
      notificationRoutes(notified, dependencies.notifications);
    });
    onboardingRoutes(backend, dependencies);
    firstEmailReleaseRoute(backend, dependencies);
    onboardingListRoute(backend, dependencies);
    onboardingUpdateRoutes(backend, dependencies);
    apiKeyClaimRoute(backend, dependencies);
    mutedRecordRoutes(backend, dependencies);
    setupLinkRoutes(backend, dependencies);
    eventRoutes(backend, dependencies);
    backend.register(async (checks: HttpApp) => {
      agentsMdRoutes(checks, dependencies.agentsMd);
    });
  });
  app.register(async (badges: HttpApp) => {
    if (dependencies.agentsMd?.publicBadges !== true) {
      badges.addHook('onRequest', requireBearer(dependencies.apiTokens));
    }
    agentsMdBadgeRoute(badges, dependencies.agentsMd);
  });
  app.register(async (provider: HttpApp) => {
    webhookReceiver(provider, dependencies);
  });
  app.register(async (tenants: HttpApp) => {
    setupPageRoutes(tenants, dependencies);
  });
  return app;
}
