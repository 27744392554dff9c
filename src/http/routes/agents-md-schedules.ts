import type { FastifyInstance } from 'fastify';
import { type CheckInput, checkInputProblems } from '../../agents-md/check-input.ts';
import type { AgentsMdSchedules, ScheduleInput, ScheduleView } from '../../client/agents-md/check-schedules.ts';
import { DURATION_FORMS } from '../../lib/duration.ts';
import { periodMs } from '../../client/agents-md/period.ts';
import { Problem } from '../problems.ts';
import { type FieldProblem, inAddress, notAmong, objectBody, refuseInvalid } from './refuse-invalid.ts';

const EVERY_MS_MIN = 3_600_000;
const EVERY_MS_MAX = 365 * 86_400_000;
const PAGE_LIMIT_DEFAULT = 20;
const PAGE_LIMIT_MAX = 100;
/** As many as the Temporal UI shows on a line or two. */
const NOTE_CHARACTERS_MAX = 400;

const noCursor: FieldProblem = { field: 'cursor', problem: 'must be the nextCursor of a page of this list' };

interface Producer {
  Params: { producerId: string };
}

export function agentsMdScheduleRoutes(
  app: FastifyInstance,
  { schedules }: { readonly schedules: AgentsMdSchedules },
): void {
  /** 201 created, and its first run has started; 200 it was there, `changed` names what it had otherwise; 422. */
  app.put<Producer>('/agents-md-schedules/:producerId', async (request, reply) => {
    const { created, changed, view } = await schedules.put(readInput(request.params.producerId, request.body));
    return reply.status(created ? 201 : 200).send({ ...view, changed });
  });

  app.get<Producer>('/agents-md-schedules/:producerId', async ({ params }) =>
    of(params, (producerId) => schedules.get(producerId)),
  );

  app.get<{ Querystring: Readonly<Record<string, unknown>> }>('/agents-md-schedules', async ({ query }) => {
    const page = await schedules.list(readPage(query));
    if (page === undefined) refuseInvalid([noCursor]);
    return page;
  });

  app.delete<Producer>('/agents-md-schedules/:producerId', async ({ params }, reply) => {
    await of(params, async (producerId) => ((await schedules.delete(producerId)) ? true : undefined));
    return reply.status(204).send();
  });

  app.post<Producer>('/agents-md-schedules/:producerId/pause', async ({ params, body }) => {
    const note = readNote(body);
    return of(params, (producerId) => schedules.pause(producerId, note));
  });

  app.post<Producer>('/agents-md-schedules/:producerId/resume', async ({ params, body }) => {
    const note = readNote(body);
    return of(params, (producerId) => schedules.resume(producerId, note));
  });

  /** 202: a run starts, also of one that is paused; none when one is under way. */
  app.post<Producer>('/agents-md-schedules/:producerId/trigger', async ({ params }, reply) =>
    reply.status(202).send(await of(params, (producerId) => schedules.trigger(producerId))),
  );
}

/** Of a producer's Schedule; 404 when there is none. */
async function of<T extends ScheduleView | true>(
  { producerId }: Producer['Params'],
  call: (producerId: string) => Promise<T | undefined>,
): Promise<T> {
  const answer = checkInputProblems({ producerId }).length > 0 ? undefined : await call(producerId);
  if (answer !== undefined) return answer;
  throw new Problem('not_found', `There is no Schedule of producer ${JSON.stringify(producerId)}`);
}

function readInput(producerId: string, body: unknown): ScheduleInput {
  const { every, ...rest } = objectBody(
    body,
    'every, and organization, primaryRepository and host when they are known',
  );
  const input = { ...rest, producerId };
  const everyMs = typeof every === 'string' ? periodMs(every) : undefined;
  const isPeriod = everyMs !== undefined && everyMs >= EVERY_MS_MIN && everyMs <= EVERY_MS_MAX;
  const found = every === undefined ? 'nothing' : JSON.stringify(every).slice(0, 80);
  refuseInvalid([
    ...inAddress('producerId', rest),
    ...checkInputProblems(input),
    ...(isPeriod
      ? []
      : [
          {
            field: 'every',
            problem: `must be a duration from 1h to 365d, written as ${DURATION_FORMS}; found ${found}`,
          },
        ]),
  ]);
  return { ...(input as CheckInput), everyMs: everyMs ?? EVERY_MS_MIN };
}

function readPage(query: Readonly<Record<string, unknown>>): { limit: number; cursor: string | undefined } {
  const { limit = String(PAGE_LIMIT_DEFAULT), cursor } = query;
  const problems: FieldProblem[] = notAmong(['limit', 'cursor'], query);
  if (typeof limit !== 'string' || !/^\d{1,3}$/.test(limit) || Number(limit) < 1 || Number(limit) > PAGE_LIMIT_MAX) {
    problems.push({ field: 'limit', problem: `must be a number from 1 to ${PAGE_LIMIT_MAX}` });
  }
  if (cursor !== undefined && (typeof cursor !== 'string' || !/^[A-Za-z0-9_-]{1,4000}$/.test(cursor))) {
    problems.push(noCursor);
  }
  refuseInvalid(problems);
  return { limit: Number(limit), cursor: cursor as string | undefined };
}

function readNote(body: unknown): string | undefined {
  if (body === undefined || body === null) return undefined;
  const fields = objectBody(body, 'note, or no body');
  const { note } = fields;
  const isNote = typeof note === 'string' && note.trim() !== '' && note.length <= NOTE_CHARACTERS_MAX;
  refuseInvalid([
    ...notAmong(['note'], fields),
    ...(note === undefined || isNote
      ? []
      : [{ field: 'note', problem: `must be 1 to ${NOTE_CHARACTERS_MAX} characters of text` }]),
  ]);
  return note as string | undefined;
}
