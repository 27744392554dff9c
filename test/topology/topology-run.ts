import { setTimeout as delay } from 'node:timers/promises';
import { rejection } from '../../src/cli/local/local-deployment.ts';
import type { OnboardingView } from '../../src/client/onboarding/onboarding-view.ts';
import { followAbort } from '../../src/lib/timing/follow-abort.ts';
import type { PlannedTenant } from '../crash/crash-plan.ts';
import { counted, listed } from '../crash/crash-report.ts';
import { heldAtService } from '../crash/held-at-service.ts';
import { type Fault, judgeTenant } from '../crash/judge-tenant.ts';
import { createPatientBackend, type PatientBackend } from '../crash/patient-backend.ts';
import { playAll } from '../crash/play-all.ts';
import { recipientOf, refusedRecipients } from '../crash/play-tenant.ts';
import type { Deployment } from '../deployment/start-deployment.ts';
import { untilReady } from '../deployment/until-ready.ts';
import { rotateEverything } from './rotate-everything.ts';
import { type MemorySample, sampleMemory, shownSample } from './memory-samples.ts';
import { SENDER, loadRecipients, sendEmails } from './send-emails.ts';

export interface TopologyRunOptions {
  /** With restarts, as many again until the last restart is over. */
  readonly tenants: number;
  /** Ends every process with SIGTERM while tenants are onboarded, one after the other, each once the one before is ready again. */
  readonly restart: boolean;
  /** Rotates all keys and versions meanwhile (`rotate-everything.ts`) while they wait. */
  readonly rotate?: boolean;
  /**
   * Onboards as many again for so long, while one of the tenants sends emails, and samples what each program holds, which
   * must be inspected. @default 0: not at all
   */
  readonly minutes?: number;
  readonly report: (line: string) => void;
  /** Ends the run early; it rejects then. */
  readonly signal: AbortSignal;
}

export interface TopologyReport {
  /** By what they came to. */
  readonly onboardings: Readonly<Record<string, number>>;
  readonly messages: number;
  /** How many processes were ended with SIGTERM under load. */
  readonly restarts: number;
  /** Calls of the backend that had to be repeated, by the answer. */
  readonly retriedAfter: Readonly<Record<string, number>>;
  /** Of every program, once a minute. */
  readonly samples: readonly MemorySample[];
  readonly faults: readonly Fault[];
  /** Ends that were not asked for, by process. */
  readonly ownEnds: Readonly<Record<string, readonly string[]>>;
  readonly seconds: number;
}

/** All onboardings and restarts take one or two minutes; beside other programs several times as long. */
const ENDED_WITHIN_MS = 10 * 60_000;
/** Two moves to a version and one back are watched for two minutes each. */
const ROTATED_WITHIN_MS = 60 * 60_000;
const LOOK_PAUSE_MS = 500;
/** A thousand tenants wait at once. */
const LOOK_PAUSE_WITH_ROTATION_MS = 20_000;
const KINDS_OF_WAITING = [
  ...(['good', 'good', 'good', 'refused', 'good', 'cancelled', 'good', 'unpublished'] as const),
] as const;
const STARTED_WITHIN_MS = 8 * 60_000;
/** From the moment the records are shown. */
const PUBLISHED_WITHIN_MS = 12 * 60_000;
/** Between two onboardings, and between two restarts. */
const PAUSE_WITH_RESTARTS_MS = 1_500;

