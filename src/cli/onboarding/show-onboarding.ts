import type { OnboardingView } from '../../client/onboarding/onboarding-view.ts';
import type { Mistake } from '../../onboarding/attention.ts';
import { inWords } from '../../lib/duration.ts';
import { hostInWords } from '../../onboarding/host-in-words.ts';
import type { DnsRecord } from '../../onboarding/dns-record.ts';
import { Stage } from '../../onboarding/stage.ts';
import { withoutUncheckedAdvice } from '../../onboarding/without-unchecked-advice.ts';
import { restartCommand } from '../../onboarding/start-again.ts';
import { printable } from '../../lib/printable.ts';

/** One paragraph per record; a long value stays on one line, so that it can be copied. */
export const recordsToPublish = (records: readonly DnsRecord[]): string =>
  records
    .map(
      (record) =>
        `  ${record.type.padEnd(4)} ${record.name} (${hostInWords(record)})${record.required ? '' : ', recommended'}\n       ${record.value}`,
    )
    .join('\n');

export const recordAsSeen = (record: DnsRecord): string =>
  [
    recordsToPublish([record]),
    `       last seen: ${record.status}`,
    ...record.findings.map(({ fix }) => `       ${fix}`),
  ].join('\n');

/** The text that `sendoff status` prints without --json: what is wrong and what to do first, then the details. */
export function showOnboarding(view: OnboardingView): string {
  return printable(
    [
      headline(view),
      ...presence(view),
      ...stuckTask(view),
      ...mistakes(view),
      ...(view.domainWatch === null ? [] : domainWatch(view.domainWatch)),
      ...end(view),
      ...waiting(view),
      ...details(view),
    ].join('\n'),
  );
}

function headline({ tenantId, domain, outcome, stage, stageSince, exit, endedAt, deadline }: OnboardingView): string {
  const subject = `${tenantId} (${domain})`;
  if (outcome !== 'running') {
    return `${subject}: ${outcome}${exit === null ? '' : `, exit ${exit}`}${endedAt === null ? '' : ` at ${endedAt}`}`;
  }
  const until = stage === Stage.awaitingDomain && deadline !== null ? `, until ${deadline}` : '';
  return `${subject}: running, stage ${stage} since ${stageSince}${exit === null ? '' : `, exit ${exit}`}${until}`;
}

/** Whether the onboarding can proceed, and how old the data is if not. */
export function presence({
  outcome,
  ageSeconds,
  temporal,
}: Pick<OnboardingView, 'outcome' | 'ageSeconds' | 'temporal'>): string[] {
  const age = `This is what was recorded ${ago(ageSeconds)}`;
  if (!temporal.reachable) return [`  ! Temporal does not answer. ${age}`];
  if (outcome !== 'running' || temporal.workers === 'polling') return [];
  return [
    temporal.workers === 'none'
      ? `  ! No Worker is running, so nothing proceeds. ${age}. Start one with: sendoff worker`
      : `  ! No Worker answers now: those that ran a minute ago are busy, or have ended. ${age}. Find out with: sendoff doctor`,
  ];
}

/** `3 minutes ago`: in hours from two hours on, in minutes from two minutes on. */
function ago(seconds: number): string {
  const unit = [3_600, 60].find((one) => seconds >= 2 * one) ?? 1;
  return `${inWords(Math.floor(seconds / unit) * unit * 1_000)} ago`;
}

function stuckTask({ stuck }: OnboardingView): string[] {
  if (stuck === null) return [];
  return [
    `  ! Nothing has proceeded since ${stuck.since}: its Workflow Task fails again and again. See "A bad release" in docs/operating.md`,
    `      ${stuck.message}`,
  ];
}

function mistakes({ needsAttention, domainWatch: watch }: OnboardingView): string[] {
  if (needsAttention === null) return [];
  const what =
    watch === null
      ? `The tenant must correct its DNS; the mistakes were found at ${needsAttention.since}:`
      : `The domain was verified and has drifted since ${needsAttention.since}; the tenant must correct its DNS:`;
  return [`  ! ${what}`, ...mistakeLines(needsAttention.findings)];
}

/** A remedy that several mistakes in a row share, such as name servers that fail, follows the last of them. */
export const mistakeLines = (mistakes: readonly Mistake[]): string[] =>
  mistakes.flatMap(({ code, name, purpose, fix, publish }, index) => [
    `      ${code} at ${name} (${purpose})`,
    ...(mistakes[index + 1]?.fix === fix && publish === undefined ? [] : [`        ${fix}`]),
    ...(publish === undefined ? [] : [`        ${publish.type} ${publish.host}  ${publish.value}`]),
  ]);

