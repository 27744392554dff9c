// A Worker of the onboardings' Task Queue, as a process of its own: `{ blockMs }` blocks its event loop, as a long computation does.
import { NativeConnection, Worker } from '@temporalio/worker';
import { ONBOARDING_TASK_QUEUE } from '../../src/workflows/messages.ts';

const [address = '', namespace = '', codePath = ''] = process.argv.slice(2);
const connection = await NativeConnection.connect({ address });
const worker = await Worker.create({
  ...{ connection, namespace, taskQueue: ONBOARDING_TASK_QUEUE },
  workflowBundle: { codePath },
  // As the orchestrator's Workers, whose module takes seconds to load.
  stickyQueueScheduleToStartTimeout: '2 seconds',
  activities: { unused: async () => undefined },
});
process.on('message', ({ blockMs }: { blockMs: number }) => {
  process.send?.({ blocked: true }, () => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, blockMs);
  });
});
process.send?.({ ready: true });
await worker.run();
