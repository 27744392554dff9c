import { ProblemError } from '../lib/http/problem.ts';

export function noOnboarding(tenantId: string): never {
  throw new ProblemError('not_found', `Tenant ${JSON.stringify(tenantId)} has no onboarding.`);
}
