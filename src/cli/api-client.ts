import {
  type Answer,
  createSendoffClient,
  type OnboardingView as Described,
  type SendoffClient,
  SendoffError,
} from '../api-client/sendoff-client.ts';
import type { OnboardingView } from '../client/onboarding-view.ts';
import type { OnboardTenantInput } from '../onboarding/input.ts';
import { CommandError } from './command-error.ts';

/** Codes of a CommandError after which the same call may succeed a moment later. */
export const passingCodes: readonly (string | undefined)[] = ['api_unreachable', 'unavailable'];

export interface ApiAddress {
  /** Without a trailing slash. */
  readonly url: string;
  readonly apiToken: string;
}

/** Makes one call of the orchestrator's HTTP API. Throws CommandError with the code and the detail of the problem. */
export type ApiCaller = <Data>(call: (client: SendoffClient) => Promise<Answer<Data>>) => Promise<Answer<Data>>;

export const createApiCaller = ({ url, apiToken }: ApiAddress): ApiCaller => {
  const client = createSendoffClient({ baseUrl: url, token: apiToken });
  return async (call) => {
    try {
      return await call(client);
    } catch (error) {
      throw commandError(error);
    }
  };
};

/** Any other error stays as it is. */
function commandError(error: unknown): unknown {
  if (!(error instanceof SendoffError)) return error;
  const { code, detail, message } = error;
  if (code !== 'unreachable' && code !== 'timed_out') return new CommandError(message, { code });
  const start = 'If it is not running, start it with: npx sendoff dev';
  return new CommandError(`Cannot reach sendoff: ${detail}. ${start}`, { code: 'api_unreachable' });
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

/** The onboardings of the HTTP API. */
export function createApiClient(address: ApiAddress): ApiClient {
  const call = createApiCaller(address);
  const path = (tenantId: string) => ({ params: { path: { tenantId } } });
  return {
    put: async ({ tenantId, ...body }) =>
      startOf(await call((api) => api.PUT('/onboardings/{tenantId}', { ...path(tenantId), body }))),
    restart: async ({ tenantId, ...body }) =>
      startOf(await call((api) => api.POST('/onboardings/{tenantId}/restart', { ...path(tenantId), body }))),
    get: async (tenantId) => viewOf(await call((api) => api.GET('/onboardings/{tenantId}', path(tenantId)))),
    cancel: async (tenantId) => viewOf(await call((api) => api.POST('/onboardings/{tenantId}/cancel', path(tenantId)))),
  };
}

/** The OpenAPI document does not say which details each type of failure has. */
const viewOf = ({ data }: Answer<Described>): OnboardingView => data as unknown as OnboardingView;

const startOf = (answer: Answer<Described>) => ({ started: answer.response.status === 201, view: viewOf(answer) });
