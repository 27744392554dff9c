import { dnsOperatorOf } from '../../onboarding/dns-operators/operator-of.ts';
import type { DnsOperator } from '../../onboarding/dns-operators/dns-operator.ts';
import { recordForm } from '../../onboarding/dns-operators/record-form.ts';
import type { DnsRecord, RecordFinding } from '../../onboarding/dns-record.ts';
import { temporaryFindings } from '../../lib/dns/findings/temporary-findings.ts';
import { attentionOf } from '../../onboarding/attention.ts';
import { printable } from '../../lib/printable.ts';
import { areConclusive, arePublished } from '../../onboarding/required-records.ts';
import type { OnboardingRecord } from '../../onboarding/onboarding-record.ts';
import { withoutUncheckedAdvice } from '../../onboarding/without-unchecked-advice.ts';
import { Stage, stagesAfterWait, stagesBeforeWait } from '../../onboarding/stage.ts';
import { en } from './texts/en.ts';
import type { SetupEnd, SetupRecord, SetupState, SetupView } from './setup-view.ts';

/** A zone may hold records of 64 KB, and many of them; a person recognizes a value by its beginning. */
const VALUE_CHARACTERS_MAX = 500;
const VALUES_MAX = 5;
const PROBLEMS_MAX = 5;
const FIX_CHARACTERS_MAX = 4_000;
/** Far more than any provider asks for. */
const RECORDS_MAX = 20;
const NAME_SERVERS_MAX = 20;

/**
 * The contents of the page of an onboarding, from its record in the register.
 *
 * @param options.generalForm the tenant says that the DNS operator is not the recognized one
 */
export function viewOfRecord(
  record: OnboardingRecord,
  { generalForm = false }: { readonly generalForm?: boolean } = {},
): SetupView {
  const { onboarding, outcome, waiting } = record;
  const records = onboarding.records.slice(0, RECORDS_MAX);
  const state = stateOf(record);
  const isWaiting = outcome === 'running' && onboarding.stage === Stage.awaitingDomain;
  const named = records.filter(({ zone }) => zone != null);
  const answered = named.filter((each) => each.nameServers !== undefined && each.nameServers.length > 0);
  const [widest] = (answered.length > 0 ? answered : named).toSorted(
    (one, other) => (one.zone ?? '').length - (other.zone ?? '').length,
  );
  const nameServers = (widest?.nameServers ?? []).slice(0, NAME_SERVERS_MAX);
  const recognized = operatorAt(nameServers);
  const operator = generalForm ? undefined : recognized;
  const operatorOfRecord = ({ zone, nameServers: own = [] }: DnsRecord): DnsOperator | undefined => {
    if (generalForm) return undefined;
    if (own.length > 0) return operatorAt(own);
    return (zone ?? null) === (widest?.zone ?? null) ? operator : undefined;
  };
  return {
    domain: onboarding.domain,
    zone: widest?.zone ?? null,
    state,
    operator: operator ?? null,
    recognized: recognized?.name ?? null,
    records: withoutUncheckedAdvice(records)
      .map((each) => recordView(each, operatorOfRecord(each)))
      .sort((one, other) => Number(other.required) - Number(one.required)),
    nameServers,
    checkedAt: record.checkedAt,
    nextCheckAt: isWaiting ? (waiting?.nextAttemptAt ?? null) : null,
    deadline: isWaiting ? onboarding.verificationDeadline : null,
    mayCheck: isWaiting,
    end: endOf(record),
  };
}

const operatorAt = (nameServers: NonNullable<DnsRecord['nameServers']>): DnsOperator | undefined =>
  dnsOperatorOf(nameServers.slice(0, NAME_SERVERS_MAX).map(({ name }) => name));

function stateOf({ outcome, onboarding, attention }: OnboardingRecord): SetupState {
  switch (outcome) {
    case 'onboarded':
      return attention === null ? 'delivered' : 'drifted';
    case 'failed':
      return 'failed';
    case 'cancelled':
      return 'cancelled';
    case 'terminated':
      return stoppedState(onboarding);
    case 'running':
      return runningState(onboarding);
  }
}

const stoppedState = ({ badEnd }: OnboardingRecord['onboarding']): SetupState =>
  badEnd === null || badEnd.type === 'Cancelled' ? 'cancelled' : 'failed';

