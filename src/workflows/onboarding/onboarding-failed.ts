import type { FailureBeforeUndo } from '../../onboarding/failures.ts';

/** An expected failure; `failWith` undoes and reports it. */
export class OnboardingFailed extends Error {
  override readonly name = 'OnboardingFailed';
  readonly failure: FailureBeforeUndo;
  constructor(failure: FailureBeforeUndo) {
    super(failure.message);
    this.failure = failure;
  }
}
