import { checkInputFaults, isProducerId } from '../../../agents-md/check-input.ts';
import type { AgentsMd } from '../../../client/agents-md/agents-md.ts';
import type { HttpApp } from '../../../lib/http/create-http-app.ts';
import { ProblemError } from '../../../lib/http/problem.ts';
import { createRequestWaits } from '../../../lib/http/request-waits.ts';
import { throwFieldErrors } from '../../throw-field-errors.ts';
import { CheckInputSchema, CheckViewSchema, PreferHeaders, ProducerParams } from '../../schemas/agents-md.ts';
import { problemResponses } from '../../schemas/problem-responses.ts';

/** As long as proxies commonly keep a request open. */
const WAIT_SECONDS_MAX = 60;

const view = CheckViewSchema.ref;

export function agentsMdCheckRoutes(app: HttpApp, { checks }: AgentsMd): void {
  const waits = createRequestWaits(app, { secondsMax: WAIT_SECONDS_MAX });

  app.post(
    '/agents-md-checks',
    {
      schema: {
        operationId: 'startCheck',
        summary: 'Check the AGENTS.md of a producer',
        description:
          '202: the check is running; a request with the same input joins it. 200: it has ended within the time that `Prefer: wait` allows.',
        headers: PreferHeaders,
        body: CheckInputSchema.ref,
        response: { 200: view, 202: view, ...problemResponses('withBody', 'check_differs', 'agents_md_off') },
      },
    },
    async (request, reply) => {
      const { body } = request;
      throwFieldErrors(checkInputFaults(body));
      const { producerId } = body;
      const start = await checks.start(body);
      if (start.kind === 'different') {
        const { fields } = start;
        const detail = `${start.run.workflowId} is running with another input; it differs in ${fields.join(', ')}.`;
        throw new ProblemError('check_differs', detail, { fields });
      }
      const hasEnded = await waits(
        request,
        reply,
        async (signal, seconds) => seconds > 0 && checks.untilEnded(start.run, signal),
      );
      reply.status(hasEnded ? 200 : 202).header('location', `/agents-md-checks/${encodeURIComponent(producerId)}`);
      return (await checks.get(producerId, { withDetails: false })) ?? noCheck(producerId);
    },
  );

  app.get(
    '/agents-md-checks/:producerId',
    {
      schema: {
        operationId: 'getCheck',
        summary: 'The running check of a producer and the latest result',
        params: ProducerParams,
        response: { 200: view, ...problemResponses('withoutBody', 'not_found', 'agents_md_off') },
      },
    },
    async ({ params: { producerId } }) =>
      (isProducerId(producerId) ? await checks.get(producerId) : undefined) ?? noCheck(producerId),
  );
}

function noCheck(producerId: string): never {
  throw new ProblemError('not_found', `No AGENTS.md check found for producer ${JSON.stringify(producerId)}.`);
}
