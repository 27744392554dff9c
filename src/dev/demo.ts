import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ApiClient, createApiClient } from '../cli/api-client.ts';
import { followOnboarding } from '../cli/follow-onboarding.ts';
import type { OnboardingView } from '../http/onboardings.ts';
import type { OnboardTenantInput } from '../onboarding/input.ts';
import { startShown } from './dev.ts';
import type { DevEnvironment } from './dev-environment.ts';
import { createTenant } from './world/tenant.ts';
import { toZoneRecords } from './world/zone-record.ts';
import { RECIPIENT_DOMAIN, TENANT_DOMAIN } from './world/start-world.ts';
import { untilInterrupted } from '../cli/until-interrupted.ts';
import { setTimeout as sleep } from 'node:timers/promises';

export interface DemoOptions {
  readonly json: boolean;
  readonly keep: boolean;
  /** Kept at the end, and gone on with when it was used before. @default a folder that is removed at the end */
  readonly data?: string | undefined;
}

const input: OnboardTenantInput = {
  tenantId: 'acme',
  domain: TENANT_DOMAIN,
  fromAddress: `hello@${TENANT_DOMAIN}`,
  firstEmail: {
    recipient: `ada@${RECIPIENT_DOMAIN}`,
    subject: 'Welcome aboard',
    body: 'Your domain is set up, and this email came through it.\n',
  },
};

/** About as long as it takes to read the records in the terminal. */
const PUBLISH_AFTER_MS = 4_000;

/** One tenant from nothing to a delivered first email, on real parts. Resolves with the exit code. */
export async function runDemo(options: DemoOptions, environment: NodeJS.ProcessEnv): Promise<number> {
  const dataFolder = options.data ?? (await mkdtemp(join(tmpdir(), 'sendoff-demo-')));
  const interrupted = untilInterrupted();
  let dev: DevEnvironment | undefined;
  try {
    const started = await Promise.race([startShown(dataFolder, environment), interrupted]);
    if (typeof started === 'number') return started;
    dev = started;
    const view = await Promise.race([onboard(dev), failing(dev.run), interrupted]);
    if (typeof view === 'number') return view;
    const outcome = demoOutcome(view, dev);
    process.stdout.write(options.json ? `${JSON.stringify(outcome)}\n` : `\n${forPeople(view, dev)}\n`);
    if (options.keep) {
      process.stderr.write(`\nStill running; Ctrl-C ends it. Data: ${dataFolder}\n`);
      await Promise.race([interrupted, failing(dev.run)]);
    }
    // On a server that others use too, the onboarding may be that of another set-up: then nothing arrived here.
    const arrived = outcome.received.some(
      ({ messageId }) => outcome.emailId !== null && messageId.includes(outcome.emailId),
    );
    return view.outcome === 'onboarded' && arrived ? 0 : 1;
  } finally {
    await dev?.stop();
    if (options.data === undefined) await rm(dataFolder, { recursive: true, force: true });
  }
}

async function onboard(dev: DevEnvironment): Promise<OnboardingView> {
  const api = createApiClient({ url: dev.apiUrl, apiToken: dev.folder.kept.apiToken });
  const { view } = await api.put(input);
  if (view.uiUrl !== null) process.stderr.write(`Temporal UI: ${view.uiUrl}\n`);
  const over = new AbortController();
  const published = publishWhenShown(dev, api, over.signal);
  try {
    return await followOnboarding(api, input.tenantId);
  } finally {
    over.abort();
    await published;
  }
}

/** The tenant sees the records on a page of the SaaS product, and some seconds later they are in the zone. */
async function publishWhenShown(dev: DevEnvironment, api: ApiClient, over: AbortSignal): Promise<void> {
  const tenant = createTenant({ dns: dev.world.dns, publishAfterMs: PUBLISH_AFTER_MS });
  try {
    let records: NonNullable<OnboardingView['onboarding']>['records'] = [];
    while (records.length === 0) {
      await sleep(200, undefined, { signal: over });
      records = (await api.get(input.tenantId)).onboarding?.records ?? [];
    }
    await tenant.publishLater(toZoneRecords(records), over);
  } catch (error) {
    // The onboarding was over before: nothing is left to publish.
    if (!over.aborted) throw error;
  }
}

function demoOutcome(view: OnboardingView, dev: DevEnvironment) {
  return {
    outcome: view.failure?.type ?? view.outcome,
    tenantId: view.tenantId,
    workflowId: view.workflowId,
    runId: view.runId,
    domain: input.domain,
    domainId: view.result?.domainId ?? view.onboarding?.domainId ?? null,
    senderId: view.result?.senderId ?? view.onboarding?.senderId ?? null,
    emailId: view.result?.emailId ?? view.onboarding?.emailId ?? null,
    historyEvents: view.historyEvents,
    received: dev.world.mail
      .received()
      .map(({ messageId, to, dkim, spf, dmarc }) => ({ messageId, to: to.join(', '), dkim, spf, dmarc })),
    uiUrl: view.uiUrl,
  };
}

function forPeople(view: OnboardingView, dev: DevEnvironment): string {
  const received = dev.world.mail.received();
  const lines = [`${view.tenantId} (${input.domain}): ${view.failure?.message ?? view.outcome}`];
  for (const { messageId, to, subject, dkim, spf, dmarc } of received) {
    lines.push(
      `  Received by ${to.join(', ')}: "${subject}" ${messageId}`,
      `  Judged by the receiver: dkim=${dkim} spf=${spf} dmarc=${dmarc}`,
    );
  }
  if (received.length === 0) lines.push('  The mail server received nothing.');
  lines.push(`  ${view.historyEvents} events in the Event History`);
  if (view.uiUrl !== null) lines.push(`  Temporal UI: ${view.uiUrl}`);
  return lines.join('\n');
}

/** A part that dies ends the demo; one that merely stops does not. */
const failing = (run: Promise<void>): Promise<never> =>
  new Promise((_resolve, reject) => {
    run.catch(reject);
  });