/** The findings of a verified domain's checks, and the muted records. */
export function domainWatch({
  state,
  stateSince,
  suspicion,
  muted,
  checkedAt,
  nextCheckAt,
  problem,
}: NonNullable<OnboardingView['domainWatch']>): string[] {
  const checked = checkedAt === null ? 'not checked yet' : `checked at ${checkedAt}`;
  const next = nextCheckAt === null ? '' : `, next at ${nextCheckAt}`;
  return [
    `  domain       ${state} since ${stateSince}, ${checked}${next}`,
    ...(suspicion === null ? [] : [`               the last check found it ${suspicion.of}; the next checks decide`]),
    ...(problem === null ? [] : [`               the last check was inconclusive: ${problem}`]),
    ...muted.map(({ purpose, by, at, reason }) => `  muted        ${purpose}, by ${by} at ${at}: ${reason}`),
  ];
}

function end({
  tenantId,
  outcome,
  failure,
  firstEmailRelease: release,
  result,
  remains,
  onboarding,
}: OnboardingView): string[] {
  const undo = failure?.details.undo ?? onboarding.undo;
  // The undo report above already lists what it kept or could not undo.
  const left = remains.filter((one) => undo.every(({ step }) => step !== one.step));
  const isOver = outcome !== 'running' && outcome !== 'onboarded';
  return [
    ...(failure === null ? [] : [`  ${failure.type}: ${failure.message}`]),
    ...(failure?.type === 'EmailBounced' ? [`  permanent    ${permanence(failure.details.permanentFor)}`] : []),
    ...(failure === null && outcome === 'running' && onboarding.badEnd !== null
      ? [`  ${onboarding.badEnd.message}`]
      : []),
    ...(release === null ? [] : [`  released     by ${release.by} at ${release.at}: ${release.reason}`]),
    ...(failure?.type === 'SendOutcomeUnknown' && release === null
      ? [`  If ${failure.details.provider} has not accepted it: sendoff release-email ${tenantId} --reason TEXT`]
      : []),
    ...(result === null ? [] : [`  delivered    ${result.emailId} at ${result.deliveredAt ?? 'an unknown time'}`]),
    ...undo.map(
      ({ step, resourceId, result: undone, reason }) =>
        `  ${undone.padEnd(12)} ${step} ${resourceId ?? ''} (${reason})`,
    ),
    ...left.map(
      ({ step, resourceId }) =>
        `  remains      ${step} ${resourceId ?? '(no response was recorded: the provider may hold one)'}`,
    ),
    ...(isOver ? [`  To start it again: ${restartCommand(tenantId)}`] : []),
  ];
}

function permanence(permanentFor: 'address' | 'message' | null | undefined): string {
  if (permanentFor === 'address') return 'the address: another email to it would bounce as well';
  return permanentFor === 'message' ? 'this message or its sender; the address may be right' : 'nothing that is known';
}

function waiting({ waitingFor, checkedAt, nextCheckAt }: OnboardingView): string[] {
  return [
    ...(checkedAt === null
      ? []
      : [`  DNS checked  ${checkedAt}${nextCheckAt === null ? '' : `, next at ${nextCheckAt}`}`]),
    ...waitingFor.map(
      ({ activity, attempt, message, nextAttemptAt }) =>
        `  waiting      ${activity}, attempt ${attempt}, next ${nextAttemptAt === null ? 'now' : `at ${nextAttemptAt}`}: ${message ?? 'running'}`,
    ),
  ];
}

function details(view: OnboardingView): string[] {
  const { workflowId, runId, uiUrl, stage, deadline, apiKey, onboarding, ageSeconds } = view;
  const { stages, records } = onboarding;
  const claimed = apiKey.claimedAt === null ? '' : ` at ${apiKey.claimedAt} by ${apiKey.claimedBy ?? 'unknown'}`;
  return [
    `  last write   ${ago(ageSeconds)}`,
    `  Workflow ID  ${workflowId} (run ${runId})`,
    ...(uiUrl === null ? [] : [`  Temporal UI  ${uiUrl}`]),
    ...(apiKey.keyId === null ? [] : [`  API key      ${apiKey.keyId}, ${apiKey.state}${claimed}`]),
    ...stages.map(({ stage, at }) => `  ${at}  ${stage}`),
    ...(records.length === 0
      ? []
      : [stage === Stage.awaitingDomain ? `  to publish until ${deadline ?? 'the deadline'}:` : '  records:']),
    ...withoutUncheckedAdvice(records).map(recordAsSeen),
  ];
}
