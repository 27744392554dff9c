import { Type } from 'typebox';
import { sharedCheck } from '../../../lib/http/shared-check.ts';
import { proveWritable } from '../../../lib/sql/prove-writable.ts';
import { ProblemError } from '../../../lib/http/problem.ts';
import { problemResponses } from '../schemas/problem.ts';
import type { Background } from '../../background/background-port.ts';
import type { Store } from '../../store/open-store.ts';
import type { EmailServiceApp } from '../service-parts.ts';

/** Below the probe timeout of common container orchestrators, so that they receive an answer. */
const CHECK_TIMEOUT_MS = 800;
const RETRY_SECONDS = 5;

const STOPPING_FAULT = 'this process is stopping';
const DATABASE_FAULT = 'cannot write to the database';
const LOST_FAULT = 'Temporal answers, but has not seen the Workers of this process for five minutes: restart it';
const TEMPORAL_FAULT = 'Temporal is unreachable';
export interface HealthParts {
  readonly store: Store;
  readonly background: Pick<Background, 'readiness' | 'isLost'>;
}

const Healthy = Type.Object({ status: Type.Literal('ok') }, { description: 'Healthy.' });

/** Calls without a credential, as are /openapi.json and /docs. */
export function healthRoutes(app: EmailServiceApp, { store, background }: HealthParts): void {
  app.get(
    '/livez',
    {
      schema: {
        operationId: 'live',
        summary: 'Check that the process answers requests, and that Temporal has seen its Workers',
        security: [],
        response: { 200: Healthy, ...problemResponses('anyone') },
      },
    },
    async (request) => {
      if (!background.isLost()) return { status: 'ok' as const };
      request.log.error('Temporal has not seen the Workers of this process for minutes');
      throw new ProblemError('unavailable', `${LOST_FAULT}.`, { retryAfterSeconds: RETRY_SECONDS });
    },
  );

  const databaseCommits = sharedCheck(() => proveWritable(store), CHECK_TIMEOUT_MS);
  const temporalReadiness = sharedCheck(() => background.readiness(), CHECK_TIMEOUT_MS);
  app.get(
    '/readyz',
    {
      schema: {
        operationId: 'ready',
        summary: 'Check that the database is writable and Temporal is reachable',
        security: [],
        response: { 200: Healthy, ...problemResponses('anyone') },
      },
    },
    async (request) => {
      const answers = await Promise.all([
        databaseCommits().then((commits) => (commits === true ? [] : [DATABASE_FAULT])),
        temporalReadiness().then((found) => found ?? [TEMPORAL_FAULT]),
      ]);
      const faults = [...(app.shutdown.begun ? [STOPPING_FAULT] : []), ...answers.flat()];
      if (faults.length === 0) return { status: 'ok' as const };
      request.log.warn({ faults }, 'not ready');
      throw new ProblemError('unavailable', `Not ready: ${faults.join(', ')}.`, { retryAfterSeconds: RETRY_SECONDS });
    },
  );
}
