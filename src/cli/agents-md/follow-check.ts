import { setTimeout as sleep } from 'node:timers/promises';
import { type CheckInput, summaryOf } from '../../agents-md/check-input.ts';
import type { CheckView } from '../../client/agents-md/checks.ts';
import type { AgentsMdClient } from './agents-md-client.ts';
import { progressTasks } from '../onboarding/follow-onboarding.ts';
import { outlastOutage } from '../outlast-outage.ts';
import { printable } from '../printable.ts';
import { questionAsked } from './question-asked.ts';
import { SILENCE_TOLD_AFTER_MS, silenceMeter } from '../silence-meter.ts';

/** Fast enough to look live; each look is one call to the HTTP API. */
const LOOK_INTERVAL_MS = 400;

/**
 * Shows what the check waits for until the run of this view is over; resolves with what is known then.
 *
 * @param signal ends the following, not the check: its reason is thrown
 */
export async function agentsMdFollowCheck(
  client: Pick<AgentsMdClient, 'getCheck'>,
  input: CheckInput,
  started: CheckView,
  signal: AbortSignal,
): Promise<CheckView> {
  const texts = new Set<string>();
  let print: (text: string) => void = () => undefined;
  const show = (text: string): void => {
    // Each text is shown once; the list keeps them all.
    if (texts.has(text)) return;
    texts.add(text);
    print(printable(text));
  };
  const followed = untilOver(client, input.producerId, started, { report: show, signal });
  await progressTasks([
    {
      title: `Check ${printable(summaryOf(input))}`,
      rendererOptions: { persistentOutput: true, outputBar: Infinity },
      task: async (_context, task) => {
        print = (text) => (task.output = text);
        texts.forEach(print);
        try {
          const { failure } = await followed;
          if (failure !== null) throw new Error(failure.message);
        } catch (error) {
          if (!signal.aborted) throw error;
          task.skip('No longer followed; it goes on');
        }
      },
    },
  ])
    .run()
    // The list has shown it, and whoever asked gets it too.
    .catch(() => undefined);
  return followed;
}

async function untilOver(
  client: Pick<AgentsMdClient, 'getCheck'>,
  producerId: string,
  started: CheckView,
  watch: { readonly report: (text: string) => void; readonly signal: AbortSignal },
): Promise<CheckView> {
  const runId = started.running?.runId;
  const silentMs = silenceMeter();
  let view = started;
  while (view.running !== null && view.running.runId === runId) {
    waits(view.running).forEach(watch.report);
    if (silentMs(view.running.details !== null) >= SILENCE_TOLD_AFTER_MS)
      watch.report('No Worker answers just now; the check goes on when one does.');
    await sleep(LOOK_INTERVAL_MS, undefined, { signal: watch.signal });
    view = await outlastOutage(() => client.getCheck(producerId), watch);
  }
  return view;
}

/** What the last attempts said; while no attempt has failed, what the check is at. */
function waits({ waitingFor, details }: NonNullable<CheckView['running']>): string[] {
  const attempts = waitingFor.flatMap(({ attempt, message }) =>
    message === null ? [] : [`Attempt ${attempt - 1}: ${message}`],
  );
  if (attempts.length > 0) return attempts;
  const question = questionAsked(details);
  return question === undefined ? [] : [question];
}
