import type { CheckResult } from '../../agents-md/check-result.ts';
import type { CheckView, RunningCheck } from '../../client/agents-md/checks.ts';
import { printable } from '../../lib/printable.ts';

export function showCheckResult(result: CheckResult): string {
  const { outcome, status, reasonCode, message, remediation, subject, evidence, checkedAt, unchangedSince } = result;
  const lines = [`${subject.producerId}: ${outcome ?? status} (${reasonCode})`, `  ${message}`];
  if (remediation.steps.length > 0) {
    lines.push(`  To do     ${remediation.summary}`, ...remediation.steps.map((step) => `            - ${step}`));
  }
  if (evidence !== null) lines.push(`  Evidence  ${evidence.finalUrl}`);
  if (subject.selectedBy !== null && subject.selectedBy !== 'input') {
    lines.push(`  Primary   ${subject.primaryRepository ?? 'none'}, selected by ${subject.selectedBy}`);
  }
  const since = unchangedSince === null || unchangedSince === checkedAt ? '' : `, unchanged since ${unchangedSince}`;
  lines.push(`  Checked   ${checkedAt}${status === 'conclusive' ? since : ''}`);
  if (status === 'inconclusive' && result.lastConclusive !== null)
    lines.push(lastConclusiveLine(result.lastConclusive));
  return printable(lines.join('\n'));
}

export function showCheckView({ producerId, running, latest, failure, uiUrl }: CheckView): string {
  const lines = latest === null ? [`${producerId}: not checked yet`] : [showCheckResult(latest)];
  if (failure !== null) lines.push(`  Failed    ${failure.message}`);
  if (running !== null) lines.push(...runningLines(running));
  if (uiUrl !== null) lines.push(`  Temporal  ${uiUrl}`);
  return printable(lines.join('\n'));
}

function runningLines({ workflowId, startedAt, waitingFor, details, currentRequest }: RunningCheck): string[] {
  const attempts = waitingFor.map(
    ({ activity, attempt, message, nextAttemptAt }) =>
      `${activity}, attempt ${attempt}, ${nextAttemptAt ?? 'now'}: ${message ?? (nextAttemptAt === null ? 'running' : 'scheduled')}`,
  );
  const waits = attempts.length > 0 || currentRequest === null ? attempts : [currentRequest];
  // Without a Worker, a pending attempt may not have started.
  if (details === null) waits.push('no Worker is answering; the check continues when one does');
  return [`  Running   ${workflowId} since ${startedAt}`, ...waits.map((wait) => `  Waiting   ${wait}`)];
}

const lastConclusiveLine = ({ outcome, reasonCode, checkedAt }: NonNullable<CheckResult['lastConclusive']>): string =>
  `  Before    ${outcome} (${reasonCode}), checked ${checkedAt}; it remains valid until the next conclusive check`;
