import { expect, test } from 'vitest';
import { partsOf } from '../../../src/agents-md/batch-parts.ts';
import type { CheckInput } from '../../../src/agents-md/check-input.ts';
import { batchPartWorkflowId } from '../../../src/agents-md/check-ids.ts';
import type { checkAgentsMdBatchPart } from '../../../src/workflows/agents-md/check-agents-md-batch-part.ts';
import { CHECK_TASK_QUEUE } from '../../../src/workflows/messages.ts';
import { searchAttributeKeys } from '../../../src/workflows/search-attributes.ts';
import { withChecks } from '../../support/agents-md-environment.ts';
import { timeSkippingServer } from '../../support/temporal.ts';

const HOUR_MS = 3_600_000;
const REFUSALS = 45;

test('a slice of an organization has ten checks under way while its host throttles for hours, and then checks them all', async () => {
  let nowMs = Date.now();
  const now = (): number => (nowMs += 3 * HOUR_MS);
  await withChecks(
    async ({ host, server: { environment } }) => {
      let refusals = 0;
      host.serveOthers((_, response) => {
        if (++refusals <= REFUSALS) response.writeHead(429, { 'retry-after': '3600' }).end();
        else response.end('How to build, test and change this project. '.repeat(10));
      });
      const producers = Array.from({ length: 24 }, (_, position): CheckInput => {
        return { producerId: `p-${position}`, organization: 'acme', primaryRepository: `r-${position}` };
      });
      const [part] = partsOf(producers, 16).flat();
      if (part === undefined) throw new Error('there is no part');
      const handle = await environment.client.workflow.start<typeof checkAgentsMdBatchPart>('checkAgentsMdBatchPart', {
        workflowId: batchPartWorkflowId('b', 0),
        taskQueue: CHECK_TASK_QUEUE,
        args: [{ batchId: 'b', number: 0, part, findings: { observed: [], resolved: null } }],
      });
      await handle.result();
      const events = (await handle.fetchHistory()).events ?? [];
      let underWay = 0;
      const counts = events.map((event) => {
        if (event.startChildWorkflowExecutionInitiatedEventAttributes) underWay += 1;
        if (event.childWorkflowExecutionCompletedEventAttributes) underWay -= 1;
        return underWay;
      });
      expect(Math.max(...counts)).toBe(part.underWayMax);
      expect(counts.at(-1)).toBe(0);
      const children = events.filter((event) => event.childWorkflowExecutionCompletedEventAttributes);
      expect(children).toHaveLength(16);
      const secondsOf = (position: number): number => Number(events.at(position)?.eventTime?.seconds ?? 0);
      expect((secondsOf(-1) - secondsOf(0)) * 1_000).toBeGreaterThan(3 * HOUR_MS);
    },
    { startServer: () => timeSkippingServer(searchAttributeKeys), now },
  );
}, 120_000);
