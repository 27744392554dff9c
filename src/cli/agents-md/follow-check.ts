import { type CheckInput, summaryOf } from '../../agents-md/check-input.ts';
import type { CheckView } from '../../client/agents-md/checks.ts';
import type { ApiCaller } from '../api-client.ts';
import { createFollower } from '../follow.ts';
import { printable } from '../../lib/printable.ts';
import { runTasks, ShownEnd, showOnce } from '../progress-list.ts';

export const getCheck = async (call: ApiCaller, producerId: string): Promise<CheckView> =>
  (await call((api) => api.GET('/agents-md-checks/{producerId}', { params: { path: { producerId } } }))).data;

/**
 * Shows what the check is waiting for until this run ends; resolves with the final view.
 *
 * @param signal ends the following, not the check: its reason is thrown
 */
export async function followCheck(
  call: ApiCaller,
  input: CheckInput,
  started: CheckView,
  signal: AbortSignal,
): Promise<CheckView> {
  const runId = started.running?.runId;
  let view = started;
  const followed = {
    what: 'the check',
    get: () => getCheck(call, input.producerId),
    isAnswered: ({ running }: CheckView) => running?.details !== null,
  };
  await runTasks([
    {
      title: `Check ${printable(summaryOf(input))}`,
      rendererOptions: { persistentOutput: true, outputBar: Infinity },
      task: async (_context, task) => {
        const report = showOnce((text) => (task.output = printable(text)));
        const next = createFollower(followed, { report, signal });
        try {
          while (view.running !== null && view.running.runId === runId) {
            waits(view.running).forEach(report);
            view = await next();
          }
        } catch (error) {
          if (!signal.aborted) throw error;
          task.skip('No longer followed; the check continues');
          return;
        }
        if (view.failure !== null) throw new ShownEnd(view.failure.message);
      },
    },
  ]);
  signal.throwIfAborted();
  return view;
}

/** The messages of failed attempts, otherwise the current request. */
function waits({ waitingFor, currentRequest }: NonNullable<CheckView['running']>): string[] {
  const attempts = waitingFor.flatMap(({ attempt, message }) =>
    message === null ? [] : [`Attempt ${attempt - 1}: ${message}`],
  );
  if (attempts.length > 0) return attempts;
  return currentRequest === null ? [] : [currentRequest];
}