/** Onboards tenants through every server of a deployment that is ready, and judges by what mailbox and email service have. */
export async function topologyRun(deployment: Deployment, options: TopologyRunOptions): Promise<TopologyReport> {
  const { report, signal, minutes = 0, rotate = false } = options;
  const startedMs = performance.now();
  const over = followAbort(signal);
  const endedWithinMs = minutes * 60_000 + (rotate ? ROTATED_WITHIN_MS : ENDED_WITHIN_MS);
  const timer = setTimeout(() => {
    over.abort(new Error(`the run has not ended within ${endedWithinMs / 1_000} s`));
  }, endedWithinMs);
  try {
    const { world, api } = deployment;
    world.mail.refuse({
      recipient: refusedRecipients,
      reply: { code: 550, enhanced: '5.1.1', text: 'This mailbox does not exist' },
    });
    // Restarts are made under a load balancer, as in production; otherwise every server is called by itself.
    const urls = options.restart || rotate ? [api.url] : deployment.serverUrls;
    const backends = urls.map((url) => createPatientBackend({ ...api, url }, over.signal));
    let restarts = 0;
    let restarting = options.restart || rotate;
    let samples: readonly MemorySample[] = [];
    let emails = 0;
    let measuring = minutes > 0;
    const measured = measuring ? measure() : undefined;
    async function measure(): Promise<void> {
      const sending = followAbort(over.signal);
      const sent = sendEmails(deployment, { backend: inTurn(backends), signal: sending.signal });
      const sampled = sampleMemory(deployment.programs, minutes, { report, signal: over.signal }).finally(() => {
        measuring = false;
        sending.abort();
      });
      [samples, emails] = await Promise.all([sampled, sent]);
    }
    let { emailService } = deployment;
    const useTokens = ({ apiToken, operatorToken }: { apiToken: string; operatorToken: string }): void => {
      emailService = { ...emailService, operatorToken };
      backends.splice(0, backends.length, createPatientBackend({ ...api, apiToken }, over.signal));
    };
    const replace = options.restart ? restartAll : rotate ? rotateEverything : undefined;
    const restarted = replace?.(deployment, { report, signal: over.signal, useTokens }).then((count) => {
      restarts = count;
      restarting = false;
    });
    const tenants: PlannedTenant[] = [];
    const views = new Map<string, OnboardingView>();
    do {
      const wave = plannedTenants(tenants.length, options);
      tenants.push(...wave);
      const played = await Promise.race([
        playAll(wave, {
          ...{ backend: inTurn(backends), world, signal: over.signal, report },
          lookPauseMs: rotate ? LOOK_PAUSE_WITH_ROTATION_MS : LOOK_PAUSE_MS,
        }),
        ...[restarted, measured].flatMap((other) => (other === undefined ? [] : [rejection(other)])),
      ]);
      for (const [tenantId, view] of played) views.set(tenantId, view);
    } while ((restarting || measuring) && !rotate && !over.signal.aborted);
    await Promise.all([restarted, measured]);
    signal.throwIfAborted();
    const received = world.mail.received();
    const verdicts = [];
    for (const tenant of tenants) {
      const recipient = recipientOf(tenant);
      verdicts.push(
        judgeTenant({
          ...{ tenant, view: views.get(tenant.id), emailServiceKillsMs: [] },
          held: await heldAtService(emailService, tenant.id),
          copies: received.filter(({ to }) => to.includes(recipient)),
        }),
      );
    }
    const faults = verdicts.flatMap(({ faults }) => faults);
    const delivered = received.filter(({ to }) => to.some((address) => loadRecipients.test(address))).length;
    if (delivered !== emails) {
      const words = `${emails} emails were accepted beside the onboardings, and the receiver has ${delivered}`;
      faults.push({ kind: delivered < emails ? 'lost' : 'duplicate', tenantId: SENDER.id, words });
    }
    return {
      onboardings: counted(verdicts.map(({ outcome }) => outcome)),
      messages: received.length,
      restarts,
      retriedAfter: Object.fromEntries(backends.flatMap(({ retriedAfter }) => [...retriedAfter])),
      samples,
      faults,
      ownEnds: Object.fromEntries(
        deployment.programs.flatMap(({ name, ownEnds }) =>
          ownEnds.length === 0 ? [] : [[name, ownEnds.map(({ words }) => words)]],
        ),
      ),
      seconds: Math.round((performance.now() - startedMs) / 1_000),
    };
  } finally {
    clearTimeout(timer);
    over.abort();
  }
}

/** Every fourth is refused by the receiver. With a rotation some publish at any time of it, or are cancelled, or publish nothing. */
const plannedTenants = (before: number, options: TopologyRunOptions): readonly PlannedTenant[] =>
  options.rotate === true ? waitingTenants(options.tenants) : quickTenants(before, options);

const waitingTenants = (tenants: number): readonly PlannedTenant[] =>
  Array.from({ length: tenants }, (_, index) => ({
    id: `tenant-${index + 1}`,
    kind: KINDS_OF_WAITING[index % KINDS_OF_WAITING.length] ?? 'good',
    pauseMs: STARTED_WITHIN_MS / tenants,
    publishAfterMs: (index * 7_919) % PUBLISHED_WITHIN_MS,
    cancelAfterMs: (index * 6_007) % PUBLISHED_WITHIN_MS,
  }));

const quickTenants = (before: number, { tenants, restart }: TopologyRunOptions): readonly PlannedTenant[] =>
  Array.from({ length: tenants }, (_, index) => ({
    id: `tenant-${before + index + 1}`,
    kind: index % 4 === 3 ? 'refused' : 'good',
    pauseMs: restart ? PAUSE_WITH_RESTARTS_MS : 0,
    publishAfterMs: 0,
    cancelAfterMs: 0,
  }));

/** Each call goes to the next one: what one server accepted, another one shows. */
function inTurn(backends: readonly PatientBackend[]): PatientBackend {
  let turn = 0;
  const next = (): PatientBackend => {
    const backend = backends[turn % backends.length];
    if (backend === undefined) throw new Error('no server to call');
    turn += 1;
    return backend;
  };
  return {
    start: (input) => next().start(input),
    view: (tenantId) => next().view(tenantId),
    cancel: (tenantId) => next().cancel(tenantId),
    retriedAfter: new Map(),
  };
}

async function restartAll(
  { programs }: Deployment,
  { report, signal }: { readonly report: (line: string) => void; readonly signal: AbortSignal },
): Promise<number> {
  for (const program of programs) {
    await delay(PAUSE_WITH_RESTARTS_MS, undefined, { signal });
    const startedMs = performance.now();
    await program.restart();
    await untilReady([program], signal);
    report(`Restarted ${program.name} in ${((performance.now() - startedMs) / 1_000).toFixed(1)} s`);
  }
  return programs.length;
}

/** For people. */
export const shownTopologyReport = (report: TopologyReport): string =>
  [
    `onboardings     ${listed(report.onboardings)}`,
    `messages        ${report.messages}`,
    `restarts        ${report.restarts}`,
    `calls repeated  ${listed(report.retriedAfter)}`,
    `faults          ${report.faults.length}`,
    `seconds         ${report.seconds}`,
    ...report.samples.map(shownSample),
    ...report.faults.map(({ kind, tenantId, words }) => `FAULT ${kind}: ${tenantId}: ${words}`),
    ...Object.entries(report.ownEnds).map(([name, words]) => `ENDED ${name}: ${words.join('; ')}`),
  ].join('\n');

/** Whether nothing went wrong. Without a kill, no call has to be repeated and no process ends by itself. */
export const isClean = ({ faults, ownEnds, retriedAfter }: TopologyReport, rotated = false): boolean =>
  faults.length + Object.keys(ownEnds).length + (rotated ? 0 : Object.keys(retriedAfter).length) === 0;
