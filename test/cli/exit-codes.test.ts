import { expect, test } from 'vitest';
import { ExitCode, onboardingExitCode, onboardingExitCodes } from '../../src/cli/exit-codes.ts';
import type { OnboardingFailure } from '../../src/onboarding/failures.ts';

test('no two ends share a code, and none is that of a command that could not be carried out', () => {
  const codes = [...Object.values(ExitCode), ...Object.values(onboardingExitCodes)];
  expect(new Set(codes).size).toBe(codes.length);
});

test.each([
  ['running', null, 0],
  ['onboarded', null, 0],
  ['failed', 'EmailBounced', 12],
  // Failed by something else than its own code.
  ['failed', null, 1],
  ['cancelled', null, 17],
  ['terminated', null, 18],
] as const)('%s with %s ends with %i', (outcome, type, code) => {
  const failure = type === null ? null : ({ type } as OnboardingFailure);
  expect(onboardingExitCode({ outcome, failure })).toBe(code);
});
