import { request } from 'undici';
import type { OnboardingView } from '../client/onboardings.ts';
import type { OnboardTenantInput } from '../onboarding/input.ts';
import { parseJson } from '../lib/parse-json.ts';
import { withDeadline } from '../lib/with-deadline.ts';
import { CommandError } from './command-error.ts';

const TIMEOUT_MS = 15_000;

/** Codes of a CommandError after which the same call may succeed a moment later. */
export const passingCodes: readonly (string | undefined)[] = ['api_unreachable', 'unavailable'];

export interface ApiAddress {
  /** Without a trailing slash. */
  readonly url: string;
  readonly apiToken: string;
}

export interface ApiCall {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** With a leading slash; its segments are encoded. */
  readonly path: string;
  readonly body?: object;
}

export interface ApiAnswer<Content> {
  readonly statusCode: number;
  readonly content: Content;
}

export interface ApiClient {
  /** `started` false: the same onboarding already existed. Throws CommandError; on a conflict with the differing fields. */
  put(input: OnboardTenantInput): Promise<{ started: boolean; view: OnboardingView }>;
  /** Starts another onboarding after a finished one. Throws CommandError if the tenant has none. */
  restart(input: OnboardTenantInput): Promise<{ started: boolean; view: OnboardingView }>;
  /** Throws CommandError if the tenant has no onboarding. */
  get(tenantId: string): Promise<OnboardingView>;
  /** Requests a cancellation; the view may still be `running`. Throws CommandError if the tenant has no onboarding. */
  cancel(tenantId: string): Promise<OnboardingView>;
}

/**
 * Calls the orchestrator's HTTP API, as a backend does.
 *
 * @throws CommandError if the API cannot be reached, or with code and detail of the problem that it returns (RFC 9457)
 */
export async function callApi<Content>(address: ApiAddress, call: ApiCall): Promise<ApiAnswer<Content>> {
  const { statusCode, text } = await exchange(address, call);
  const content = parseJson(text) as Content | { code?: string; detail?: string } | undefined;
  if (statusCode >= 400) {
    const { code, detail } = content ?? {};
    throw new CommandError(`${code ?? `status ${statusCode}`}: ${detail ?? 'no details'}`, { code });
  }
  if (content === undefined && statusCode !== 204) {
    throw new CommandError(`The server at ${address.url} is not the HTTP API of sendoff: its response is not JSON`, {
      code: 'unexpected_answer',
    });
  }
  return { statusCode, content: content as Content };
}

async function exchange(
  { url, apiToken }: ApiAddress,
  { method, path, body }: ApiCall,
): Promise<{ statusCode: number; text: string }> {
  try {
    return await withDeadline(TIMEOUT_MS, async (signal) => {
      const answer = await request(`${url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${apiToken}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal,
      });
      return { statusCode: answer.statusCode, text: await answer.body.text() };
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown error';
    throw new CommandError(
      `Cannot reach sendoff at ${url} (${reason}). If it is not running, start it with: npx sendoff dev`,
      { code: 'api_unreachable' },
    );
  }
}

const startAnswer = ({
  statusCode,
  content,
}: ApiAnswer<OnboardingView>): { started: boolean; view: OnboardingView } => ({
  started: statusCode === 201,
  view: content,
});

/** The onboardings of the HTTP API. */
export function createApiClient(address: ApiAddress): ApiClient {
  const call = async (method: ApiCall['method'], tenantId: string, body?: object, action = '') =>
    callApi<OnboardingView>(address, {
      method,
      path: `/onboardings/${encodeURIComponent(tenantId)}${action}`,
      ...(body === undefined ? {} : { body }),
    });
  return {
    put: async ({ tenantId, ...body }) => startAnswer(await call('PUT', tenantId, body)),
    restart: async ({ tenantId, ...body }) => startAnswer(await call('POST', tenantId, body, '/restart')),
    get: async (tenantId) => (await call('GET', tenantId)).content,
    cancel: async (tenantId) => (await call('POST', tenantId, undefined, '/cancel')).content,
  };
}
