import type { ActivityDependencies } from './activity-dependencies.ts';
import type { Onboarding } from '../onboarding/onboarding.ts';
import { Stage, stagesAfterWait } from '../onboarding/stage.ts';
import type { KeptField, OwnInput, StepRow, UndoableRow } from '../onboarding/steps.ts';
import { apiKeyActivities } from './onboarding/create-api-keys.ts';
import { catalogueActivities, type CatalogueDependencies } from './agents-md/catalogue.ts';
import { domainActivities } from './onboarding/register-domain.ts';
import { checkDomainActivities } from './onboarding/check-domain.ts';
import { agentsFileActivities, type AgentsFileDependencies } from './agents-md/fetch-agents-file.ts';
import { firstEmailActivities } from './onboarding/send-first-email.ts';
import { recordActivities, withRecording, type StageOfActivity, stagesOfSteps } from './onboarding/with-recording.ts';
import { notificationActivities } from './upkeep/send-notification.ts';
import { announcementActivities, type AnnouncementDependencies } from './agents-md/send-outcome-change.ts';
import { senderActivities } from './onboarding/create-sender.ts';
import type { StepInput, UndoInput, Undone } from './onboarding/step-input.ts';
import { sweepActivities } from './upkeep/sweep-register.ts';
import { webhookActivities } from './onboarding/register-webhook.ts';

/** The Activities that the table of steps requires: a step's returns the fields that the register keeps, its undo's takes the step's input. */
type StepActivities = {
  readonly [Row in StepRow as Row['step']]: (step: never) => Promise<Pick<Onboarding, KeptField<Row>>>;
} & {
  readonly [Row in UndoableRow as Row['undoneBy']]: (undo: UndoInput<StepInput & OwnInput<Row>>) => Promise<Undone>;
};

export function createActivities(dependencies: ActivityDependencies) {
  const activities = {
    ...apiKeyActivities(dependencies),
    ...webhookActivities(dependencies),
    ...domainActivities(dependencies),
    ...checkDomainActivities(dependencies),
    ...senderActivities(dependencies),
    ...firstEmailActivities(dependencies),
  } satisfies StepActivities;
  const stages = { ...stagesOfSteps, ...stagesOfWaits };
  return {
    ...withRecording(activities, (name) => stages[name], dependencies.register),
    ...recordActivities(dependencies),
  };
}

const [stageAfterWait] = stagesAfterWait;
const awaitingDelivery = { stage: Stage.awaitingDelivery };

const stagesOfWaits = {
  checkDomain: {
    stage: Stage.awaitingDomain,
    stageAfter: (report) => ('verified' in report && report.verified === true ? stageAfterWait : undefined),
    mayOutlastRun: true,
  },
  awaitEmailOutcome: awaitingDelivery,
  checkEmail: awaitingDelivery,
} as const satisfies Record<string, StageOfActivity>;

export type Activities = ReturnType<typeof createActivities>;

export type AgentsMdDependencies = AgentsFileDependencies & CatalogueDependencies & AnnouncementDependencies;

/** For the Task Queues and Workers of the AGENTS.md check. */
export function createAgentsMdActivities(dependencies: AgentsMdDependencies) {
  return {
    ...agentsFileActivities(dependencies),
    ...catalogueActivities(dependencies),
    ...announcementActivities(dependencies),
  };
}

export type AgentsMdActivities = ReturnType<typeof createAgentsMdActivities>;

export { notificationActivities, sweepActivities };
export type NotificationActivities = ReturnType<typeof notificationActivities>;
export type SweepActivities = ReturnType<typeof sweepActivities>;
