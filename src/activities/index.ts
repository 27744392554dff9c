import type { ActivityDependencies } from './activity-dependencies.ts';
import { Stage } from '../onboarding/stage.ts';
import { apiKeyActivities } from './api-key.ts';
import { storedCheckActivities, type StoredCheckDependencies } from './stored-check.ts';
import { domainActivities } from './domain.ts';
import { domainVerificationActivities } from './domain-verification.ts';
import { agentsFileActivities, type AgentsFileDependencies } from './fetch-agents-file.ts';
import { firstEmailActivities } from './first-email.ts';
import { recordActivities, recorded } from './recorded.ts';
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

const stages = {
  issueApiKey: Stage.issuingKey,
  registerWebhook: Stage.registeringWebhook,
  registerDomain: Stage.registeringDomain,
  awaitDomainVerified: Stage.awaitingDomain,
  checkDomain: Stage.awaitingDomain,
  diagnoseDomain: Stage.awaitingDomain,
  createSender: Stage.creatingSender,
  sendFirstEmail: Stage.sendingFirstEmail,
  awaitEmailOutcome: Stage.awaitingDelivery,
  checkEmail: Stage.awaitingDelivery,
  revokeApiKey: Stage.undoing,
  deleteWebhook: Stage.undoing,
  deleteDomain: Stage.undoing,
  deleteSender: Stage.undoing,
} as const;

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
