import type { BadEnd, CreatingStep, Exit, UndoneStep } from './failures.ts';
import type { DnsRecord } from './dns-record.ts';
import type { OnboardTenantInput } from './input.ts';
import { Stage } from './stage.ts';

/** The state of an onboarding, as the Query `onboardingState` returns it. Times are RFC 3339 UTC. */
export interface Onboarding {
  tenantId: string;
  domain: string;
  fromAddress: string;
  /** Absent without a display name. */
  fromName?: string;
  recipient: string;
  stage: Stage;
  /** Every stage entered so far, oldest first; F2 enters `awaitingDomain` again. */
  stages: { stage: Stage; at: string }[];
  keyId: string | null;
  /** Of sendoff's own key, beside the one that the backend claims. Absent if one key serves both. */
  ownKeyId?: string;
  webhookId: string | null;
  domainId: string | null;
  senderId: string | null;
  emailId: string | null;
  records: DnsRecord[];
  /** When the verification window closes; F1 needs a final check after it. */
  verificationDeadline: string | null;
  /** How often the sender was refused because the domain was not verified. */
  timesNotVerified: number;
  /** Notifications so far. */
  pokes: number;
  /** Set before the undo begins; null unless the onboarding failed or was cancelled. In the register from then on, unless an earlier version ran it. */
  badEnd: { type: BadEnd; exit: Exit | null; message: string } | null;
  /** The undo report, newest step first; grows while the stage is `undoing`. */
  undo: UndoneStep[];
}

export function newOnboarding(input: OnboardTenantInput): Onboarding {
  return {
    tenantId: input.tenantId,
    domain: input.domain,
    fromAddress: input.fromAddress,
    ...(input.fromName !== undefined && { fromName: input.fromName }),
    recipient: input.firstEmail.recipient,
    stage: Stage.issuingKey,
    stages: [],
    keyId: null,
    webhookId: null,
    domainId: null,
    senderId: null,
    emailId: null,
    records: [],
    verificationDeadline: null,
    timesNotVerified: 0,
    pokes: 0,
    badEnd: null,
    undo: [],
  };
}

/** The id of what each step created; null while its answer has not arrived. */
export const createdIds = (onboarding: Onboarding): Record<CreatingStep, string | null> => ({
  issueApiKey: onboarding.keyId,
  registerWebhook: onboarding.webhookId,
  registerDomain: onboarding.domainId,
  createSender: onboarding.senderId,
  sendFirstEmail: onboarding.emailId,
});
