import type { operations } from '../../api-client/sendoff-client.ts';
import type { CheckInput } from '../../agents-md/check-input.ts';
import type { CheckView } from '../../client/agents-md/checks.ts';
import type { ProducerView } from '../../client/agents-md/producer-views.ts';
import { type ApiAddress, createApiCaller } from '../api-client.ts';

type QueryOf<Operation extends keyof operations> = NonNullable<operations[Operation]['parameters']['query']>;
export type ProducerRequest = operations['putProducer']['requestBody']['content']['application/json'];
export type CheckSelection = operations['checkProducers']['requestBody']['content']['application/json'];
export type CheckRequestProgress = operations['getCheckProgress']['responses'][200]['content']['application/json'];
export type ImportChanges = operations['importProducers']['responses'][200]['content']['application/json'];
export type ReportQuery = QueryOf<'getProducersReport'>;

/** The API's maximum. */
const PAGE_LIMIT = 1_000;
/** An import or a report of 50,000 producers takes seconds, longer on a busy server. */
const LARGE_TIMEOUT_MS = 120_000;

export type AgentsMdClient = ReturnType<typeof createAgentsMdClient>;

/** The AGENTS.md checks of the HTTP API. Every call throws CommandError with the code and the detail of the API's problem. */
export function createAgentsMdClient(address: ApiAddress) {
  const call = createApiCaller(address);
  const path = (producerId: string) => ({ params: { path: { producerId } } });
  return {
    /** Starts a check of the producer, or joins the running one. */
    startCheck: async (body: CheckInput): Promise<CheckView> =>
      (await call((api) => api.POST('/agents-md-checks', { body }))).data,
    getCheck: async (producerId: string): Promise<CheckView> =>
      (await call((api) => api.GET('/agents-md-checks/{producerId}', path(producerId)))).data,

    /** `added` is false if the call changed an existing producer. */
    async putProducer(producerId: string, body: ProducerRequest): Promise<{ added: boolean; view: ProducerView }> {
      const init = { ...path(producerId), body };
      const { data, response } = await call((api) => api.PUT('/producers/{producerId}', init));
      return { added: response.status === 201, view: data };
    },
    pauseProducer: async (producerId: string, paused: boolean): Promise<ProducerView> =>
      (await call((api) => api.PATCH('/producers/{producerId}', { ...path(producerId), body: { paused } }))).data,
    async *listProducers(filter: Omit<ReportQuery, 'format'>): AsyncGenerator<readonly ProducerView[]> {
      let cursor: string | undefined;
      do {
        const query = { ...filter, limit: PAGE_LIMIT, ...(cursor === undefined ? {} : { cursor }) };
        const { data: page } = await call((api) => api.GET('/producers', { params: { query } }));
        yield page.data;
        cursor = page.next_cursor ?? undefined;
      } while (cursor !== undefined);
    },
    async removeProducer(producerId: string): Promise<void> {
      await call((api) => api.DELETE('/producers/{producerId}', path(producerId)));
    },
    /** @param lines JSON Lines */
    async importProducers(lines: string, query: QueryOf<'importProducers'>): Promise<ImportChanges> {
      const init = {
        params: { query },
        // The OpenAPI document describes JSON bodies only.
        body: lines as never,
        bodySerializer: (text: unknown) => text as string,
        headers: { 'content-type': 'application/x-ndjson' },
        timeoutMs: LARGE_TIMEOUT_MS,
      };
      return (await call((api) => api.PUT('/producers', init))).data;
    },
    checkProducers: async (body: CheckSelection): Promise<CheckRequestProgress> =>
      (await call((api) => api.POST('/producers/check', { body }))).data,
    getProgress: async (askedAt: string): Promise<CheckRequestProgress> =>
      (await call((api) => api.GET('/producers/check', { params: { query: { asked_at: askedAt } } }))).data,
    async report(query: ReportQuery): Promise<string> {
      const init = { params: { query }, parseAs: 'text' as const, timeoutMs: LARGE_TIMEOUT_MS };
      // The type is that of the JSON format, parsed.
      return (await call((api) => api.GET('/producers/report', init))).data as string;
    },
  };
}
