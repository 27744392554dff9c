import { counted } from '../../lib/counted.ts';
import type { OnboardingView } from '../../client/onboardings.ts';
import { hostInWords } from '../../onboarding/host-in-words.ts';
import type { DnsRecord } from '../../onboarding/dns-record.ts';

/** One paragraph per record, as one types it at a DNS provider; a long value stays on one line to be copied. */
export const recordsToPublish = (records: readonly DnsRecord[]): string =>
  records
    .map(
      (record) =>
        `  ${record.type.padEnd(4)} ${record.name} (${hostInWords(record)})${record.required ? '' : ', advised'}\n       ${record.value}`,
    )
    .join('\n');

const recordAsSeen = (record: DnsRecord): string =>
  [
    recordsToPublish([record]),
    `       last seen: ${record.status}`,
    ...record.findings.map(({ fix }) => `       ${fix}`),
  ].join('\n');

/** What `sendoff status` prints for people. */
export function showOnboarding(view: OnboardingView): string {
  const { onboarding, failure, result } = view;
  const lines = [`${view.tenantId}: ${view.outcome}${onboarding === null ? '' : `, stage ${onboarding.stage}`}`];
  const history = view.historyEvents === null ? 'no longer in Temporal' : counted(view.historyEvents, 'event');
  lines.push(`  Workflow Id  ${view.workflowId} (run ${view.runId}, ${history})`);
  if (view.uiUrl !== null) lines.push(`  Temporal UI  ${view.uiUrl}`);
  if (onboarding === null) lines.push('  No Worker answers just now, so the stage is not known.');
  for (const { stage, at } of onboarding?.stages ?? []) lines.push(`  ${at}  ${stage}`);
  for (const { activity, attempt, message, nextAttemptAt } of view.waitingFor) {
    lines.push(
      `  waiting      ${activity}, attempt ${attempt}, next at ${nextAttemptAt ?? 'once'}: ${message ?? 'under way'}`,
    );
  }
  const until = onboarding?.verificationDeadline ?? 'the deadline';
  const records = onboarding?.records ?? [];
  if (records.length > 0)
    lines.push(onboarding?.stage === 'awaitingDomain' ? `  to publish until ${until}:` : '  records, as last seen:');
  lines.push(...records.map(recordAsSeen));
  if (result !== null) lines.push(`  delivered    ${result.emailId} at ${result.deliveredAt ?? 'an unknown time'}`);
  if (failure !== null) lines.push(`  ${failure.type}: ${failure.message}`);
  const undo = failure?.details.undo ?? onboarding?.undo ?? [];
  for (const { step, resourceId, result: undone, reason } of undo) {
    lines.push(`  ${undone.padEnd(12)} ${step} ${resourceId ?? ''} (${reason})`);
  }
  if (view.remains === null) lines.push('  what remains at the provider cannot be told without a Worker');
  // What an undo kept or could not take back stands in its report.
  for (const { step, resourceId } of view.remains?.filter((one) => undo.every(({ step }) => step !== one.step)) ?? []) {
    lines.push(`  remains      ${step} ${resourceId ?? '(ended before its answer: the provider may hold one)'}`);
  }
  return lines.join('\n');
}
