import { expect, test } from 'vitest';
import {
  agentsMdExitCodes,
  checkExitCode,
  checkNowExitCodes,
  errorExitCode,
  ExitCode,
  onboardingExitCode,
  onboardingExitCodes,
} from '../../src/cli/exit-codes.ts';
import type { OnboardingFailure } from '../../src/onboarding/failures.ts';

test('outcomes have different codes, and none is that of a failed command', () => {
  const { verified: _, failed: __, ...ofChecks } = checkNowExitCodes;
  const codes = [ExitCode, onboardingExitCodes, ofChecks].flatMap((each) => Object.values<number>(each));
  expect(new Set(codes).size).toBe(codes.length);
});

test.each([
  ['running', null, 0],
  ['onboarded', null, 0],
  ['failed', 'EmailBounced', 12],
  // Failed by something other than the Workflow code.
  ['failed', null, 1],
  ['cancelled', null, 17],
  ['terminated', null, 18],
] as const)('%s with %s ends with %i', (outcome, type, code) => {
  const failure = type === null ? null : ({ type } as OnboardingFailure);
  expect(onboardingExitCode({ outcome, failure })).toBe(code);
});

test.each([
  ['conclusive', 'pass', 0],
  ['conclusive', 'partial', 1],
  ['conclusive', 'fail', 2],
  ['inconclusive', null, 3],
  // Terminated.
  [null, null, 4],
] as const)('a check that is %s with %s ends with %i', (status, outcome, code) => {
  expect(checkExitCode({ status, outcome })).toBe(code);
});

test('errors of agents-md have a code different from its outcomes; other commands keep theirs', () => {
  const { notCarriedOut, ...outcomes } = agentsMdExitCodes;
  for (const kind of ['failed', 'usage'] as const) {
    expect(errorExitCode('agents-md', kind)).toBe(notCarriedOut);
    expect(Object.values(outcomes)).not.toContain(errorExitCode('agents-md', kind));
    expect(errorExitCode('status', kind)).toBe(ExitCode[kind]);
    expect(errorExitCode(undefined, kind)).toBe(ExitCode[kind]);
  }
});