function runningState(onboarding: OnboardingRecord['onboarding']): SetupState {
  const { stage, stages, records, badEnd } = onboarding;
  if (badEnd !== null) return stoppedState(onboarding);
  if (stage === Stage.awaitingDomain) return recordsState(records);
  if (stagesBeforeWait.includes(stage)) return 'preparing';
  // The end of the last stage is about to be recorded.
  const isDelivered = stage === Stage.done && stages.some((visit) => visit.stage === Stage.awaitingDelivery);
  return isDelivered || stagesAfterWait.includes(stage) ? 'verified' : stoppedState(onboarding);
}

function recordsState(records: readonly DnsRecord[]): SetupState {
  const required = records.filter((record) => record.required);
  if (records.length === 0) return 'preparing';
  if (attentionOf(records) !== null) return 'wrong';
  if (arePublished(records)) return 'published';
  if (required.some(({ status }) => status === 'missing')) return 'waiting';
  return required.some(({ status }) => status === 'inconclusive') ? 'unanswered' : 'waiting';
}

function recordView(record: DnsRecord, operator: DnsOperator | undefined): SetupRecord {
  const { purpose, type, name, host, required, status, found, findings } = record;
  // A tenant's own DMARC policy is kept where it is only damaged or misplaced.
  const { value } = findings.find(({ publish }) => publish?.type === type)?.publish ?? record;
  // What was published elsewhere, or in another form, is wrong to the person who published it.
  const isMistaken = status === 'missing' && attentionOf([{ ...record, required: true }]) !== null;
  const needsDot = findings.some(({ code }) => code === 'mx_target_appended' || code === 'cname_target_appended');
  return {
    ...{ purpose, type, name, host, value, required, status: isMistaken ? 'wrong' : status },
    form: recordForm({ ...record, value }, operator, needsDot ? { mxDot: true, cnameDot: true } : {}),
    needsEntry:
      status !== 'found' &&
      (findings.length === 0 ||
        findings.some(({ code, publish }) => publish !== undefined && !temporaryFindings.has(code))),
    found: found.slice(0, VALUES_MAX).map((each) => shortened(each, VALUE_CHARACTERS_MAX)),
    problems: shownFindings(findings).map((finding) => ({
      ...finding,
      fix: shortened(finding.fix, FIX_CHARACTERS_MAX),
    })),
  };
}

/** A check has a finding for each address of a name server; its sentence is the same. What passes by itself comes last. */
function shownFindings(findings: readonly RecordFinding[]): RecordFinding[] {
  const sentence = ({ code, name, fix, publish }: RecordFinding): string =>
    JSON.stringify([code, name, publish === undefined, Object.hasOwn(en.problems, code) ? '' : fix]);
  return [...new Map(findings.map((finding) => [sentence(finding), finding])).values()]
    .sort((one, other) => Number(temporaryFindings.has(one.code)) - Number(temporaryFindings.has(other.code)))
    .slice(0, PROBLEMS_MAX);
}

const shortened = (text: string, charactersMax: number): string =>
  text.length <= charactersMax ? text : `${text.slice(0, charactersMax)}…`;

function endOf({ outcome, failure, endedAt, onboarding }: OnboardingRecord): SetupEnd | null {
  const isUnderWay = outcome === 'running' && onboarding.badEnd === null && onboarding.stage !== Stage.undoing;
  if (outcome === 'onboarded' || isUnderWay) return null;
  const bounce = failure?.type === 'EmailBounced' ? failure.details : undefined;
  const answer = [bounce?.diagnostic, bounce?.reason].find((text) => text != null && text !== '');
  return {
    type: failure?.type ?? onboarding.badEnd?.type ?? (outcome === 'cancelled' ? 'Cancelled' : 'Terminated'),
    at: endedAt,
    conclusive: isConclusive(failure, onboarding.records),
    recipient: printable(bounce?.recipient ?? ''),
    reason: printable(shortened(answer ?? '', VALUE_CHARACTERS_MAX)),
  };
}

/** The details of a failure come with its end; until then, the records say the same. */
function isConclusive(failure: OnboardingRecord['failure'], records: readonly DnsRecord[]): boolean {
  if (failure !== null) return failure.type !== 'DomainVerificationTimedOut' || failure.details.conclusive;
  return areConclusive(records) && !arePublished(records);
}
