import { type Static, Type } from 'typebox';
import { checkInputFaults } from '../../../agents-md/check-input.ts';
import type { AgentsMdSchedules, ScheduleInput } from '../../../client/agents-md/check-schedules.ts';
import { periodMs } from '../../../client/agents-md/period.ts';
import { DURATION_FORMS } from '../../../lib/duration.ts';
import type { HttpApp } from '../../../lib/http/create-http-app.ts';
import { ProblemError, refusal } from '../../../lib/http/problem.ts';
import { queryNumber } from '../../../lib/http/query-number.ts';
import { throwFieldErrors } from '../../throw-field-errors.ts';
import {
  NoteRequest,
  PageQuery,
  ProducerParams,
  SchedulePageSchema,
  ScheduleRequest,
  ScheduleSetSchema,
  ScheduleViewSchema,
} from '../../schemas/agents-md.ts';
import { problemResponses } from '../../schemas/problem-responses.ts';

const EVERY_MS_MIN = 3_600_000;
const EVERY_MS_MAX = 365 * 86_400_000;
const PAGE_LIMIT_DEFAULT = 20;

const view = ScheduleViewSchema.ref;

export function agentsMdScheduleRoutes(app: HttpApp, schedules: AgentsMdSchedules): void {
  app.put(
    '/agents-md-schedules/:producerId',
    {
      schema: {
        operationId: 'putSchedule',
        summary: "Create or change the Schedule of a producer's checks",
        description:
          '201: created, and its first run has started. 200: it existed; `changed` names what had another value.',
        params: ProducerParams,
        body: ScheduleRequest,
        response: {
          200: ScheduleSetSchema,
          201: ScheduleSetSchema,
          ...problemResponses('withBody', 'agents_md_off'),
        },
      },
    },
    async ({ params, body }, reply) => {
      const { created, changed, view: schedule } = await schedules.put(readSchedule(params.producerId, body));
      reply.status(created ? 201 : 200);
      return { ...schedule, changed };
    },
  );

  app.get(
    '/agents-md-schedules/:producerId',
    {
      schema: {
        operationId: 'getSchedule',
        summary: 'The Schedule of a producer',
        params: ProducerParams,
        response: { 200: view, ...problemResponses('withoutBody', 'not_found', 'agents_md_off') },
      },
    },
    async ({ params: { producerId } }) => found(producerId, (id) => schedules.get(id)),
  );

  app.get(
    '/agents-md-schedules',
    {
      schema: {
        operationId: 'listSchedules',
        summary: 'All Schedules, a page at a time',
        querystring: PageQuery,
        response: { 200: SchedulePageSchema, ...problemResponses('withoutBody', 'validation_failed', 'agents_md_off') },
      },
      preValidation: queryNumber('limit'),
    },
    async ({ query: { limit = PAGE_LIMIT_DEFAULT, cursor } }) => {
      const page = await schedules.list({ limit, cursor });
      if (page !== undefined) return page;
      const detail = 'cursor must be the nextCursor of a page of this list.';
      throw refusal([{ pointer: '/cursor', code: 'malformed', detail }]);
    },
  );

  app.delete(
    '/agents-md-schedules/:producerId',
    {
      schema: {
        operationId: 'deleteSchedule',
        summary: 'Delete the Schedule of a producer; a running check continues',
        params: ProducerParams,
        response: {
          204: Type.Null({ description: 'Deleted.' }),
          ...problemResponses('withoutBody', 'not_found', 'agents_md_off'),
        },
      },
    },
    async ({ params: { producerId } }, reply) => {
      await found(producerId, async (id) => ((await schedules.delete(id)) ? true : undefined));
      reply.status(204);
      return null;
    },
  );

  for (const action of ['pause', 'resume'] as const) {
    app.post(
      `/agents-md-schedules/:producerId/${action}`,
      {
        schema: {
          operationId: `${action}Schedule`,
          summary: `${action === 'pause' ? 'Pause' : 'Resume'} the Schedule of a producer`,
          params: ProducerParams,
          body: NoteRequest,
          response: { 200: view, ...problemResponses('withBody', 'not_found', 'agents_md_off') },
        },
      },
      async ({ params: { producerId }, body }) => found(producerId, (id) => schedules[action](id, body?.note)),
    );
  }

  app.post(
    '/agents-md-schedules/:producerId/trigger',
    {
      schema: {
        operationId: 'triggerSchedule',
        summary: 'Start a run now, even if the Schedule is paused, unless one is running',
        params: ProducerParams,
        response: { 202: view, ...problemResponses('withoutBody', 'not_found', 'agents_md_off') },
      },
    },
    async ({ params: { producerId } }, reply) => {
      reply.status(202);
      return found(producerId, (id) => schedules.trigger(id));
    },
  );
}

/** Answers 404 if the producer has no Schedule. */
async function found<T>(producerId: string, call: (producerId: string) => Promise<T | undefined>): Promise<T> {
  const answer = checkInputFaults({ producerId }).length > 0 ? undefined : await call(producerId);
  if (answer !== undefined) return answer;
  throw new ProblemError('not_found', `Producer ${JSON.stringify(producerId)} has no Schedule.`);
}

function readSchedule(producerId: string, { every, ...rest }: Static<typeof ScheduleRequest>): ScheduleInput {
  const input = { ...rest, producerId };
  const everyMs = periodMs(every) ?? 0;
  const isPeriod = everyMs >= EVERY_MS_MIN && everyMs <= EVERY_MS_MAX;
  const found = JSON.stringify(every).slice(0, 80);
  const problem = `must be a duration from 1h to 365d, written as ${DURATION_FORMS}; found ${found}`;
  throwFieldErrors([...checkInputFaults(input), ...(isPeriod ? [] : [{ field: 'every', problem }])]);
  return { ...input, everyMs };
}
