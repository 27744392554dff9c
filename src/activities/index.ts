import type { ActivityDependencies } from './activity-dependencies.ts';
import { Stage } from '../onboarding/stage.ts';
import { apiKeyActivities } from './api-key.ts';
import { storedCheckActivities, type StoredCheckDependencies } from './stored-check.ts';
import { domainActivities } from './domain.ts';
import { domainVerificationActivities } from './domain-verification.ts';
import { agentsFileActivities, type AgentsFileDependencies } from './fetch-agents-file.ts';
import { firstEmailActivities } from './first-email.ts';
import { recordActivities, recorded, type StageOfActivity } from './recorded.ts';
import { notificationActivities } from './send-notification.ts';
import { announcementActivities, type AnnouncementDependencies } from './send-outcome-change.ts';
import { senderActivities } from './sender.ts';
import { sweepActivities } from './sweep-register.ts';
import { webhookActivities } from './webhook.ts';

export function createActivities(dependencies: ActivityDependencies) {
  const activities = {
    ...apiKeyActivities(dependencies),
    ...webhookActivities(dependencies),
    ...domainActivities(dependencies),
    ...domainVerificationActivities(dependencies),
    ...senderActivities(dependencies),
    ...firstEmailActivities(dependencies),
  };
  return { ...recorded(activities, (name) => stages[name], dependencies.register), ...recordActivities(dependencies) };
}

const undoing = { stage: Stage.undoing };
const awaitingDelivery = { stage: Stage.awaitingDelivery };

const stages = {
  issueApiKey: { stage: Stage.issuingKey, stageAfter: () => Stage.registeringWebhook },
  registerWebhook: { stage: Stage.registeringWebhook, stageAfter: () => Stage.registeringDomain },
  // The next stage has a deadline, which the Workflow sets.
  registerDomain: { stage: Stage.registeringDomain },
  checkDomainStatus: { stage: Stage.awaitingDomain, stageAfter: () => Stage.creatingSender },
  awaitDomainVerified: {
    stage: Stage.awaitingDomain,
    stageAfter: (found) => ('cause' in found ? undefined : Stage.creatingSender),
  },
  checkDomain: { stage: Stage.awaitingDomain, mayOutlastRun: true },
  diagnoseDomain: {
    stage: Stage.awaitingDomain,
    stageAfter: (report) => ('verified' in report && report.verified === true ? Stage.creatingSender : undefined),
  },
  createSender: { stage: Stage.creatingSender, stageAfter: () => Stage.sendingFirstEmail },
  sendFirstEmail: { stage: Stage.sendingFirstEmail, stageAfter: () => Stage.awaitingDelivery },
  awaitEmailOutcome: awaitingDelivery,
  checkEmail: awaitingDelivery,
  revokeApiKey: undoing,
  deleteWebhook: undoing,
  deleteDomain: undoing,
  deleteSender: undoing,
} as const satisfies Record<string, StageOfActivity>;

export type Activities = ReturnType<typeof createActivities>;

export type AgentsMdDependencies = AgentsFileDependencies & StoredCheckDependencies & AnnouncementDependencies;

/** For the Task Queues and Workers of the AGENTS.md check. */
export function createAgentsMdActivities(dependencies: AgentsMdDependencies) {
  return {
    ...agentsFileActivities(dependencies),
    ...storedCheckActivities(dependencies),
    ...announcementActivities(dependencies),
  };
}

export type AgentsMdActivities = ReturnType<typeof createAgentsMdActivities>;

export { notificationActivities, sweepActivities };
export type NotificationActivities = ReturnType<typeof notificationActivities>;
export type SweepActivities = ReturnType<typeof sweepActivities>;
