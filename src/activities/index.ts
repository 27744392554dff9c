import type { ExpectedRecord } from '../lib/dns/expected-record.ts';
import type { DomainCheck } from '../lib/dns/check-records.ts';
import type { EmailProvider } from '../email-provider/email-provider.ts';
import { Stage } from '../onboarding/onboarding.ts';
import type { Register } from '../store/register.ts';
import type { SecretStore } from '../store/secret-store.ts';
import { apiKeyActivities } from './api-key.ts';
import { checkRecordActivities, type CheckRecordDependencies } from './check-records.ts';
import { domainActivities } from './domain.ts';
import { domainCheckActivities } from './domain-check.ts';
import { agentsFileActivities, type AgentsFileDependencies } from './fetch-agents-file.ts';
import { firstEmailActivities } from './first-email.ts';
import { recordActivities, recorded } from './recorded.ts';
import { announcementActivities, type AnnouncementDependencies } from './send-outcome-change.ts';
import { senderActivities } from './sender.ts';
import { webhookActivities } from './webhook.ts';

export interface ActivityDependencies {
  readonly provider: EmailProvider;
  readonly secrets: SecretStore;
  readonly register: Register;
  /** A look at the zone's authoritative servers. */
  readonly checkRecords: (domain: string, expected: readonly ExpectedRecord[]) => Promise<DomainCheck>;
  /** Where the provider's webhooks for a tenant reach us; undefined when they cannot, and polling does all the work. */
  readonly webhookUrl: ((tenantId: string) => string) | undefined;
}

/** What every step is told. */
export interface StepInput {
  readonly tenantId: string;
  /** See `stepIdempotencyKey`. */
  readonly attemptId: string;
  /** Whether the onboarding has a record: a database without one is then another database. */
  readonly isRecorded?: boolean;
}

/** What an undo is told: the step's own input, and what the step created if its answer arrived. */
export type UndoInput<Step extends StepInput = StepInput> = Step & { readonly resourceId: string | null };
/** `resourceId` null: there was nothing to undo. */
export interface Undone {
  readonly resourceId: string | null;
}

export function createActivities(dependencies: ActivityDependencies) {
  const activities = {
    ...apiKeyActivities(dependencies),
    ...webhookActivities(dependencies),
    ...domainActivities(dependencies),
    ...domainCheckActivities(dependencies),
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

export type AgentsMdDependencies = AgentsFileDependencies & CheckRecordDependencies & AnnouncementDependencies;

/** Of the check of AGENTS.md files: other Task Queues, other Workers. */
export function createAgentsMdActivities(dependencies: AgentsMdDependencies) {
  return {
    ...agentsFileActivities(dependencies),
    ...checkRecordActivities(dependencies),
    ...announcementActivities(dependencies),
  };
}

export type AgentsMdActivities = ReturnType<typeof createAgentsMdActivities>;
