import { Client, Connection } from '@temporalio/client';
import { Command } from 'commander';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createApiClient } from '../../src/cli/api-client.ts';
import { type DevEnvironment, startDevEnvironment } from '../../src/dev/dev-environment.ts';
import { RECIPIENT_DOMAIN, TENANT_DOMAIN } from '../../src/dev/world/world-zones.ts';
import { toZoneRecords } from '../../src/dev/world/zone-record.ts';
import { waitUntil } from '../../src/lib/timing/wait-until.ts';
import { checkNowUpdate } from '../../src/workflows/messages.ts';
import { screenshot } from './screenshot.ts';

const IMAGE = fileURLToPath(new URL('../../docs/images/waiting-onboarding.png', import.meta.url));
const TIMEOUT_MS = 60_000;
const say = (line: string): void => void process.stderr.write(`${line}\n`);

const program = new Command('picture')
  .description(
    "Writes docs/images/waiting-onboarding.png: the Temporal UI's page of a real onboarding that waits for its tenant's DNS,\n" +
      'whose DKIM record was published under a doubled name.',
  )
  .allowExcessArguments(false);

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'sendoff-picture-'));
  // A Temporal server that others use too would show their Workflows.
  const environment = { ...process.env, TEMPORAL_ADDRESS: undefined, TEMPORAL_NAMESPACE: undefined };
  const dev = await startDevEnvironment({ dataFolder: join(folder, 'data'), environment, report: say });
  try {
    const uiUrl = await waitingOnboarding(dev);
    const url = uiUrl.replace(/history$/, 'user-metadata');
    const png = await screenshot({ url, text: 'Check the DNS now' });
    await writeFile(IMAGE, png);
    say(`Wrote ${IMAGE}, ${png.length} bytes`);
  } finally {
    await dev.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the address of its page in the Temporal UI. */
async function waitingOnboarding(dev: DevEnvironment): Promise<string> {
  const tenantId = 'acme';
  const api = createApiClient({ url: dev.apiUrl, apiToken: dev.folder.saved.apiToken });
  let { view } = await api.put({
    tenantId,
    domain: TENANT_DOMAIN,
    fromAddress: `hello@${TENANT_DOMAIN}`,
    firstEmail: { recipient: `ada@${RECIPIENT_DOMAIN}`, subject: 'Welcome aboard', body: 'It works.' },
  });
  await until('the onboarding shows its DNS records', async () => {
    view = await api.get(tenantId);
    return view.onboarding.records.length > 0;
  });
  dev.world.dns.publish(
    toZoneRecords(view.onboarding.records).map((record) =>
      record.name.includes('_domainkey') ? { ...record, name: `${record.name}.${TENANT_DOMAIN}` } : record,
    ),
  );
  const connection = await Connection.connect({ address: dev.temporal.address });
  try {
    const { workflow } = new Client({ connection, namespace: dev.temporal.namespace });
    const onboarding = workflow.getHandle(view.workflowId);
    await until('a check finds the doubled name', async () => {
      const { records } = await onboarding.executeUpdate(checkNowUpdate);
      return records.some(({ findings }) => findings.some(({ code }) => code === 'host_doubled'));
    });
  } finally {
    await connection.close();
  }
  if (view.uiUrl === null) throw new Error('the onboarding has no link to the Temporal UI');
  return view.uiUrl;
}

async function until(event: string, condition: () => Promise<boolean>): Promise<void> {
  say(`Waiting until ${event}`);
  if (await waitUntil(condition, { timeoutMs: TIMEOUT_MS, intervalMs: 1_000 })) return;
  throw new Error(`timed out after ${TIMEOUT_MS / 1_000} s waiting until ${event}`);
}

try {
  await program.action(main).parseAsync();
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
// Temporal's Runtime would keep the process alive.
process.exit();
