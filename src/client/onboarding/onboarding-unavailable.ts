/** Temporal cannot say now what a request about an onboarding needs; the caller tries again. The message is a sentence. */
export class OnboardingUnavailable extends Error {
  override readonly name = 'OnboardingUnavailable';
}
