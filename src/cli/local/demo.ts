import { type ApiClient, createApiClient } from '../api-client.ts';
import { CommandError } from '../command-error.ts';
import { followOnboarding } from '../onboarding/follow-onboarding.ts';
import { followAbort } from '../../lib/timing/follow-abort.ts';
import type { OnboardingView } from '../../client/onboarding/onboarding-view.ts';
import type { DevEnvironment } from '../../dev/dev-environment.ts';
import { type DemoReport, demoReport, showDemo } from './demo-report.ts';
import { type DemoFailure, type DemoScenario, demoScenario } from './demo-scenarios.ts';
import { historyLength } from './history-length.ts';
import { heldAtProvider } from './held-at-provider.ts';
import { enteredRecords } from '../../dev/world/dns-mistakes.ts';
import { rejection, withLocalDeployment } from './local-deployment.ts';
import { setTimeout as sleep } from 'node:timers/promises';

export interface DemoOptions {
  readonly json: boolean;
  readonly keep: boolean;
  /** @default the onboarding succeeds */
  readonly fail?: DemoFailure | undefined;
  /** The data folder; a second run resumes what it holds. @default a temporary folder */
  readonly data?: string | undefined;
}

/** About the time it takes to read the records in the terminal. */
const ACT_AFTER_MS = 4_000;

/** Onboards one tenant in a local deployment. Resolves with the exit code: 0 if the onboarding ended as the scenario expects. */
export async function runDemo(options: DemoOptions, environment: NodeJS.ProcessEnv): Promise<number> {
  const scenario = demoScenario(options.fail);
  const { providerProxy } = scenario;
  return withLocalDeployment({ ...options, environment, options: { providerProxy } }, async (dev, { signal }) => {
    const { view, report: played, isExpected } = await playDemo(dev, scenario, signal);
    // Otherwise its server has stopped when the link is read.
    const report = options.keep ? played : { ...played, uiUrl: null };
    process.stdout.write(options.json ? `${JSON.stringify(report)}\n` : `\n${showDemo(view, dev, report, options)}\n`);
    return { exitCode: isExpected ? 0 : 1 };
  });
}

/** Plays a scenario in a local deployment. @param signal ends the following, not the onboarding: its reason is thrown */
export async function playDemo(
  dev: DevEnvironment,
  scenario: DemoScenario,
  signal: AbortSignal,
): Promise<{ readonly view: OnboardingView; readonly report: DemoReport; readonly isExpected: boolean }> {
  scenario.prepare?.(dev.world);
  const view = await onboard(dev, scenario, signal);
  const held = await heldAtProvider(
    { url: dev.emailServiceUrl, operatorToken: dev.folder.saved.operatorToken },
    view.tenantId,
  );
  const report = demoReport(view, dev, { held, historyEvents: await historyLength(dev.temporalConfig, view) });
  return { view, report, isExpected: endedAsExpected(report, scenario) };
}

/**
 * After a success its message must be in the mailbox: on a shared Temporal server, the onboarding may be that of another
 * deployment. After a failure the mailbox must be empty, and the provider must hold exactly what the undo report says.
 */
function endedAsExpected(report: DemoReport, { expected }: DemoScenario): boolean {
  const { outcome, emailId, received, undo, heldAtProvider } = report;
  if (outcome !== expected) return false;
  if (outcome === 'onboarded') {
    return received.some(({ messageId }) => emailId !== null && messageId.includes(emailId));
  }
  // An email is in no list of what the account holds.
  const left = undo.flatMap(({ step, result, resourceId }) =>
    step === 'sendFirstEmail' || result === 'undone' ? [] : [resourceId],
  );
  const held = Object.values(heldAtProvider).flat();
  return received.length === 0 && held.length === left.length && held.every((id) => left.includes(id));
}

async function onboard(dev: DevEnvironment, scenario: DemoScenario, signal: AbortSignal): Promise<OnboardingView> {
  const { input } = scenario;
  const api = createApiClient({ url: dev.apiUrl, apiToken: dev.folder.saved.apiToken });
  const { view } = await api.put(input).catch((error: unknown) => {
    if (!(error instanceof CommandError) || error.code !== 'onboarding_differs') throw error;
    throw new CommandError(
      `${dev.folder.path} already holds an onboarding with another input. ${error.message}\n` +
        'Use the options of the first run, or another data folder with --data DIR',
      { code: error.code },
    );
  });
  if (view.uiUrl !== null) process.stderr.write(`Temporal UI: ${view.uiUrl}\n`);
  const over = followAbort(signal);
  const played = playTenant(dev, api, scenario, over.signal);
  try {
    return await Promise.race([followOnboarding(api, view, over.signal), rejection(played)]);
  } finally {
    over.abort();
    await played;
  }
}

/** Publishes the records some seconds after they are shown, as the tenant would; or cancels, as an operator would. */
async function playTenant(
  dev: DevEnvironment,
  api: ApiClient,
  scenario: DemoScenario,
  over: AbortSignal,
): Promise<void> {
  const { input, cancelIn, mistake } = scenario;
  try {
    let view = await api.get(input.tenantId);
    // Only a check knows whether the zone needs a DMARC policy of its own.
    const isReady = ({ checkedAt, onboarding: { records, stage } }: typeof view): boolean =>
      records.length > 0 && (cancelIn === undefined ? checkedAt !== null : stage === cancelIn);
    while (!isReady(view)) {
      await sleep(200, undefined, { signal: over });
      view = await api.get(input.tenantId);
    }
    // The first poll may come before the first check of the email service, and the next one a minute later.
    if (cancelIn === undefined && view.onboarding.records.some(({ status }) => status === 'unchecked')) {
      await api.checkNow(input.tenantId);
      view = await api.get(input.tenantId);
    }
    await sleep(ACT_AFTER_MS, undefined, { signal: over });
    if (cancelIn === undefined) dev.world.dns.publish(enteredRecords(input.domain, view.onboarding.records, mistake));
    else await api.cancel(input.tenantId);
  } catch (error) {
    // The onboarding ended first: there is nothing left to publish.
    if (!over.aborted) throw error;
  }
}
