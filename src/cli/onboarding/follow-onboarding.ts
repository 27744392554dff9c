import type { ListrTask } from 'listr2';
import type { OnboardingView } from '../../client/onboarding/onboarding-view.ts';
import { endStages, isAfter, Stage, stageBeforeEnd } from '../../onboarding/stage.ts';
import { goesWithout } from '../../onboarding/onboarding.ts';
import { steps } from '../../onboarding/steps.ts';
import type { ApiClient } from '../api-client.ts';
import { createFollower, type Watch } from '../follow.ts';
import { runTasks, ShownEnd, showOnce } from '../progress-list.ts';
import { withoutUncheckedAdvice } from '../../onboarding/without-unchecked-advice.ts';
import { recordsToPublish } from './show-onboarding.ts';

/**
 * Shows each stage until the onboarding has ended, its undo included. Resolves with the view of that end.
 *
 * @param signal ends the following, not the onboarding: its reason is thrown
 */
export async function followOnboarding(
  api: Pick<ApiClient, 'get'>,
  started: OnboardingView,
  signal: AbortSignal,
): Promise<OnboardingView> {
  const startedAt = Date.now();
  let view = started;
  let report = reportOnStderr;
  const next = follower(api, view, {
    report: (text) => {
      report(text);
    },
    signal,
  });
  const tasks = steps.map((row): ListrTask => ({
    title: row.title,
    enabled: () => !signal.aborted,
    rendererOptions: { persistentOutput: row.stage === Stage.awaitingDomain, outputBar: Infinity },
    task: async (_context, task) => {
      const { stage } = row;
      report = showOnce((text) => (task.output = text));
      try {
        while (!isPast(view, stage)) {
          if (stage === Stage.awaitingDomain) report(toPublish(view));
          report(attempts(view));
          view = await next();
        }
      } catch (error) {
        if (!signal.aborted) throw error;
        task.skip('No longer followed; the onboarding continues');
        return;
      } finally {
        report = reportOnStderr;
      }
      const end = endedIn(view);
      // Back in the domain wait, whose own task has ended, the next one shows the end.
      if (end !== undefined && !isAfter(end, stage)) {
        const { failure, onboarding, outcome } = view;
        throw new ShownEnd(failure?.message ?? onboarding.badEnd?.message ?? `the onboarding was ${outcome}`);
      }
      if (goesWithout(view.onboarding, row)) task.skip('The onboarding began before this step was added');
    },
  }));
  await runTasks(tasks);
  while (view.outcome === 'running') view = await next();
  process.stderr.write(`Took ${((Date.now() - startedAt) / 1_000).toFixed(1)} s\n`);
  return view;
}

/** Resolves with the view of the end, its undo included. */
export async function untilOver(
  api: Pick<ApiClient, 'get'>,
  view: OnboardingView,
  signal: AbortSignal,
): Promise<OnboardingView> {
  const next = follower(api, view, { report: reportOnStderr, signal });
  while (view.outcome === 'running') view = await next();
  return view;
}

const reportOnStderr = (text: string): void => void process.stderr.write(`${text}\n`);

const follower = (api: Pick<ApiClient, 'get'>, { tenantId }: OnboardingView, watch: Watch) =>
  createFollower<OnboardingView>(
    {
      what: 'the onboarding',
      get: () => api.get(tenantId),
      isAnswered: ({ temporal }) => temporal.workers === 'polling',
    },
    watch,
  );

function isPast(view: OnboardingView, stage: Stage): boolean {
  if (view.outcome !== 'running' || view.onboarding.badEnd !== null) return true;
  if (endStages.includes(view.onboarding.stage)) return false;
  return view.onboarding.stage !== stage && view.onboarding.stages.some((visit) => isAfter(visit.stage, stage));
}

/** The stage in which an onboarding failed or was cancelled; undefined while that is open or when it succeeded. */
function endedIn(view: OnboardingView): Stage | undefined {
  if (view.outcome === 'onboarded' || (view.outcome === 'running' && view.onboarding.badEnd === null)) return undefined;
  if (view.failure !== null) return view.failure.details.stage;
  return stageBeforeEnd(view.onboarding.stages);
}

export function toPublish(view: OnboardingView): string {
  const { verificationDeadline } = view.onboarding;
  const records = withoutUncheckedAdvice(view.onboarding.records);
  if (records.length === 0) return '';
  return `DNS records for the tenant to publish until ${verificationDeadline ?? 'the deadline'}:\n${recordsToPublish(records)}`;
}

const attempts = (view: OnboardingView): string =>
  view.waitingFor
    .filter(({ message }) => message !== null)
    .map(({ attempt, message }) => `Attempt ${attempt - 1}: ${message ?? ''}`)
    .join('\n');
