import { Exit } from '../../onboarding/failures.ts';
import {
  type OnboardingOutcome,
  onboardingOutcomes,
  type OnboardingRecord,
} from '../../onboarding/onboarding-record.ts';
import { counter } from '../../lib/metrics/metrics.ts';

interface EndLabels extends Readonly<Record<string, string>> {
  readonly outcome: Exclude<OnboardingOutcome, 'running'>;
  readonly exit: Exit | 'none';
}

const ends = counter<EndLabels>('sendoff_onboarding_ends', 'Onboardings whose end this process has recorded.', [
  ...onboardingOutcomes
    .filter((outcome) => outcome !== 'running')
    .map((outcome) => ({ outcome, exit: 'none' }) as const),
  ...Object.values(Exit).map((exit) => ({ outcome: 'failed', exit }) as const),
]);

export function countEnd({ outcome, failure }: Pick<OnboardingRecord, 'outcome' | 'failure'>): void {
  if (outcome !== 'running') ends.add({ outcome, exit: failure?.details.exit ?? 'none' });
}
