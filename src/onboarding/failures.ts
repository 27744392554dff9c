// How an onboarding fails. The name is a contract: the `type` of the ApplicationFailure, the Search Attribute SendoffReason
// and `failure.type` in the HTTP API. The details are the failure's `details[0]`.
import type { InputFault } from './input.ts';
import type { DnsRecord } from './dns-record.ts';
import type { ProviderName } from './provider-name.ts';
import type { Stage } from './stage.ts';
import type { StepName } from './steps.ts';

export interface FailureDetails {
  /** F1: the verification window is over and the final check found the domain not verified. */
  DomainVerificationTimedOut: {
    domainId: string;
    windowHours: number;
    records: DnsRecord[];
    /** Approximate number of requests to the provider. */
    polls: number;
    /**
     * True if the final check found a defect in the zone. False if, a day after the deadline, its name servers still did not answer, or
     * every record was published and the provider still reported `pending`. F1 always rests on the provider's status.
     */
    conclusive: boolean;
    lastObservedAt: string;
  };
  /** F2: POST /senders kept returning `domain_not_verified` for a domain that the provider reported as verified. */
  DomainNotVerified: { domainId: string; times: number; lastStatus: string };
  /** F3. */
  EmailBounced: {
    /** Null if the provider refused the recipient before there was an email. */
    emailId: string | null;
    recipient: string;
    reason: string;
    category: string;
    /** Whether the address, or only this message, is refused for good; null or absent if nothing is, or if the provider does not say it. */
    permanentFor?: 'address' | 'message' | null;
    smtpCode: number | null;
    enhancedCode: string | null;
    diagnostic: string | null;
    remoteMta: string | null;
  };
  /** A refusal that the provider repeated over minutes. */
  ProviderRejected: { step: string; httpStatus: number; code: string; requestId: string | null };
  /** The provider was unreachable or returned errors until the step's deadline. */
  ProviderUnavailable: { step: string; lastError: string };
  /**
   * The email was neither delivered nor bounced within the delivery window, or no longer exists at the provider.
   * `lastStatus` is the provider's status, or `gone`.
   */
  DeliveryUnconfirmed: { emailId: string; lastStatus: string };
  /**
   * At an operator's account: the answer about the first email was lost, and for a day the provider neither recognized a repetition nor showed
   * the email.
   * `since`: when the request may first have been sent, RFC 3339 UTC.
   */
  SendOutcomeUnknown: { recipient: string; since: string; provider: ProviderName };
  /** The first problem, and all of them. */
  InvalidInput: InputFault & { problems: InputFault[] };
}

export type FailureType = keyof FailureDetails;

export const Exit = { F1: 'F1', F2: 'F2', F3: 'F3' } as const;
export type Exit = (typeof Exit)[keyof typeof Exit];

/**
 * The one list of failures: the exit, null if the specification names none; the exit code of the command line; what the undo keeps, of
 * which `domain` means the rows of the table of steps with `keptWithDomain`.
 */
export const failures = {
  DomainVerificationTimedOut: { exit: 'F1', exitCode: 10, keeps: 'domain' },
  DomainNotVerified: { exit: 'F2', exitCode: 11, keeps: 'domain' },
  // Everything works but the recipient's address or mail server.
  EmailBounced: { exit: 'F3', exitCode: 12, keeps: 'everything' },
  ProviderRejected: { exit: null, exitCode: 13, keeps: 'nothing' },
  ProviderUnavailable: { exit: null, exitCode: 14, keeps: 'domain' },
  DeliveryUnconfirmed: { exit: null, exitCode: 15, keeps: 'everything' },
  InvalidInput: { exit: null, exitCode: 16, keeps: 'nothing' },
  SendOutcomeUnknown: { exit: null, exitCode: 19, keeps: 'everything' },
} as const satisfies Record<
  FailureType,
  { exit: Exit | null; exitCode: number; keeps: 'nothing' | 'domain' | 'everything' }
>;

/** The message of F1. @param window in words */
export const notVerifiedMessage = (domain: string, window: string, records: readonly DnsRecord[]): string => {
  const wrong = records.filter(({ required, status }) => required && status !== 'found');
  const fixes = wrong.flatMap(({ findings }) => findings.map(({ fix }) => fix));
  return `${domain} was not verified within ${window}. ${fixes.join('\n')}`.trim();
};

export const failureTypes = Object.keys(failures) as FailureType[];

export const isFailureType = (word: unknown): word is FailureType =>
  typeof word === 'string' && Object.hasOwn(failures, word);

/** The result of undoing one step; the first email is always kept. */
export interface UndoneStep {
  step: StepName;
  /** Null if the provider's response was lost, or if nothing had been created. */
  resourceId: string | null;
  result: 'undone' | 'kept' | 'failed';
  reason: string;
  /** Kept only because the provider does not delete it: sendoff has given it up. */
  givenUp?: boolean;
}

/** How an onboarding ends without success. */
export type BadEnd = FailureType | 'Cancelled';

/** The details that every failure has beside its own. */
export interface FailureContext {
  stage: Stage;
  exit: Exit | null;
  undo: UndoneStep[];
}

/** @typeParam Context nothing before its stage, exit and undo report are known */
type Failure<Context> = {
  [Type in FailureType]: { type: Type; message: string; details: FailureDetails[Type] & Context };
}[FailureType];

export type OnboardingFailure = Failure<FailureContext>;
export type FailureBeforeUndo = Failure<unknown>;
