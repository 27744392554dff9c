import type { OnboardingView } from '../../client/onboarding/onboarding-view.ts';
import type { ApiClient } from '../api-client.ts';
import { createFollower } from '../follow.ts';
import { showOnce } from '../progress-list.ts';
import { presence } from './show-onboarding.ts';

export interface Watcher {
  /** Called with the first view, and with each that differs visibly from the one before. */
  readonly onView: (view: OnboardingView, before: OnboardingView | undefined) => void;
  readonly report: (text: string) => void;
  readonly signal: AbortSignal;
}

/** An onboarding is watched for days. */
const POLL_INTERVAL_MS = 1_000;

/** Watches an onboarding to its end. Resolves with the view of the end; throws after an outage of two minutes. */
export async function watchOnboarding(
  api: Pick<ApiClient, 'get'>,
  tenantId: string,
  { onView, report, signal }: Watcher,
): Promise<OnboardingView> {
  // The views themselves say whether a Worker answers.
  const followed = { what: 'the onboarding', get: () => api.get(tenantId), isAnswered: () => true };
  const next = createFollower(followed, { report: showOnce(report), signal });
  let before: OnboardingView | undefined;
  for (let view = await next(0); ; view = await next(POLL_INTERVAL_MS)) {
    if (view.outcome !== before?.outcome || changeLines(before, view).length > 0) onView(view, before);
    if (view.outcome !== 'running') return view;
    before = view;
  }
}

/** The lines of what happened from one view to the next. */
export function changeLines(before: OnboardingView, after: OnboardingView): string[] {
  const lines = after.onboarding.stages
    .slice(before.runId === after.runId ? before.onboarding.stages.length : 0)
    .map(({ stage, at }) => `${at}  stage ${stage}`);
  const at = after.updatedAt;
  if (before.deadline !== null && before.deadline !== after.deadline) {
    lines.push(`${at}  the verification window closes at ${after.deadline ?? 'an unknown time'}`);
  }
  const [causeBefore, cause] = [causes(before), causes(after)];
  if (cause !== causeBefore) {
    lines.push(
      `${at}  ${cause === '' ? "the tenant's DNS has no definite mistake any more" : `needs attention: ${cause}`}`,
    );
  }
  const [attemptBefore, attempt] = [lastAttempt(before), lastAttempt(after)];
  if (attempt !== undefined && attempt !== attemptBefore) lines.push(`${at}  ${attempt}`);
  const [stateBefore, state] = [presence({ ...before, ageSeconds: 0 }), presence({ ...after, ageSeconds: 0 })];
  if (state.join() !== stateBefore.join()) {
    lines.push(state.length > 0 ? presence(after).join('').trim() : 'Temporal and a Worker answer again.');
  }
  return lines;
}

const causes = ({ needsAttention }: OnboardingView): string =>
  needsAttention?.findings.map(({ code, name }) => `${code} at ${name}`).join(', ') ?? '';

const lastAttempt = ({ waitingFor }: OnboardingView): string | undefined =>
  waitingFor.find(({ message }) => message !== null)?.message ?? undefined;
