import type { FastifyInstance } from 'fastify';
import { BATCH_PRODUCERS_MAX } from '../../agents-md/batch.ts';
import { type CheckInput, checkInputProblems } from '../../agents-md/check-input.ts';
import type { AgentsMdBatches } from '../../client/agents-md/check-batches.ts';
import { Problem } from '../problems.ts';
import { type FieldProblem, inAddress, notAmong, objectBody, refuseInvalid } from './refuse-invalid.ts';

/** Not `.` or `..`, which vanish from the path of a URL. */
const BATCH_ID = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,64}$/;

interface Batch {
  Params: { batchId: string };
}

export function agentsMdBatchRoutes(app: FastifyInstance, { batches }: { readonly batches: AgentsMdBatches }): void {
  /** 201 started; 200 the same is there, running or completed; 409 another list has this id; 422 every problem by its index. */
  app.put<Batch>('/agents-md-batches/:batchId', async (request, reply) => {
    const { batchId } = request.params;
    const start = await batches.start(batchId, readProducers(batchId, request.body));
    if (start.kind === 'different') {
      throw new Problem('batch_differs', `${start.workflowId} was started with another list of producers`);
    }
    return reply.status(start.kind === 'started' ? 201 : 200).send(start.view);
  });

  /** `after`: how many entries the asker has already; the answer brings those that follow. */
  app.get<Batch & { Querystring: Readonly<Record<string, unknown>> }>(
    '/agents-md-batches/:batchId',
    async ({ params: { batchId }, query }) => {
      const after = readAfter(query);
      const view = BATCH_ID.test(batchId) ? await batches.get(batchId, after) : undefined;
      if (view !== undefined) return view;
      throw new Problem('not_found', `There is no batch ${JSON.stringify(batchId)}`);
    },
  );
}

function readProducers(batchId: string, body: unknown): CheckInput[] {
  const fields = objectBody(body, 'producers, a list of what POST /agents-md-checks takes');
  const { producers } = fields;
  const problems = [
    ...(BATCH_ID.test(batchId) ? [] : [{ field: 'batchId', problem: 'must be 1 to 64 of A-Z a-z 0-9 . _ -' }]),
    ...inAddress('batchId', fields),
    ...notAmong(['producers', 'batchId'], fields),
  ];
  const list: unknown[] = Array.isArray(producers) ? producers : [];
  if (list.length < 1 || list.length > BATCH_PRODUCERS_MAX) {
    const found = Array.isArray(producers) ? `${list.length} of them` : 'no list';
    problems.push({ field: 'producers', problem: `must be a list of 1 to ${BATCH_PRODUCERS_MAX}; found ${found}` });
  } else {
    problems.push(...problemsOf(list));
  }
  refuseInvalid(problems);
  return list as CheckInput[];
}

function problemsOf(list: readonly unknown[]): FieldProblem[] {
  const firstIndexes = new Map<unknown, number>();
  return list.flatMap((producer, index) => {
    const problems = checkInputProblems(producer);
    const producerId = idOf(producer);
    const firstIndex = firstIndexes.get(producerId);
    if (producerId !== undefined && firstIndex !== undefined) {
      problems.push({ field: 'producerId', problem: `is that of producers[${firstIndex}] already` });
    }
    if (firstIndex === undefined) firstIndexes.set(producerId, index);
    return problems.map(({ field, problem }) => ({
      field: `producers[${index}]${field === '' ? '' : `.${field}`}`,
      problem,
    }));
  });
}

const idOf = (producer: unknown): unknown =>
  typeof producer === 'object' && producer !== null && 'producerId' in producer ? producer.producerId : undefined;

function readAfter(query: Readonly<Record<string, unknown>>): number {
  const { after = '0' } = query;
  const isCount = typeof after === 'string' && /^\d{1,6}$/.test(after);
  refuseInvalid([
    ...notAmong(['after'], query),
    ...(isCount ? [] : [{ field: 'after', problem: 'must be how many entries you have, a number from 0' }]),
  ]);
  return Number(after);
}
