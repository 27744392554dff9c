import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { followOnboarding } from '../../../src/cli/onboarding/follow-onboarding.ts';
import type { OnboardingView } from '../../../src/client/onboarding/onboarding-view.ts';
import { Stage } from '../../../src/onboarding/stage.ts';
import { AT, waitingView } from './views.ts';

let shown = '';
beforeEach(() => {
  shown = '';
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    shown += String(text);
    return true;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
});

function viewIn(stages: readonly Stage[], changes: Partial<OnboardingView> = {}): OnboardingView {
  const stage = stages.at(-1)!;
  return waitingView({ ...changes, stage }, { stage, stages: stages.map((visited) => ({ stage: visited, at: AT })) });
}

/** Follows onboardings with these views, and returns what the list says of their steps. */
async function follow(...views: OnboardingView[]): Promise<string[]> {
  const get = () => Promise.resolve(views.length > 1 ? views.shift()! : views[0]!);
  await followOnboarding({ get }, await get(), new AbortController().signal);
  return shown.split('\n').filter((line) => /^[✔✖❯]/.test(line));
}

const begun = [Stage.issuingKey, Stage.registeringWebhook, Stage.registeringDomain, Stage.awaitingDomain] as const;

test('a step whose refusal resumes the domain wait is not shown as done, nor those after it', async () => {
  const refused = [...begun, Stage.creatingSender, Stage.awaitingDomain];
  const failure = {
    type: 'DomainVerificationTimedOut',
    message: 'acme.test was not verified within 72 hours.',
    details: { stage: Stage.awaitingDomain, exit: 'F1', undo: [] },
  } as unknown as OnboardingView['failure'];
  const lines = await follow(
    viewIn([...begun, Stage.creatingSender]),
    viewIn(refused),
    viewIn([...refused, Stage.undoing, Stage.done], { outcome: 'failed', failure }),
  );
  expect(lines.slice(-2)).toEqual([
    '❯ Create a sender',
    expect.stringMatching(/^✖ Create a sender \[FAILED: acme.test was not verified within 72 hours\.\]/),
  ]);
});

test('a step that the onboarding goes without is skipped', async () => {
  const stages = [Stage.issuingKey, ...begun.slice(2), Stage.creatingSender, Stage.sendingFirstEmail];
  const { onboarding, ...onboarded } = viewIn([...stages, Stage.awaitingDelivery, Stage.done], {
    outcome: 'onboarded',
  });
  await follow({ ...onboarded, onboarding: { ...onboarding, withoutSteps: ['registerWebhook'] } });
  expect(shown).toContain('↓ Register a webhook [SKIPPED: The onboarding began before this step was added]');
  expect(shown.match(/^✔/gm)).toHaveLength(6);
  expect(shown).not.toContain('✔ Register a webhook');
});
