import { request } from 'undici';
import type { OnboardingView } from '../http/onboardings.ts';
import type { OnboardTenantInput } from '../onboarding/input.ts';
import { CommandError } from './command-error.ts';

const TIMEOUT_MS = 15_000;

export interface ApiAddress {
  /** Without a slash at its end. */
  readonly url: string;
  readonly apiToken: string;
}

export interface ApiClient {
  /** `started` false: the same onboarding was there already. Throws CommandError, with the differing fields on a conflict. */
  put(input: OnboardTenantInput): Promise<{ started: boolean; view: OnboardingView }>;
  /** Throws CommandError when the tenant has no onboarding. */
  get(tenantId: string): Promise<OnboardingView>;
  /** Asks it to stop; the view may still say `running`. Throws CommandError when the tenant has no onboarding. */
  cancel(tenantId: string): Promise<OnboardingView>;
}

/** The orchestrator's HTTP API as the command line uses it, the same way as a backend does. */
export function createApiClient({ url, apiToken }: ApiAddress): ApiClient {
  const call = async (method: 'GET' | 'PUT' | 'POST', tenantId: string, body?: object, action = '') => {
    const answer = await request(`${url}/onboardings/${encodeURIComponent(tenantId)}${action}`, {
      method,
      headers: {
        authorization: `Bearer ${apiToken}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : 'unknown error';
      throw new CommandError(
        `sendoff cannot be reached at ${url} (${reason}). Is it running? Start it with: npx sendoff dev`,
      );
    });
    const content = (await answer.body.json().catch(() => ({}))) as OnboardingView | { code?: string; detail?: string };
    if (answer.statusCode >= 400) {
      const { code, detail } = content as { code?: string; detail?: string };
      throw new CommandError(`${code ?? `status ${answer.statusCode}`}: ${detail ?? 'no details'}`, { code });
    }
    return { statusCode: answer.statusCode, view: content as OnboardingView };
  };
  return {
    async put({ tenantId, ...body }) {
      const { statusCode, view } = await call('PUT', tenantId, body);
      return { started: statusCode === 201, view };
    },
    get: async (tenantId) => (await call('GET', tenantId)).view,
    cancel: async (tenantId) => (await call('POST', tenantId, undefined, '/cancel')).view,
  };
}
