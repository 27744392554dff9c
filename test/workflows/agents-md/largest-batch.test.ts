import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { BatchEntry } from '../../../src/agents-md/batch.ts';
import { PART_PRODUCERS_MAX } from '../../../src/agents-md/batch-parts.ts';
import type { CheckInput } from '../../../src/agents-md/check-input.ts';
import { batchPartWorkflowId, batchWorkflowId } from '../../../src/agents-md/check-ids.ts';
import { type ReasonCode, reasons } from '../../../src/agents-md/reasons.ts';
import type { BatchView } from '../../../src/client/agents-md/check-batches.ts';
import { batchPartSignal } from '../../../src/workflows/messages.ts';
import { type AgentsMdApi, startAgentsMdApi } from '../../support/agents-md-api.ts';

/** Temporal's default limit of one payload. */
const PAYLOAD_BYTES_MAX = 2 * 1_024 * 1_024;
const BODY_BYTES_MAX = 2_000_000;
const PRODUCERS = 5_000;

let api: AgentsMdApi & { stop: () => Promise<void> };

beforeAll(async () => {
  api = await startAgentsMdApi();
  api.host.serveOthers((_, response) => {
    response.writeHead(429, { 'retry-after': '3600' }).end();
  });
});

afterAll(async () => {
  await api.stop();
});

const long = (prefix: string, position: number, length: number): string =>
  `${prefix}${String(position).padStart(5, '0')}`.padEnd(length, 'x');

const producersOf = (organization: string, host: CheckInput['host'], repositoryLength: number): CheckInput[] =>
  Array.from({ length: PRODUCERS }, (_, position) => ({
    producerId: long('p', position, 128),
    organization,
    primaryRepository: long('r', position, repositoryLength),
    ...(host === undefined ? {} : { host }),
  }));

const longestReason = Object.keys(reasons).reduce((one, other) =>
  other.length > one.length ? other : one,
) as ReasonCode;

const entryOf = ({ producerId }: CheckInput): BatchEntry => ({
  producerId,
  status: 'inconclusive',
  outcome: 'partial',
  reasonCode: longestReason,
});

/** Of each payload of the history, which is larger than one answer may be to a Client. */
async function payloadBytes(workflowId: string): Promise<number[]> {
  const { workflowService, options } = api.server.environment.client;
  const visit = (value: unknown): number[] => {
    if (value instanceof Uint8Array) return [value.length];
    return typeof value === 'object' && value !== null ? Object.values(value).flatMap(visit) : [];
  };
  const bytes: number[] = [];
  let nextPageToken: Uint8Array | undefined;
  do {
    const page = await workflowService.getWorkflowExecutionHistory({
      namespace: options.namespace,
      execution: { workflowId },
      maximumPageSize: 10,
      ...(nextPageToken === undefined ? {} : { nextPageToken }),
    });
    bytes.push(...(page.history?.events ?? []).flatMap(visit));
    nextPageToken = page.nextPageToken.length > 0 ? page.nextPageToken : undefined;
  } while (nextPageToken !== undefined);
  return bytes;
}

test.each<[string, string, CheckInput['host'], number]>([
  ['with the longest names of github.com', 'o'.repeat(39), undefined, 100],
  // As long as fits: names of this host may be longer than 5,000 of them may be together.
  ['that fill the largest body', 'o'.repeat(40), 'gitlab.com', 152],
])(
  'a batch of 5,000 producers of one organization %s fits into the payloads of a real server',
  async (_, ...names) => {
    const producers = producersOf(...names);
    const body = JSON.stringify({ producers }).length;
    expect(body).toBeLessThanOrEqual(BODY_BYTES_MAX);
    const batchId = long('b', names[2], 64);
    expect((await api.call('PUT', `/agents-md-batches/${batchId}`, { producers })).statusCode).toBe(201);
    const { workflow } = api.server.environment.client;
    const batch = workflow.getHandle(batchWorkflowId(batchId));
    for (let number = 0; number < PRODUCERS / PART_PRODUCERS_MAX; number++) {
      const part = workflow.getHandle(batchPartWorkflowId(batchId, number));
      await vi.waitFor(() => part.describe(), 60_000);
      if (number === 0) {
        const bytes = await payloadBytes(part.workflowId);
        expect(Math.max(...bytes)).toBeLessThan(PAYLOAD_BYTES_MAX / 10);
      }
      // As a part reports at the most, at once and with the longest reason; then it is over.
      const own = producers.slice(number * PART_PRODUCERS_MAX, (number + 1) * PART_PRODUCERS_MAX);
      await batch.signal(batchPartSignal, { part: number, entries: own.map(entryOf), underWay: 0 });
      await part.terminate();
    }
    expect(await batch.result()).toEqual({ done: PRODUCERS, entries: producers.map(entryOf) });
    const bytes = await payloadBytes(batch.workflowId);
    expect(Math.max(...bytes)).toBeLessThan(PAYLOAD_BYTES_MAX);
    // The input, the parts' inputs, the reports and the result: each producer is there four times, and not more.
    expect(bytes.reduce((sum, count) => sum + count, 0)).toBeLessThan(4 * PAYLOAD_BYTES_MAX);
    const answer = await api.call('GET', `/agents-md-batches/${batchId}?after=4000`);
    expect(answer.json<BatchView>().entries).toHaveLength(1_000);
  },
  120_000,
);

test('a list whose names are longer together is refused before anything is started', async () => {
  const producers = producersOf('o'.repeat(255), 'gitlab.com', 255);
  const answer = await api.call('PUT', '/agents-md-batches/too-long', { producers });
  expect(answer.statusCode).toBe(413);
  expect(answer.json()).toMatchObject({ code: 'payload_too_large' });
  expect((await api.call('GET', '/agents-md-batches/too-long')).statusCode).toBe(404);
});
