import {
  type Answer,
  createSendoffClient,
  type operations,
  type OnboardingView as Described,
  type SendoffClient,
  SendoffError,
} from '../api-client/sendoff-client.ts';
import type { OnboardingView } from '../client/onboarding/onboarding-view.ts';
import type { OnboardTenantInput } from '../onboarding/input.ts';
import { CommandError } from './command-error.ts';

/** Codes of a CommandError after which the same call may succeed a moment later. */
export const retryableCodes: readonly (string | undefined)[] = ['api_unreachable', 'unavailable'];

export interface ApiAddress {
  /** Without a trailing slash. */
  readonly url: string;
  readonly apiToken: string;
  /** Advice for an API that cannot be reached. @default none */
  readonly ifUnreachable?: string;
}

/** Makes one call of the orchestrator's HTTP API. Throws CommandError with the code and the detail of the problem. */
export type ApiCaller = <Data>(call: (client: SendoffClient) => Promise<Answer<Data>>) => Promise<Answer<Data>>;

export const createApiCaller = (address: ApiAddress): ApiCaller => {
  const client = createSendoffClient({ baseUrl: address.url, token: address.apiToken });
  return async (call) => {
    try {
      return await call(client);
    } catch (error) {
      throw commandError(error, address);
    }
  };
};

/** Any other error stays as it is. */
function commandError(error: unknown, { ifUnreachable }: ApiAddress): unknown {
  if (!(error instanceof SendoffError)) return error;
  const { code, detail, message } = error;
  if (code !== 'unreachable' && code !== 'timed_out') return new CommandError(message, { code });
  const advice = ifUnreachable === undefined ? '' : `. ${ifUnreachable}`;
  return new CommandError(`Cannot reach sendoff: ${detail}${advice}`, { code: 'api_unreachable' });
}

export type QueryOf<Operation extends keyof operations> = NonNullable<operations[Operation]['parameters']['query']>;
export type ListQuery = QueryOf<'listOnboardings'>;
export type DomainReport = operations['checkNow']['responses'][200]['content']['application/json'];
export type CheckBegun = operations['checkNow']['responses'][202]['content']['application/json'];
export type CheckRequestProgress = operations['getCheckProgress']['responses'][200]['content']['application/json'];
export type ClaimedKey = operations['claimApiKey']['responses'][200]['content']['application/json'];

/** A page, or with a null `next_cursor` the last one. */
export interface OnboardingPage {
  readonly data: readonly OnboardingView[];
  readonly next_cursor: string | null;
}

/** A Worker executes these requests, and the API waits for it. */
export const UPDATE_TIMEOUT_MS = 90_000;

export type ApiClient = ReturnType<typeof createApiClient>;

/**
 * The onboardings of the HTTP API. Every call throws CommandError; all but `put` and `list` if the tenant has no onboarding. `by` names who asks.
 */
export function createApiClient(address: ApiAddress) {
  const call = createApiCaller(address);
  const of = (tenantId: string) => ({ params: { path: { tenantId } } });
  const audit = (by: string | undefined) => ({ body: by === undefined ? {} : { by } });
  return {
    /** `started` false: the same onboarding already existed. On a conflict the error names the differing fields. */
    put: async ({ tenantId, ...body }: OnboardTenantInput) =>
      startOf(await call((api) => api.PUT('/onboardings/{tenantId}', { ...of(tenantId), body }))),
    /** Starts another onboarding after a finished one. */
    restart: async ({ tenantId, ...input }: OnboardTenantInput, by?: string) => {
      const body = by === undefined ? input : { ...input, by };
      return startOf(await call((api) => api.POST('/onboardings/{tenantId}/restart', { ...of(tenantId), body })));
    },
    get: async (tenantId: string) =>
      viewOf((await call((api) => api.GET('/onboardings/{tenantId}', of(tenantId)))).data),
    list: async (query: ListQuery): Promise<OnboardingPage> => {
      const { data: page } = await call((api) => api.GET('/onboardings', { params: { query } }));
      return { data: page.data.map(viewOf), next_cursor: page.next_cursor };
    },
    /** Requests a cancellation; the view may still be `running`. */
    cancel: async (tenantId: string, by?: string) =>
      viewOf((await call((api) => api.POST('/onboardings/{tenantId}/cancel', { ...of(tenantId), ...audit(by) }))).data),
    /** Takes up to about a minute. */
    checkNow: async (tenantId: string, by?: string): Promise<DomainReport | CheckBegun> => {
      const init = { ...of(tenantId), ...audit(by), timeoutMs: UPDATE_TIMEOUT_MS };
      return (await call((api) => api.POST('/onboardings/{tenantId}/check-now', init))).data;
    },
    /** Repeating a call with the same key within a minute returns the same token. */
    claim: async (tenantId: string, by: string, idempotencyKey: string): Promise<ClaimedKey> => {
      const init = { ...of(tenantId), body: { by }, headers: { 'idempotency-key': idempotencyKey } };
      return (await call((api) => api.POST('/onboardings/{tenantId}/api-key/claim', init))).data;
    },
  };
}

/** The OpenAPI document does not say which details each type of failure has. */
const viewOf = (data: Described): OnboardingView => data as unknown as OnboardingView;

const startOf = ({ data, response }: Answer<Described>) => ({
  started: response.status === 201,
  view: viewOf(data),
});
