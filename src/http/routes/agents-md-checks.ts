import type { FastifyInstance, FastifyReply } from 'fastify';
import { type CheckInput, checkInputProblems } from '../../agents-md/check-input.ts';
import type { AgentsMdChecks, CheckRun } from '../../client/agents-md/checks.ts';
import { preferredWaitSeconds } from '../preferred-wait.ts';
import { Problem } from '../problems.ts';
import { objectBody, refuseInvalid } from './refuse-invalid.ts';

/** As long as proxies in between commonly keep a request open. */
const WAIT_SECONDS_MAX = 60;

export function agentsMdCheckRoutes(app: FastifyInstance, { checks }: { readonly checks: AgentsMdChecks }): void {
  const waits = new Set<AbortController>();
  let isClosing = false;
  app.addHook('preClose', async () => {
    isClosing = true;
    for (const wait of waits) wait.abort();
  });

  /** Not longer than whoever asked is there, nor than this server. */
  async function untilEnded(run: CheckRun, seconds: number, reply: FastifyReply): Promise<boolean> {
    const wait = new AbortController();
    reply.raw.once('close', () => {
      wait.abort();
    });
    waits.add(wait);
    try {
      return !isClosing && (await checks.untilEnded(run, seconds * 1_000, wait.signal));
    } finally {
      waits.delete(wait);
    }
  }

  /**
   * 202 it runs, perhaps because somebody else had asked already; 200 it has ended within the time of `Prefer: wait`;
   * 409 another check of the producer runs; 422 what is wrong with the input.
   */
  app.post('/agents-md-checks', async (request, reply) => {
    const input = readInput(request.body);
    const { producerId } = input;
    const start = await checks.start(input);
    if (start.kind === 'different') {
      const { workflowId } = start.run;
      const detail = `${workflowId} is under way with another input; it differs in ${start.fields.join(', ')}`;
      throw new Problem('check_differs', detail, { fields: start.fields });
    }
    const asked = preferredWaitSeconds(request.headers['prefer']);
    const seconds = Math.min(asked ?? 0, WAIT_SECONDS_MAX);
    const hasEnded = seconds > 0 && (await untilEnded(start.run, seconds, reply));
    if (asked !== undefined) reply.header('preference-applied', `wait=${seconds}`);
    return reply
      .status(hasEnded ? 200 : 202)
      .header('location', `/agents-md-checks/${encodeURIComponent(producerId)}`)
      .send(await checks.get(producerId, { withDetails: false }));
  });

  app.get<{ Params: { producerId: string } }>('/agents-md-checks/:producerId', async (request) => {
    const { producerId } = request.params;
    const isProducer = checkInputProblems({ producerId }).length === 0;
    return (isProducer ? await checks.get(producerId) : undefined) ?? nothingKnown(producerId);
  });
}

function nothingKnown(producerId: string): never {
  throw new Problem('not_found', `No check of AGENTS.md is known of producer ${JSON.stringify(producerId)}`);
}

function readInput(body: unknown): CheckInput {
  const input = objectBody(body, 'producerId, and organization, primaryRepository and host when they are known');
  refuseInvalid(checkInputProblems(input));
  return input as unknown as CheckInput;
}
