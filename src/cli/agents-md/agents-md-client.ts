import type { Answer } from '../../api-client/sendoff-client.ts';
import type { CheckInput } from '../../agents-md/check-input.ts';
import type { BatchView } from '../../client/agents-md/check-batches.ts';
import type { CheckView } from '../../client/agents-md/checks.ts';
import type { SchedulePage, ScheduleView } from '../../client/agents-md/check-schedules.ts';
import { type ApiAddress, createApiCaller } from '../api-client.ts';
import { CommandError } from '../command-error.ts';

/** `every` is a duration such as `7d`. */
export interface ScheduleRequest extends CheckInput {
  readonly every: string;
}

export type ScheduleAction = 'pause' | 'resume' | 'trigger';

/** Every call throws CommandError with the code and the detail of the API's problem. */
export interface AgentsMdClient {
  /** Starts a check of the producer, or joins the running one. */
  startCheck(input: CheckInput): Promise<CheckView>;
  getCheck(producerId: string): Promise<CheckView>;
  /** `started` is false if the batch already existed. */
  putBatch(batchId: string, producers: readonly CheckInput[]): Promise<{ started: boolean; view: BatchView }>;
  /**
   * Undefined if there is none.
   *
   * @param after how many entries the caller already has
   */
  getBatch(batchId: string, after: number): Promise<BatchView | undefined>;
  /** `created` is false if the call changed an existing Schedule. */
  putSchedule(input: ScheduleRequest): Promise<{ created: boolean; view: ScheduleView }>;
  listSchedules(): Promise<ScheduleView[]>;
  changeSchedule(action: ScheduleAction, producerId: string, note?: string): Promise<ScheduleView>;
  deleteSchedule(producerId: string): Promise<void>;
}

/** The API's maximum. */
const PAGE_LIMIT = 100;

/** The AGENTS.md checks of the HTTP API. */
export function createAgentsMdClient(address: ApiAddress): AgentsMdClient {
  const call = createApiCaller(address);
  const path = (producerId: string) => ({ params: { path: { producerId } } });
  return {
    startCheck: async (body) => (await call((api) => api.POST('/agents-md-checks', { body }))).data,
    getCheck: async (producerId) =>
      (await call((api) => api.GET('/agents-md-checks/{producerId}', path(producerId)))).data,

    async putBatch(batchId, producers) {
      const init = { params: { path: { batchId } }, body: { producers: [...producers] } };
      const { data, response } = await call((api) => api.PUT('/agents-md-batches/{batchId}', init));
      return { started: response.status === 201, view: data };
    },
    getBatch: (batchId, after) =>
      call((api) => api.GET('/agents-md-batches/{batchId}', { params: { path: { batchId }, query: { after } } })).then(
        ({ data }) => data,
        (error: unknown) => {
          if (error instanceof CommandError && error.code === 'not_found') return undefined;
          throw error;
        },
      ),

    async putSchedule({ producerId, ...body }) {
      const init = { ...path(producerId), body };
      const { data, response } = await call((api) => api.PUT('/agents-md-schedules/{producerId}', init));
      return { created: response.status === 201, view: data };
    },
    async listSchedules() {
      const pageAfter = (cursor: string | null) => {
        const query = { limit: PAGE_LIMIT, ...(cursor === null ? {} : { cursor }) };
        return call((api) => api.GET('/agents-md-schedules', { params: { query } }));
      };
      const schedules: ScheduleView[] = [];
      let cursor: string | null = null;
      do {
        const { data: page }: Answer<SchedulePage> = await pageAfter(cursor);
        schedules.push(...page.data);
        cursor = page.nextCursor;
      } while (cursor !== null);
      return schedules;
    },
    async changeSchedule(action, producerId, note) {
      const init = { ...path(producerId), ...(note === undefined ? {} : { body: { note } }) };
      return (await call((api) => api.POST(`/agents-md-schedules/{producerId}/${action}`, init))).data;
    },
    async deleteSchedule(producerId) {
      await call((api) => api.DELETE('/agents-md-schedules/{producerId}', path(producerId)));
    },
  };
}
