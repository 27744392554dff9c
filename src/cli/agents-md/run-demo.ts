import type { CheckView } from '../../client/agents-md/checks.ts';
import { followProgress } from './check-catalogue.ts';
import { createApiCaller } from '../api-client.ts';
import { getCheck } from './follow-check.ts';
import { sendProducers } from './manage-producers.ts';
import { agentsMdExitCodes, ExitCode } from '../exit-codes.ts';
import { demoProducers, demoRepositories, demoThrottles } from './demo-producers.ts';
import { checkDemoReport, showCheckDemo } from './check-demo-report.ts';
import { startCodeHost } from '../../dev/code-host/start-code-host.ts';
import { withLocalDeployment } from '../local/local-deployment.ts';
import type { DevEnvironment } from '../../dev/dev-environment.ts';

/** A local code host needs no protection. */
const REQUESTS_PER_SECOND = '5';

/**
 * Checks a catalogue with a real Temporal server against a local code host. Resolves with the exit code: 0 if every outcome
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

/** Through the HTTP API, as a catalogue does; resolves with a view per producer, or with the exit code if the user interrupts. */
async function checkAll(dev: DevEnvironment, interrupted: Promise<number>): Promise<CheckView[] | number> {
  const call = createApiCaller({ url: dev.apiUrl, apiToken: dev.folder.saved.apiToken });
  const producerIds = demoProducers.map(({ input: { producerId } }) => producerId);
  // Paused ones are checked only when they are asked for by ID, so each is checked once.
  const lines = demoProducers.map(({ input }) => JSON.stringify({ ...input, paused: true }));
  await sendProducers(call, lines.join('\n'), {});
  const { data: started } = await call((api) => api.POST('/producers/check', { body: { producerIds } }));
  const end = await followProgress(call, started, {
    ...{ interrupted, progress: process.stderr, now: Date.now },
    writeMessage: (text) => void process.stderr.write(text),
  });
  if (typeof end === 'number') return end;
  return Promise.all(producerIds.map((producerId) => getCheck(call, producerId)));
}
