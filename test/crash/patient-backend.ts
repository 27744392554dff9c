import { setTimeout as delay } from 'node:timers/promises';
import { createApiClient, type ApiAddress } from '../../src/cli/api-client.ts';
import { CommandError } from '../../src/cli/command-error.ts';
import type { OnboardingView } from '../../src/client/onboarding/onboarding-view.ts';
import type { OnboardTenantInput } from '../../src/onboarding/input.ts';

/** The backend of a SaaS product that retries every call until it has an answer. Every call rejects when the signal aborts. */
export interface PatientBackend {
  start(input: OnboardTenantInput): Promise<OnboardingView>;
  view(tenantId: string): Promise<OnboardingView>;
  cancel(tenantId: string): Promise<OnboardingView>;
  /** How often which answer, or none, made it call again. */
  readonly retriedAfter: ReadonlyMap<string, number>;
}

const RETRY_PAUSE_MS = 1_000;

/** Answers that calling again would not change: the test fails on them. */
const finalCodes = new Set([
  ...['invalid_api_key', 'not_found', 'onboarding_differs', 'validation_failed', 'malformed_request', 'malformed_json'],
]);

export function createPatientBackend(address: ApiAddress, signal: AbortSignal): PatientBackend {
  const api = createApiClient(address);
  const retriedAfter = new Map<string, number>();

  async function patiently<Answer>(call: () => Promise<Answer>): Promise<Answer> {
    for (;;) {
      signal.throwIfAborted();
      try {
        return await call();
      } catch (error) {
        const code = error instanceof CommandError ? (error.code ?? 'no answer') : 'no answer';
        if (finalCodes.has(code)) throw error;
        retriedAfter.set(code, (retriedAfter.get(code) ?? 0) + 1);
      }
      await delay(RETRY_PAUSE_MS, undefined, { signal });
    }
  }

  return {
    start: async (input) => (await patiently(() => api.put(input))).view,
    view: (tenantId) => patiently(() => api.get(tenantId)),
    cancel: (tenantId) => patiently(() => api.cancel(tenantId)),
    retriedAfter,
  };
}
