import { setTimeout as delay } from 'node:timers/promises';
import { crashPlan, type CrashPlanOptions } from './crash-plan.ts';
import { crashReport, type CrashReport } from './crash-report.ts';
import { followAbort } from '../../src/lib/timing/follow-abort.ts';
import { heldAtService } from './held-at-service.ts';
import { judgeEmails } from './judge-emails.ts';
import { judgeTenant } from './judge-tenant.ts';
import { killAll } from './kill-all.ts';
import { createPatientBackend } from './patient-backend.ts';
import { playAll } from './play-all.ts';
import { MAILER, playEmails } from './play-emails.ts';
import { recipientOf, refusedRecipients } from './play-tenant.ts';
import {
  type Deployment,
  type DeploymentOptions,
  type ProcessName,
  processNames,
  startDeployment,
} from '../deployment/start-deployment.ts';
import type { OwnEnd } from '../deployment/killable.ts';
import { untilReady } from '../deployment/until-ready.ts';

/** `signal` ends the run early; it rejects then. */
export type CrashRunOptions = CrashPlanOptions & DeploymentOptions;

/**
 * From the last kill on. A step that found no process repeatedly is tried every five minutes, a webhook too; a poll that died
 * with its Worker is given up after 20 s and made again after a minute. A deletion whose answer was lost is repeated for five minutes,
 * because "not found" may come from a proxy. The longest of these, and an onboarding after it.
 */
const SETTLE_MS = 9 * 60_000;

/** Kills, while tenants are onboarded and an account sends emails of all kinds; then waits for every end and judges by what the receiver and the email service hold. */
export async function crashRun(options: CrashRunOptions): Promise<CrashReport> {
  const { report, signal } = options;
  const startedMs = performance.now();
  const plan = crashPlan(options);
  const deployment = await startDeployment(options);
  // Aborted at the end in any case, so that nothing continues.
  const over = followAbort(signal);
  let timer: NodeJS.Timeout | undefined;
  try {
    deployment.world.mail.refuse({
      recipient: refusedRecipients,
      reply: { code: 550, enhanced: '5.1.1', text: 'There is nobody of that name here' },
    });
    await untilReady(deployment.programs, signal);
    const backend = createPatientBackend(deployment.api, over.signal);
    const playing = playAll(plan.tenants, { backend, world: deployment.world, signal: over.signal, report });
    const killing = new AbortController();
    const mailing = playEmails(deployment, { signal: killing.signal, over: over.signal });
    mailing.catch(() => undefined);
    const kills = await killAll(plan.kills, deployment, { report, signal });
    killing.abort();

    report('No more kills; waiting for every onboarding to end');
    timer = setTimeout(() => {
      over.abort(new Error(`it has not ended ${SETTLE_MS / 1_000} s after the last kill`));
    }, SETTLE_MS);
    const views = await playing;
    const played = await mailing;
    const senders = [...plan.tenants.map(({ id }) => id), MAILER];
    await untilNothingIsQueued(deployment, senders, over.signal);
    signal.throwIfAborted();

    const received = deployment.world.mail.received();
    const emailServiceKillsMs = kills.flatMap(({ process, atMs }) => (process === 'emailService' ? [atMs] : []));
    const verdicts = [];
    for (const tenant of plan.tenants) {
      const recipient = recipientOf(tenant);
      verdicts.push(
        judgeTenant({
          tenant,
          view: views.get(tenant.id),
          held: await heldAtService(deployment.emailService, tenant.id),
          copies: received.filter(({ to }) => to.includes(recipient)),
          emailServiceKillsMs,
        }),
      );
    }
    const emails = judgeEmails({
      ...{ played, received, killsMs: emailServiceKillsMs },
      held: (await heldAtService(deployment.emailService, MAILER)).emails,
    });
    report(`${played.length} emails of the account ${MAILER} were accepted`);
    const { processes } = deployment;
    const ownEndsOf = (name: ProcessName): readonly OwnEnd[] => processes[name].flatMap(({ ownEnds }) => ownEnds);
    return crashReport({
      database: options.database,
      seed: options.seed,
      onboardings: options.onboardings,
      kills,
      verdicts,
      received,
      emails: { ...emails, count: played.length },
      recipients: [...plan.tenants.map(recipientOf), ...played.map(({ recipient }) => recipient)],
      ownEnds: Object.fromEntries(processNames.map((name) => [name, ownEndsOf(name)])) as Record<
        ProcessName,
        readonly OwnEnd[]
      >,
      retriedAfter: backend.retriedAfter,
      seconds: (performance.now() - startedMs) / 1_000,
    });
  } finally {
    clearTimeout(timer);
    over.abort();
    await deployment.stop();
  }
}

/** An email of an onboarding that was called off meanwhile may still be on its way, and must not come after the verdict. */
async function untilNothingIsQueued(
  { emailService }: Deployment,
  accounts: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  for (const id of accounts) {
    while (!signal.aborted) {
      const held = await heldAtService(emailService, id).catch(() => undefined);
      if (held?.emails.every(({ status }) => status !== 'queued') === true) break;
      await delay(1_000, undefined, { signal }).catch(() => undefined);
    }
  }
}
