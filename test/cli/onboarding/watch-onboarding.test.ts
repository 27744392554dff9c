import { expect, test } from 'vitest';
import type { OnboardingView } from '../../../src/client/onboarding/onboarding-view.ts';
import { changeLines, watchOnboarding } from '../../../src/cli/onboarding/watch-onboarding.ts';
import { AT, DEADLINE, mistake, waitingView } from './views.ts';

const LATER = '2026-11-22T11:00:00.000Z';

/** An API that shows each view once, and the last one again and again. */
function changingApi([first, ...later]: readonly OnboardingView[]) {
  let shown = first!;
  return {
    async get() {
      const view = shown;
      shown = later.shift() ?? view;
      return view;
    },
  };
}

test('shows the first view and each with news, and ends with the outcome', async () => {
  const attention = waitingView({ needsAttention: { findings: [mistake], since: LATER }, updatedAt: LATER });
  const onboarded = waitingView({ outcome: 'onboarded', updatedAt: LATER }, { stage: 'done' });
  const seen: OnboardingView[] = [];
  const end = await watchOnboarding(
    changingApi([waitingView(), waitingView({ ageSeconds: 9, checkedAt: LATER }), attention, onboarded]),
    'acme',
    { onView: (view) => seen.push(view), report: () => undefined, signal: new AbortController().signal },
  );
  expect(end).toEqual(onboarded);
  expect(seen).toEqual([waitingView(), attention, onboarded]);
});

test('stops at an interruption', async () => {
  const stop = new AbortController();
  const watched = watchOnboarding(changingApi([waitingView()]), 'acme', {
    onView: () => {
      stop.abort(new Error('interrupted'));
    },
    report: () => undefined,
    signal: stop.signal,
  });
  await expect(watched).rejects.toMatchObject({ name: 'AbortError', cause: new Error('interrupted') });
});

test.each<[string, Partial<OnboardingView>, string]>([
  [
    'a mistake',
    { needsAttention: { findings: [mistake], since: LATER } },
    `needs attention: host_doubled at ${mistake.name}`,
  ],
  ['another deadline', { deadline: LATER }, `the verification window closes at ${LATER}`],
  [
    'a failed attempt',
    { waitingFor: [{ activity: 'createSender', attempt: 2, message: 'status 503', nextAttemptAt: AT }] },
    'status 503',
  ],
])('news is %s', (_what, changes, text) => {
  expect(changeLines(waitingView(), waitingView({ ...changes, updatedAt: LATER }))).toEqual([`${LATER}  ${text}`]);
});

test('news is each stage, and whether Temporal answers', () => {
  const { stages } = waitingView().onboarding;
  const next = waitingView({}, { stages: [...stages, { stage: 'creatingSender', at: LATER }] });
  expect(changeLines(waitingView(), next)).toEqual([`${LATER}  stage creatingSender`]);
  const away = waitingView({ temporal: { reachable: false, workers: 'unknown', checkedAt: LATER } });
  expect(changeLines(waitingView(), away)).toEqual([
    '! Temporal does not answer. This is what was recorded 3 seconds ago',
  ]);
  expect(changeLines(away, waitingView())).toEqual(['Temporal and a Worker answer again.']);
  expect(changeLines(waitingView(), waitingView({ ageSeconds: 60, checkedAt: DEADLINE, updatedAt: LATER }))).toEqual(
    [],
  );
});
