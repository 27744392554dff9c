import { type CheckInput, checkInputFaults } from '../../../agents-md/check-input.ts';
import type { AgentsMdBatches } from '../../../client/agents-md/check-batches.ts';
import type { HttpApp } from '../../../lib/http/create-http-app.ts';
import { ProblemError } from '../../../lib/http/problem.ts';
import { queryNumber } from '../../../lib/http/query-number.ts';
import { type FieldFault, throwFieldErrors } from '../../throw-field-errors.ts';
import { AfterQuery, BatchParams, BatchRequest, BatchViewSchema } from '../../schemas/agents-md.ts';
import { problemResponses } from '../../schemas/problem-responses.ts';

/** Not `.` or `..`, which URL normalization removes. */
const BATCH_ID = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,64}$/;

const view = BatchViewSchema.ref;

export function agentsMdBatchRoutes(app: HttpApp, batches: AgentsMdBatches): void {
  app.put(
    '/agents-md-batches/:batchId',
    {
      schema: {
        operationId: 'startBatch',
        summary: 'Check many producers',
        description: '201: started. 200: a batch with this id and the same list exists, running or completed.',
        params: BatchParams,
        body: BatchRequest,
        response: { 200: view, 201: view, ...problemResponses('withBody', 'batch_differs', 'agents_md_off') },
      },
    },
    async ({ params: { batchId }, body: { producers } }, reply) => {
      const idFault = { field: 'batchId', problem: 'must be 1 to 64 of A-Z a-z 0-9 . _ -' };
      throwFieldErrors([...(BATCH_ID.test(batchId) ? [] : [idFault]), ...faultsOf(producers)]);
      const start = await batches.start(batchId, producers);
      if (start.kind === 'different') {
        const detail = `${start.workflowId} was started with another list of producers. Use a new batch ID.`;
        throw new ProblemError('batch_differs', detail);
      }
      reply.status(start.kind === 'started' ? 201 : 200);
      return start.view;
    },
  );

  app.get(
    '/agents-md-batches/:batchId',
    {
      schema: {
        operationId: 'getBatch',
        summary: 'The progress of a batch, with at most 1,000 entries after those the caller has',
        params: BatchParams,
        querystring: AfterQuery,
        response: { 200: view, ...problemResponses('withoutBody', 'not_found', 'validation_failed', 'agents_md_off') },
      },
      preValidation: queryNumber('after'),
    },
    async ({ params: { batchId }, query: { after = 0 } }) => {
      const batch = BATCH_ID.test(batchId) ? await batches.get(batchId, after) : undefined;
      if (batch !== undefined) return batch;
      throw new ProblemError('not_found', `Batch ${JSON.stringify(batchId)} does not exist.`);
    },
  );
}

function faultsOf(producers: readonly CheckInput[]): FieldFault[] {
  const firstIndexes = new Map<string, number>();
  return producers.flatMap((producer, index) => {
    const faults: FieldFault[] = checkInputFaults(producer);
    const firstIndex = firstIndexes.get(producer.producerId);
    if (firstIndex !== undefined) {
      faults.push({ field: 'producerId', problem: `repeats producers[${firstIndex}]` });
    } else {
      firstIndexes.set(producer.producerId, index);
    }
    return faults.map(({ field, problem }) => ({ field: `producers[${index}].${field}`, problem }));
  });
}
