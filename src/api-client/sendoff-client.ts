// The commands use this client too, so their tests are its tests.
import createClient, {
  type Client,
  type ClientPathsWithMethod,
  type MaybeOptionalInit,
  type MethodResponse,
} from 'openapi-fetch';
import { boundedFetch, type Fetch } from './bounded-fetch.ts';
import type { SendoffEvent } from './events.ts';
import { type EventsOptions, readEvents } from './read-events.ts';
import type { paths } from './openapi.ts';
import { errorOf, SendoffError } from './sendoff-error.ts';

export type {
  CheckInput,
  CheckView,
  components,
  NotificationView,
  OnboardingView,
  operations,
  paths,
  Problem,
  ProducerView,
} from './openapi.ts';
export { type EventsOptions, SendoffError };
export type { Notification, SendoffEvent } from './events.ts';
export type { SendoffErrorCode } from './sendoff-error.ts';
export { type RequestHeaders, verifyNotification } from './verify-notification.ts';

export interface SendoffClientOptions {
  /** URL of the HTTP API, such as `https://sendoff.example.com`. */
  readonly baseUrl: string;
  /** A token of SENDOFF_API_TOKEN. */
  readonly token: string;
  /** @default the global fetch */
  readonly fetch?: Fetch;
  /** Time of one attempt, with the body of its response. @default 15,000 */
  readonly timeoutMs?: number;
}

type Method = 'get' | 'put' | 'post' | 'patch' | 'delete';
type PathOf<Of extends Method> = ClientPathsWithMethod<Client<paths>, Of>;
type InitOf<Of extends Method, Path extends PathOf<Of>> = MaybeOptionalInit<paths[Path], Of> & CallOptions;

export interface CallOptions {
  /** In place of that of the client: a Worker executes some requests, such as `check-now`, for up to a minute. */
  readonly timeoutMs?: number;
}

/** The body of the response to a successful call. */
export interface Answer<Data> {
  readonly data: Data;
  readonly response: Response;
}

/**
 * One call of the API: its path as the OpenAPI document writes it, then `params`, `body`, `headers`, `signal` and `timeoutMs`.
 *
 * @throws SendoffError unless the response has a 2xx status
 */
export type Call<Of extends Method> = <Path extends PathOf<Of>>(
  path: Path,
  ...init: undefined extends MaybeOptionalInit<paths[Path], Of> ? [init?: InitOf<Of, Path>] : [init: InitOf<Of, Path>]
) => Promise<Answer<MethodResponse<Client<paths>, Of, Path>>>;

export interface SendoffClient {
  readonly GET: Call<'get'>;
  readonly PUT: Call<'put'>;
  readonly POST: Call<'post'>;
  readonly PATCH: Call<'patch'>;
  readonly DELETE: Call<'delete'>;
  /**
   * The events of all onboardings, or of one tenant, as they happen. Reconnects for ever and continues after the last event; ends
   * when the caller leaves the loop, or throws the reason of `signal`.
   *
   * @throws SendoffError if the API refuses the request
   */
  events(options?: EventsOptions): AsyncGenerator<SendoffEvent, never>;
}

/** A client of the orchestrator's HTTP API, with the types of its OpenAPI document. */
export function createSendoffClient({
  baseUrl,
  token,
  fetch = globalThis.fetch,
  timeoutMs = 15_000,
}: SendoffClientOptions): SendoffClient {
  const headers = { authorization: `Bearer ${token}` };
  const client = createClient<paths>({ baseUrl, headers, fetch: boundedFetch(fetch, timeoutMs) });
  const call =
    <Of extends Method>(method: Of): Call<Of> =>
    async (path, ...init) => {
      const { data, error, response } = await client
        .request(method, path, ...(init as [never]))
        .catch((cause: unknown) => {
          if (!(cause instanceof SyntaxError)) throw cause;
          const detail = `${baseUrl} is not the HTTP API of sendoff: its response is not JSON`;
          throw new SendoffError({ status: null, code: 'unexpected_answer', detail }, { cause });
        });
      if (!response.ok) throw errorOf(response.status, error);
      return { data: data as never, response };
    };
  return {
    GET: call('get'),
    PUT: call('put'),
    POST: call('post'),
    PATCH: call('patch'),
    DELETE: call('delete'),
    events: (options) => readEvents({ baseUrl, headers, fetch, timeoutMs }, options),
  };
}
