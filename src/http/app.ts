import Fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import { hangUpWhenClosing } from '../lib/http/hang-up-when-closing.ts';
import { httpLimits } from '../lib/http/http-limits.ts';
import type { SecretStore } from '../store/secret-store.ts';
import { sharedCheck } from '../lib/http/shared-check.ts';
import { SETUP_COMMAND, type SetupGap } from '../lib/temporal/setup/setup-gap.ts';
import { acceptJson } from './accept-json.ts';
import type { AgentsMd } from '../client/agents-md/agents-md.ts';
import { requireBearer } from './bearer.ts';
import type { Onboardings } from '../client/onboardings.ts';
import { answerUnroutable, answerWithProblems, Problem } from './problems.ts';
import { agentsMdBatchRoutes } from './routes/agents-md-batches.ts';
import { agentsMdCheckRoutes } from './routes/agents-md-checks.ts';
import { agentsMdScheduleRoutes } from './routes/agents-md-schedules.ts';
import { onboardingRoutes } from './routes/onboardings.ts';
import { webhookRoutes } from './routes/webhooks.ts';

export interface HttpDependencies {
  readonly onboardings: Onboardings;
  readonly secrets: Pick<SecretStore, 'get'>;
  /** Undefined when nobody can be named to the code hosts, so that nothing may be asked. */
  readonly agentsMd?: AgentsMd | undefined;
  readonly apiToken: string;
  /** What Temporal lacks before Workflows can be started; rejects when it does not answer. */
  readonly findSetupGaps: () => Promise<readonly SetupGap[]>;
  /** Resolves with true when the database has committed a write, rejects when it cannot. */
  readonly checkDatabase: () => Promise<true>;
  readonly logger?: FastifyBaseLogger;
}

/** Fields other than a body. */
const BODY_BYTES_MAX = 2_000_000;

/** Probes give up after a second or a few, and need an answer before that. */
const CHECK_TIMEOUT_MS = 2_000;

/** The orchestrator's HTTP API; it does not listen by itself, so that tests can inject requests. */
export function buildHttpApp(dependencies: HttpDependencies): FastifyInstance {
  const app = Fastify({
    ...httpLimits,
    bodyLimit: BODY_BYTES_MAX,
    // Longer than the longest tenant id, percent-encoded, so that the input's own rule speaks.
    routerOptions: { maxParamLength: 400 },
    // A path that cannot be decoded never reaches a route or its error handler.
    frameworkErrors: answerUnroutable,
    ...(dependencies.logger === undefined ? {} : { loggerInstance: dependencies.logger }),
  });
  answerWithProblems(app);
  acceptJson(app);
  hangUpWhenClosing(app);

  app.get('/livez', async () => ({ status: 'ok' }));
  const temporalGaps = sharedCheck(dependencies.findSetupGaps, CHECK_TIMEOUT_MS);
  const databaseCommits = sharedCheck(dependencies.checkDatabase, CHECK_TIMEOUT_MS);
  app.get('/readyz', async (_request, reply) => {
    const [gaps, commits] = await Promise.all([temporalGaps(), databaseCommits()]);
    const isReady = gaps?.length === 0 && commits === true;
    return reply.status(isReady ? 200 : 503).send({
      status: isReady ? 'ok' : 'unavailable',
      temporal: gaps === undefined ? 'unreachable' : gaps.length === 0 ? 'ok' : 'not_set_up',
      database: commits === true ? 'ok' : 'unwritable',
      ...(gaps === undefined || gaps.length === 0 ? {} : { missing: gaps, command: SETUP_COMMAND }),
    });
  });

  app.register(async (backend) => {
    backend.addHook('onRequest', requireBearer(dependencies.apiToken));
    onboardingRoutes(backend, dependencies);
    agentsMdRoutes(backend, dependencies.agentsMd);
  });
  app.register(async (provider) => {
    webhookRoutes(provider, dependencies);
  });
  return app;
}

function agentsMdRoutes(app: FastifyInstance, agentsMd: AgentsMd | undefined): void {
  if (agentsMd !== undefined) {
    agentsMdCheckRoutes(app, agentsMd);
    agentsMdScheduleRoutes(app, agentsMd);
    agentsMdBatchRoutes(app, agentsMd);
    return;
  }
  for (const path of ['/agents-md-checks', '/agents-md-schedules', '/agents-md-batches']) {
    app.all(path, refuseAgentsMd);
    app.all(`${path}/*`, refuseAgentsMd);
  }
}

async function refuseAgentsMd(): Promise<never> {
  throw new Problem(
    'agents_md_off',
    'Set AGENTS_MD_CONTACT, for the server and its Workers: an address or URL by which a code host can reach you',
  );
}
