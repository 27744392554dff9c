import type { OnboardingView } from '../../client/onboarding/onboarding-view.ts';
import { onboardingExitCode } from '../exit-codes.ts';
import type { DevEnvironment } from '../../dev/dev-environment.ts';
import type { HeldAtProvider } from './held-at-provider.ts';

/** Printed with `--json`. */
export function demoReport(
  view: OnboardingView,
  dev: DevEnvironment,
  { held, historyEvents }: { held: HeldAtProvider; historyEvents: number },
) {
  const { exit = null, undo = view.onboarding.undo, ...details } = view.failure?.details ?? {};
  return {
    outcome: view.failure?.type ?? view.outcome,
    exit,
    message: view.failure?.message ?? null,
    details: view.failure === null ? null : details,
    undo,
    heldAtProvider: held,
    tenantId: view.tenantId,
    workflowId: view.workflowId,
    runId: view.runId,
    domain: view.domain,
    domainId: view.onboarding.domainId,
    senderId: view.onboarding.senderId,
    emailId: view.onboarding.emailId,
    historyEvents,
    received: dev.world.mail
      .received()
      .map(({ messageId, to, dkim, spf, dmarc }) => ({ messageId, to: to.join(', '), dkim, spf, dmarc })),
    uiUrl: view.uiUrl,
  };
}

export type DemoReport = ReturnType<typeof demoReport>;

/** Printed without `--json`. */
export function showDemo(
  view: OnboardingView,
  dev: DevEnvironment,
  report: DemoReport,
  { keep }: { readonly keep: boolean },
): string {
  const exit = report.exit === null ? '' : ` (exit ${report.exit})`;
  const lines = [`${report.tenantId} (${report.domain}): ${report.outcome}${exit}`];
  if (report.message !== null) lines.push(`  ${report.message}`);
  lines.push(...findings(view), ...bounce(view));
  for (const { step, resourceId, result, reason } of report.undo) {
    lines.push(`  ${result.padEnd(7)} ${step} ${resourceId ?? ''} (${reason})`);
  }
  if (report.outcome !== 'onboarded') {
    const held = Object.values(report.heldAtProvider).flat();
    lines.push(`  The email service still holds: ${held.length === 0 ? 'nothing' : held.join(', ')}`);
    lines.push(`  Exit code of 'sendoff onboard': ${onboardingExitCode(view)}`);
  }
  const received = dev.world.mail.received();
  for (const { messageId, to, subject, dkim, spf, dmarc } of received) {
    lines.push(
      `  Delivered to ${to.join(', ')}: "${subject}" ${messageId}`,
      `  Authentication results: dkim=${dkim} spf=${spf} dmarc=${dmarc}`,
    );
  }
  if (received.length === 0) lines.push('  The mail server received nothing.');
  lines.push(`  ${report.historyEvents} events in the Event History`);
  if (report.uiUrl !== null) lines.push(`  Temporal UI: ${report.uiUrl}`);
  if (!keep)
    lines.push('  Everything stops now. With --keep it runs until Ctrl-C, and you can look at it in the Temporal UI.');
  return lines.join('\n');
}

function findings({ failure }: OnboardingView): string[] {
  if (failure?.type !== 'DomainVerificationTimedOut') return [];
  return failure.details.records.flatMap(({ purpose, findings }) =>
    findings.map(({ code, name, fix }) => `  ${purpose}: ${code} at ${name}\n    ${fix}`),
  );
}

function bounce({ failure }: OnboardingView): string[] {
  if (failure?.type !== 'EmailBounced') return [];
  const { category, permanentFor, smtpCode, enhancedCode, remoteMta, diagnostic } = failure.details;
  return [
    `  ${category}${permanentFor == null ? '' : `, permanent for the ${permanentFor}`}: ${smtpCode ?? ''} ${enhancedCode ?? ''} from ${remoteMta ?? 'an unknown mail server'}`,
    `  ${diagnostic ?? ''}`,
  ];
}
