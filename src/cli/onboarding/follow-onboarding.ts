import { Listr, type ListrTask, ListrLogger, ProcessOutput, PRESET_TIMER } from 'listr2';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OnboardingView } from '../../client/onboardings.ts';
import { Stage } from '../../onboarding/stage.ts';
import type { ApiClient } from '../api-client.ts';
import { recordsToPublish } from './show-onboarding.ts';

/** Fast enough to look live; each look is one call to the HTTP API. */
const LOOK_INTERVAL_MS = 400;

const stages: readonly (readonly [Stage, string])[] = [
  [Stage.issuingKey, 'Create an API key'],
  [Stage.registeringWebhook, 'Register a webhook'],
  [Stage.registeringDomain, 'Register the sending domain'],
  [Stage.awaitingDomain, 'Wait until the domain is verified'],
  [Stage.creatingSender, 'Create a sender'],
  [Stage.sendingFirstEmail, 'Send the first email'],
  [Stage.awaitingDelivery, 'Wait until it is delivered'],
];

/** Progress goes to stderr: stdout belongs to the result. */
export function progressTasks(tasks: ListrTask[]): { run(): Promise<unknown> } {
  const output = new ProcessOutput(process.stderr, process.stderr);
  const logger = new ListrLogger({ processOutput: output });
  return new Listr(tasks, {
    concurrent: false,
    // Its own would end the process at once, with nothing stopped and nothing removed.
    registerSignalListeners: false,
    renderer: process.stderr.isTTY ? 'default' : 'simple',
    rendererOptions: { logger, timer: PRESET_TIMER, collapseErrors: false },
  });
}

/** Shows every stage as it goes by; resolves with what the onboarding came to, whether good or bad. */
export async function followOnboarding(api: ApiClient, tenantId: string): Promise<OnboardingView> {
  let view = await api.get(tenantId);
  const startedAt = Date.now();
  const tasks = stages.map(([stage, title]): ListrTask => ({
    title,
    rendererOptions: { persistentOutput: stage === Stage.awaitingDomain, outputBar: Infinity },
    task: async (_context, task) => {
      // Each text is shown once; the list keeps them all.
      const shown = new Set(['']);
      while (!isPast(view, stage)) {
        for (const text of stage === Stage.awaitingDomain ? [toPublish(view), attempts(view)] : [attempts(view)]) {
          if (!shown.has(text)) task.output = text;
          shown.add(text);
        }
        await sleep(LOOK_INTERVAL_MS);
        view = await api.get(tenantId);
      }
      if (endedIn(view) === stage) throw new Error(view.failure?.message ?? `the onboarding was ${view.outcome}`);
    },
  }));
  // The view says how it ended; the list has shown it already.
  await progressTasks(tasks)
    .run()
    .catch(() => undefined);
  view = await untilOver(api, view);
  process.stderr.write(`Took ${((Date.now() - startedAt) / 1_000).toFixed(1)} s\n`);
  return view;
}

/** Asks again until the onboarding has ended, its undo included. */
export async function untilOver(api: Pick<ApiClient, 'get'>, view: OnboardingView): Promise<OnboardingView> {
  while (view.outcome === 'running') {
    await sleep(LOOK_INTERVAL_MS);
    view = await api.get(view.tenantId);
  }
  return view;
}

function isPast(view: OnboardingView, stage: Stage): boolean {
  if (view.outcome !== 'running') return true;
  // On its way out: only its end tells in which stage it failed.
  if (view.onboarding?.stage === Stage.undoing || view.onboarding?.stage === Stage.done) return false;
  const visited = view.onboarding?.stages.map((visit) => visit.stage) ?? [];
  const current = view.onboarding?.stage;
  return visited.includes(stage) && current !== stage && visited.lastIndexOf(stage) < visited.length - 1;
}

/** The stage in which an onboarding failed or was cancelled; undefined while it runs or when it succeeded. */
function endedIn(view: OnboardingView): Stage | undefined {
  if (view.outcome === 'running' || view.outcome === 'onboarded') return undefined;
  if (view.failure !== null) return view.failure.details.stage;
  const ends: readonly Stage[] = [Stage.undoing, Stage.done];
  return view.onboarding?.stages.findLast((visit) => !ends.includes(visit.stage))?.stage;
}

function toPublish(view: OnboardingView): string {
  const { records = [], verificationDeadline } = view.onboarding ?? {};
  if (records.length === 0) return '';
  return `The tenant publishes until ${verificationDeadline ?? 'the deadline'}:\n${recordsToPublish(records)}`;
}

const attempts = (view: OnboardingView): string =>
  view.waitingFor
    .filter(({ message }) => message !== null)
    .map(({ attempt, message }) => `Attempt ${attempt - 1}: ${message ?? ''}`)
    .join('\n');
