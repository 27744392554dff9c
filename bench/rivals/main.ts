// What sendoff is compared with, in one process: `PUT /onboardings/{tenantId}` starts what RIVAL names.
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { Client } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { connectClient } from '../../src/lib/temporal/connect-client.ts';
import { makeSixCalls, type Tenant } from './six-steps.ts';
import { sixCalls } from './six-calls.ts';

const { RIVAL = '', PORT = '', PROVIDER_URL = '', TEMPORAL_ADDRESS = '', TEMPORAL_NAMESPACE = '' } = process.env;
const TASK_QUEUE = 'rivals';
const calls = sixCalls(PROVIDER_URL);

const start = RIVAL === 'noEngine' ? (tenant: Tenant) => makeSixCalls(calls, tenant) : await startWorker();

/** Everything at its default, as most programs leave it. */
async function startWorker(): Promise<(tenant: Tenant) => Promise<unknown>> {
  const worker = await Worker.create({
    connection: await NativeConnection.connect({ address: TEMPORAL_ADDRESS }),
    namespace: TEMPORAL_NAMESPACE,
    taskQueue: TASK_QUEUE,
    workflowsPath: fileURLToPath(new URL('./workflows.ts', import.meta.url)),
    activities: { ...calls },
  });
  void worker.run();
  const connection = await connectClient({ address: TEMPORAL_ADDRESS });
  const client = new Client({ connection, namespace: TEMPORAL_NAMESPACE });
  return (tenant) =>
    client.workflow.start(RIVAL, {
      workflowId: `onboarding/${tenant.tenantId}`,
      taskQueue: TASK_QUEUE,
      args: [tenant],
    });
}

createServer((request, response) => {
  void (async () => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const { pathname } = new URL(request.url ?? '', 'http://localhost');
    if (pathname !== '/readyz') {
      const tenantId = pathname.split('/').at(-1) ?? '';
      const { domain } = JSON.parse(Buffer.concat(chunks).toString()) as Pick<Tenant, 'domain'>;
      await start({ tenantId, domain });
    }
    response.end();
  })().catch((error: unknown) => {
    response.writeHead(500).end(String(error));
  });
}).listen(Number(PORT), '127.0.0.1');
