import { type EndOfBatch, printBatch } from './run-batch.ts';
import { createAgentsMdClient } from './agents-md-client.ts';
import { agentsMdExitCodes, ExitCode } from '../exit-codes.ts';
import { demoProducers, demoRepositories, demoThrottles } from './demo-producers.ts';
import { checkDemoReport, showCheckDemo } from './check-demo-report.ts';
import { startCodeHost } from '../../dev/code-host/start-code-host.ts';
import { withLocalDeployment } from '../local/local-deployment.ts';
import type { DevEnvironment } from '../../dev/dev-environment.ts';

/** A local code host needs no protection. */
const REQUESTS_PER_SECOND = '5';

/**
 * Checks a batch with a real Temporal server against a local code host. Resolves with the exit code: 0 if every outcome
 * is as expected.
 */
export async function runAgentsMdDemo(
  { json, keep }: { json: boolean; keep: boolean },
  environment: NodeJS.ProcessEnv,
): Promise<number> {
  const codeHost = await startCodeHost({ repositories: demoRepositories, throttles: demoThrottles });
  const settings = {
    AGENTS_MD_CONTACT: 'demo@sendoff.test',
    AGENTS_MD_HOST_URLS: JSON.stringify({ 'github.com': codeHost.urls }),
    AGENTS_MD_REQUESTS_PER_SECOND: REQUESTS_PER_SECOND,
  };
  try {
    return await withLocalDeployment({ environment, keep, options: { settings } }, async (dev, { interrupted }) => {
      const end = await checkAll(dev, interrupted);
      if (typeof end === 'number') return { exitCode: end };
      const checked = checkDemoReport(end, codeHost.requests());
      // Otherwise its server has stopped when the link is read.
      const report = keep ? checked : { ...checked, uiUrl: null };
      process.stdout.write(json ? `${JSON.stringify(report)}\n` : `\n${showCheckDemo(report)}\n`);
      return { exitCode: report.isExpected ? ExitCode.done : agentsMdExitCodes.notCarriedOut };
    });
  } finally {
    await codeHost.stop();
  }
}

/** Starts one batch through the HTTP API, as a catalogue does. */
async function checkAll(dev: DevEnvironment, interrupted: Promise<number>): Promise<EndOfBatch | number> {
  const client = createAgentsMdClient({ url: dev.apiUrl, apiToken: dev.folder.saved.apiToken });
  // Unique per demo, in case the Temporal server is shared.
  const batchId = `demo-${Date.now().toString(36)}`;
  const { view } = await client.putBatch(
    batchId,
    demoProducers.map(({ input }) => input),
  );
  const writeMessage = (text: string): void => void process.stderr.write(text);
  if (view.uiUrl !== null) writeMessage(`Temporal UI: ${view.uiUrl}\n`);
  // Stdout is for the table at the end.
  return printBatch(client, batchId, {
    write: writeMessage,
    writeMessage,
    interrupted,
    progress: process.stderr,
    now: Date.now,
  });
}
