// The view of operators in the Temporal UI: Search Attributes, each update of which costs a history event, and Current Details, which cost none.
import { setCurrentDetails, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { findingCodes } from '../../onboarding/attention.ts';
import { currentDetails } from '../../onboarding/current-details.ts';
import type { DnsRecord } from '../../onboarding/dns-record.ts';
import type { Onboarding } from '../../onboarding/onboarding.ts';
import { endStages, Stage, stagesAfterWait } from '../../onboarding/stage.ts';
import { deadlineKey, findingKey, stageKey } from '../search-attributes.ts';
import type { OnboardingRun } from './onboarding-run.ts';

/** Only stages that operators filter by are searchable: each Search Attribute update costs a history event. A wait is once it begins. */
export function enterStage(run: OnboardingRun, stage: Stage): void {
  const { onboarding } = run;
  onboarding.stage = stage;
  onboarding.stages.push({ stage, at: new Date().toISOString() });
  if (endStages.includes(stage)) listStage(run);
  showDetails(onboarding);
}

/** Called before the patient attempt of a step, which may last a day. The steps before the domain wait stay listed as the first stage. */
export function listStep(run: OnboardingRun): void {
  if (stagesAfterWait.includes(run.onboarding.stage)) listStage(run);
}

export function showRecordedEnd(run: OnboardingRun, recorded: Onboarding | undefined): void {
  Object.assign(run.onboarding, recorded);
  listStage(run);
  showDetails(run.onboarding);
}

/** Called for a wait after its first check has not found its end. */
export function listStage(run: OnboardingRun): void {
  const { stage } = run.onboarding;
  run.shownCause = '';
  upsertSearchAttributes([
    { key: stageKey, value: stage },
    { key: deadlineKey, value: stage === Stage.awaitingDomain ? new Date(run.verificationDeadline) : null },
    { key: findingKey, value: null },
  ]);
}

/**
 * Shows the mistakes that a check found, and lists them as a Search Attribute if their cause changed. A cause that flaps
 * is listed five times at most; Current Details and the register show every one.
 *
 * @param cause as the Activity reported it, so that a later rule of `attentionOf` replays; undefined: not listed
 */
export function showCheck(run: OnboardingRun, { records, cause }: { records: DnsRecord[]; cause?: string }): void {
  const { onboarding } = run;
  onboarding.records = records;
  if (cause !== undefined && cause !== run.shownCause && run.causeChangesLeft > 0) {
    run.shownCause = cause;
    run.causeChangesLeft -= 1;
    const codes = findingCodes(records);
    upsertSearchAttributes([{ key: findingKey, value: codes.length === 0 ? null : codes }]);
  }
  showDetails(onboarding);
}

/** Costs no history event: the Temporal UI queries it. */
export function showDetails(onboarding: Onboarding): void {
  setCurrentDetails(currentDetails(onboarding, workflowInfo().namespace));
}
