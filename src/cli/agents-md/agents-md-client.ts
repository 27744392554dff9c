import type { CheckInput } from '../../agents-md/check-input.ts';
import type { BatchView } from '../../client/agents-md/check-batches.ts';
import type { CheckView } from '../../client/agents-md/checks.ts';
import type { ScheduleView } from '../../client/agents-md/check-schedules.ts';
import { type ApiAddress, type ApiCall, callApi } from '../api-client.ts';
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
  const call = <Content>(method: ApiCall['method'], path: string, body?: object) =>
    callApi<Content>(address, { method, path, ...(body === undefined ? {} : { body }) });
  const schedulePath = (producerId: string): string => `/agents-md-schedules/${encodeURIComponent(producerId)}`;
  const batchPath = (batchId: string): string => `/agents-md-batches/${encodeURIComponent(batchId)}`;

  return {
    startCheck: async (input) => (await call<CheckView>('POST', '/agents-md-checks', input)).content,
    getCheck: async (producerId) =>
      (await call<CheckView>('GET', `/agents-md-checks/${encodeURIComponent(producerId)}`)).content,

    async putBatch(batchId, producers) {
      const { statusCode, content } = await call<BatchView>('PUT', batchPath(batchId), { producers });
      return { started: statusCode === 201, view: content };
    },
    getBatch: (batchId, after) =>
      call<BatchView>('GET', `${batchPath(batchId)}?after=${after}`).then(
        ({ content }) => content,
        (error: unknown) => {
          if (error instanceof CommandError && error.code === 'not_found') return undefined;
          throw error;
        },
      ),

    async putSchedule({ producerId, ...body }) {
      const { statusCode, content } = await call<ScheduleView>('PUT', schedulePath(producerId), body);
      return { created: statusCode === 201, view: content };
    },
    async listSchedules() {
      const schedules: ScheduleView[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const query: string = new URLSearchParams({ limit: String(PAGE_LIMIT), ...(cursor && { cursor }) }).toString();
        const page: Page = (await call<Page>('GET', `/agents-md-schedules?${query}`)).content;
        schedules.push(...page.data);
        cursor = page.nextCursor;
      }
      return schedules;
    },
    async changeSchedule(action, producerId, note) {
      const body = note === undefined ? undefined : { note };
      return (await call<ScheduleView>('POST', `${schedulePath(producerId)}/${action}`, body)).content;
    },
    async deleteSchedule(producerId) {
      await call('DELETE', schedulePath(producerId));
    },
  };
}

interface Page {
  readonly data: readonly ScheduleView[];
  readonly nextCursor: string | null;
}
