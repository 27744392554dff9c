// tenant      a customer of the SaaS product; has one id, chosen by the backend
// onboarding  the five-step process of one tenant; one Workflow Execution
// stage       where an onboarding stands; never called status, which is a resource's own state at the provider
// exit        F1, F2 or F3 of the specification: a foreseen way to fail
// outcome     what a finished onboarding came to
// finding     one thing that is wrong with one DNS record, and what to do about it
// poke        a hint that looking now is worth it; never itself the truth
import type { BadEnd, Exit, UndoableStep, UndoneStep } from './failures.ts';
import type { DnsRecord } from './dns-record.ts';
import type { OnboardTenantInput } from './input.ts';
import { Stage } from './stage.ts';

/** Where an onboarding stands; what the Query `onboardingState` answers. Times are RFC 3339 UTC. */
export interface Onboarding {
  tenantId: string;
  domain: string;
  fromAddress: string;
  recipient: string;
  stage: Stage;
  /** Every stage entered so far, oldest first; a stage may come twice (F2 goes back to `awaitingDomain`). */
  stages: { stage: Stage; at: string }[];
  keyId: string | null;
  webhookId: string | null;
  domainId: string | null;
  senderId: string | null;
  emailId: string | null;
  records: DnsRecord[];
  /** When the verification window closes; not proof of F1, which needs one more look. */
  verificationDeadline: string | null;
  /** How often the sender was refused because the domain was not verified. */
  timesNotVerified: number;
  pokes: number;
  /** Known before its undo begins; null while the onboarding goes on, and when it went well. */
  badEnd: { type: BadEnd; exit: Exit | null; message: string } | null;
  /** What the end of a failed or cancelled onboarding took back, newest first; grows while it is `undoing`. */
  undo: UndoneStep[];
}

export function newOnboarding(input: OnboardTenantInput): Onboarding {
  return {
    tenantId: input.tenantId,
    domain: input.domain,
    fromAddress: input.fromAddress,
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
export const createdIds = (onboarding: Onboarding): Record<UndoableStep, string | null> => ({
  issueApiKey: onboarding.keyId,
  registerWebhook: onboarding.webhookId,
  registerDomain: onboarding.domainId,
  createSender: onboarding.senderId,
});
