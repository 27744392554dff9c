import { Type } from 'typebox';
import { sharedCheck } from '../../../lib/http/shared-check.ts';
import { proveWritable } from '../../../lib/sql/sql-database.ts';
import { ProblemError } from '../../../lib/http/problem.ts';
import { problemResponses } from '../schemas/problem.ts';
import type { EmailServiceApp, ServiceParts } from '../service-parts.ts';
import { SETUP_COMMAND } from '../../../lib/temporal/setup/setup-gap.ts';

/** Shorter than the time-out of the probes of common orchestrators, so that they get an answer and not silence. */
const CHECK_TIMEOUT_MS = 800;
const RETRY_SECONDS = 5;

const DATABASE_TROUBLE = 'the database cannot be written';
const temporalTroubles = {
  ready: undefined,
  unreachable: 'Temporal cannot be reached',
  not_set_up: `the Temporal Namespace does not exist (${SETUP_COMMAND} creates it)`,
} as const;

const Healthy = Type.Object({ status: Type.Literal('ok') }, { description: 'Yes.' });

/** The calls that need no credential, besides /openapi.json. */
export function healthRoutes(app: EmailServiceApp, { store, background }: ServiceParts): void {
  app.get(
    '/livez',
    {
      schema: {
        operationId: 'live',
        summary: 'The program runs and answers',
        security: [],
        response: { 200: Healthy },
      },
    },
    async () => ({ status: 'ok' as const }),
  );

  const databaseCommits = sharedCheck(() => proveWritable(store), CHECK_TIMEOUT_MS);
  const temporalReadiness = sharedCheck(() => background.readiness(), CHECK_TIMEOUT_MS);
  app.get(
    '/readyz',
    {
      schema: {
        operationId: 'ready',
        summary: 'The database can be written and Temporal can be reached',
        security: [],
        response: { 200: Healthy, ...problemResponses('anyone') },
      },
    },
    async (request) => {
      const answers = await Promise.all([
        databaseCommits().then((commits) => (commits === true ? undefined : DATABASE_TROUBLE)),
        temporalReadiness().then((readiness) => temporalTroubles[readiness ?? 'unreachable']),
      ]);
      const troubles = answers.filter((trouble) => trouble !== undefined);
      if (troubles.length === 0) return { status: 'ok' as const };
      request.log.warn({ troubles }, 'not ready');
      throw new ProblemError('unavailable', `Not ready: ${troubles.join(', ')}.`, { retryAfterSeconds: RETRY_SECONDS });
    },
  );
}
