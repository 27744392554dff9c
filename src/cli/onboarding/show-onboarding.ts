import type { OnboardingView } from '../../client/onboarding-view.ts';
import { hostInWords } from '../../onboarding/host-in-words.ts';
import type { DnsRecord } from '../../onboarding/dns-record.ts';

/** One paragraph per record; a long value stays on one line, so that it can be copied. */
export const recordsToPublish = (records: readonly DnsRecord[]): string =>
  records
    .map(
      (record) =>
        `  ${record.type.padEnd(4)} ${record.name} (${hostInWords(record)})${record.required ? '' : ', recommended'}\n       ${record.value}`,
    )
    .join('\n');

const recordAsSeen = (record: DnsRecord): string =>
  [
    recordsToPublish([record]),
    `       last seen: ${record.status}`,
    ...record.findings.map(({ fix }) => `       ${fix}`),
  ].join('\n');

/** The text that `sendoff status` prints without --json. */
export function showOnboarding(view: OnboardingView): string {
  const { onboarding, failure, result } = view;
  const lines = [`${view.tenantId}: ${view.outcome}, stage ${view.stage}`];
  lines.push(`  Workflow Id  ${view.workflowId} (run ${view.runId})`);
  if (view.uiUrl !== null) lines.push(`  Temporal UI  ${view.uiUrl}`);
  if (view.temporal.workers !== 'polling') {
    lines.push(`  No Worker is answering. This is the state of ${view.ageSeconds} s ago.`);
  }
  for (const { stage, at } of onboarding.stages) lines.push(`  ${at}  ${stage}`);
  for (const { activity, attempt, message, nextAttemptAt } of view.waitingFor) {
    lines.push(
      `  waiting      ${activity}, attempt ${attempt}, next ${nextAttemptAt === null ? 'now' : `at ${nextAttemptAt}`}: ${message ?? 'running'}`,
    );
  }
  const until = onboarding.verificationDeadline ?? 'the deadline';
  const { records } = onboarding;
  if (records.length > 0)
    lines.push(onboarding.stage === 'awaitingDomain' ? `  to publish until ${until}:` : '  records:');
  lines.push(...records.map(recordAsSeen));
  if (result !== null) lines.push(`  delivered    ${result.emailId} at ${result.deliveredAt ?? 'an unknown time'}`);
  if (failure !== null) lines.push(`  ${failure.type}: ${failure.message}`);
  const undo = failure?.details.undo ?? onboarding.undo;
  for (const { step, resourceId, result: undone, reason } of undo) {
    lines.push(`  ${undone.padEnd(12)} ${step} ${resourceId ?? ''} (${reason})`);
  }
  // The undo report above already lists what it kept or could not undo.
  for (const { step, resourceId } of view.remains.filter((one) => undo.every(({ step }) => step !== one.step))) {
    lines.push(`  remains      ${step} ${resourceId ?? '(no response was recorded: the provider may hold one)'}`);
  }
  return lines.join('\n');
}
