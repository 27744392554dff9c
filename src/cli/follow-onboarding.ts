import { Listr, type ListrTask, ListrLogger, ProcessOutput, PRESET_TIMER } from 'listr2';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OnboardingView } from '../http/onboardings.ts';
import { Stage } from '../onboarding/onboarding.ts';
import type { ApiClient } from './api-client.ts';
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
export function progressTasks(tasks: ListrTask[]): Listr {
  const output = new ProcessOutput(process.stderr as NodeJS.WriteStream, process.stderr as NodeJS.WriteStream);
  const logger = new ListrLogger({ processOutput: output });
  return new Listr(tasks, {
    concurrent: false,
    renderer: process.stderr.isTTY ? 'default' : 'simple',
    fallbackRenderer: 'simple',
    rendererOptions: { logger, timer: PRESET_TIMER, collapseErrors: false },
    fallbackRendererOptions: { logger, timer: PRESET_TIMER },
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
      let shown = '';
      while (!isPast(view, stage)) {
        const text = stage === Stage.awaitingDomain ? domainWait(view) : attempts(view);
        if (text !== shown && text !== '') task.output = shown = text;
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
  while (view.outcome === 'running') {
    await sleep(LOOK_INTERVAL_MS);
    view = await api.get(tenantId);
  }
  process.stderr.write(`Took ${((Date.now() - startedAt) / 1_000).toFixed(1)} s\n`);
  return view;
}

function isPast(view: OnboardingView, stage: Stage): boolean {
  if (view.outcome !== 'running') return true;
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

function domainWait(view: OnboardingView): string {
  const records = view.onboarding?.records ?? [];
  if (records.length === 0) return '';
  const deadline = view.onboarding?.verificationDeadline ?? 'the deadline';
  const wrong = attempts(view);
  return [`The tenant publishes until ${deadline}:`, recordsToPublish(records), ...(wrong === '' ? [] : [wrong])].join(
    '\n',
  );
}

const attempts = (view: OnboardingView): string =>
  view.waitingFor
    .filter(({ message }) => message !== null)
    .map(({ attempt, message }) => `Attempt ${attempt - 1}: ${message ?? ''}`)
    .join('\n');
