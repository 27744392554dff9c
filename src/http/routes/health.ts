import { Type } from 'typebox';
import type { HttpApp } from '../../lib/http/create-http-app.ts';
import { sharedCheck } from '../../lib/http/shared-check.ts';
import { ProblemError, responsesOf } from '../../lib/http/problem.ts';
import { SETUP_COMMAND, type SetupGap } from '../../lib/temporal/setup/setup-gap.ts';
import type { HttpDependencies } from '../dependencies.ts';
import { described, words } from '../schemas/shared-schema.ts';

/** Probes time out after a second or a few, and need an answer before that. */
const CHECK_TIMEOUT_MS = 2_000;

const LOST_DETAIL = 'Temporal answers, but has not seen the Workers of this process for five minutes: restart it.';

const Readiness = described('What can be used.', {
  status: words(['ok', 'unavailable']),
  temporal: words(['ok', 'unreachable', 'refused', 'not_set_up', 'incomplete']),
  database: words(['ok', 'unwritable']),
  stopping: Type.Optional(
    Type.Literal(true, {
      description:
        'This process has been asked to stop, or its Workers wait for a Namespace that can be used, and start within 15 seconds of it.',
    }),
  ),
  unseenOn: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Task Queues on which Temporal has not seen the Workers of this process for two minutes.',
    }),
  ),
  missing: Type.Optional(
    Type.Array(Type.Unknown(), {
      description:
        'What Temporal lacks. `incomplete`: the programs themselves create the Workflows and Schedules again, within half a minute. ' +
        '`refused`: the server refuses the credentials in this Namespace. With `background`, onboardings go on without it.',
    }),
  ),
  command: Type.Optional(Type.String({ description: 'What sets Temporal up.' })),
});

/** The gaps that the command of the setup closes. */
const ofSetup: readonly SetupGap['kind'][] = ['namespace', 'search_attribute'];

function stateOf(gaps: readonly SetupGap[]): 'ok' | 'refused' | 'not_set_up' | 'incomplete' {
  if (gaps.length === 0) return 'ok';
  if (gaps.some(({ kind }) => kind === 'namespace_refused')) return 'refused';
  return gaps.some(({ kind }) => ofSetup.includes(kind)) ? 'not_set_up' : 'incomplete';
}

export type HealthParts = Pick<HttpDependencies, 'findSetupGaps' | 'checkDatabase' | 'areWorkersRunning' | 'polls'>;

/** The calls that need no token. */
export function healthRoutes(
  app: HttpApp,
  { findSetupGaps, checkDatabase, areWorkersRunning = () => true, polls }: HealthParts,
): void {
  app.get(
    '/livez',
    {
      schema: {
        operationId: 'live',
        summary: 'The program runs and answers, and Temporal has seen its Workers',
        security: [],
        response: {
          200: described('Yes.', { status: Type.Literal('ok') }),
          ...responsesOf(['unavailable', 'internal_error']),
        },
      },
    },
    async () => {
      if (polls?.isLost() === true) throw new ProblemError('unavailable', LOST_DETAIL);
      return { status: 'ok' as const };
    },
  );

  const temporalGaps = sharedCheck(findSetupGaps, CHECK_TIMEOUT_MS);
  const databaseCommits = sharedCheck(checkDatabase, CHECK_TIMEOUT_MS);
  app.get(
    '/readyz',
    {
      schema: {
        operationId: 'ready',
        summary: 'Temporal and the database can be used',
        security: [],
        response: { 200: Readiness, 503: Readiness },
      },
    },
    async (_request, reply) => {
      const [gaps, commits] = await Promise.all([temporalGaps(), databaseCommits()]);
      const isStopping = app.shutdown.begun || !areWorkersRunning();
      const unseenOn = polls?.unseenOn() ?? [];
      const isUsable = gaps?.every(({ background }) => background) === true && commits === true;
      const isReady = isUsable && !isStopping && unseenOn.length === 0;
      const isSetUp = gaps?.every(({ kind }) => !ofSetup.includes(kind)) ?? true;
      return reply.status(isReady ? 200 : 503).send({
        status: isReady ? 'ok' : 'unavailable',
        temporal: gaps === undefined ? 'unreachable' : stateOf(gaps),
        database: commits === true ? 'ok' : 'unwritable',
        ...(isStopping ? { stopping: true as const } : {}),
        ...(unseenOn.length === 0 ? {} : { unseenOn: [...unseenOn] }),
        ...(gaps === undefined || gaps.length === 0 ? {} : { missing: [...gaps] }),
        ...(isSetUp ? {} : { command: SETUP_COMMAND }),
      });
    },
  );
}
