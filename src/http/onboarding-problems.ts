import { isPublicSuffix } from '../dns/public-suffix.ts';
import { type InputProblem, inputProblems } from '../onboarding/input.ts';

/**
 * Every reason to refuse an onboarding before it starts. Beside the rules that the Workflow repeats, those whose data
 * changes over time: in a Workflow they would break the replay of what was started before.
 */
export function onboardingProblems(input: Record<string, unknown>): InputProblem[] {
  const problems = inputProblems(input);
  const { domain } = input;
  if (typeof domain !== 'string' || problems.some(({ field }) => field === 'domain') || !isPublicSuffix(domain)) {
    return problems;
  }
  const problem = `must be a domain that its owner registered, such as acme.${domain}; found the public suffix ${JSON.stringify(domain)}`;
  return [...problems, { field: 'domain', problem }];
}
