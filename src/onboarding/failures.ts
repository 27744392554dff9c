// How an onboarding fails. The name is the contract: it is the `type` of the ApplicationFailure, the Search Attribute
// SendoffReason and the `code` of the HTTP API alike; the details are the failure's `details[0]`.
import type { InputProblem } from './input.ts';
import type { DnsRecord } from './dns-record.ts';
import type { Stage } from './stage.ts';

export interface FailureDetails {
  /** F1: the verification window is over and a look after its end says not verified. */
  DomainVerificationTimedOut: {
    domainId: string;
    windowHours: number;
    records: DnsRecord[];
    /** About how often the provider was asked. */
    polls: number;
    /**
     * Whether the zone was seen to be wrong. False when a day after the deadline its name servers still did not answer,
     * or everything was published and the provider still said `pending`. The provider was asked in either case, and its
     * word is what F1 rests on.
     */
    conclusive: boolean;
    lastObservedAt: string;
  };
  /** F2: POST /senders kept answering `domain_not_verified` although the domain was reported as verified. */
  DomainNotVerified: { domainId: string; times: number; lastStatus: string };
  /** F3: never sent again to the same address. */
  EmailBounced: {
    emailId: string;
    recipient: string;
    reason: string;
    category: string;
    smtpCode: number | null;
    enhancedCode: string | null;
    diagnostic: string | null;
    remoteMta: string | null;
  };
  /** A refusal that the provider repeated over minutes. */
  ProviderRejected: { step: string; httpStatus: number; code: string; requestId: string | null };
  /** A step's own time limit ran out while the provider could not be reached or answered with errors. */
  ProviderUnavailable: { step: string; lastError: string };
  /**
   * Neither delivered nor bounced within the delivery window, or the provider no longer knows the email; `lastStatus` is
   * the provider's word, or `gone`.
   */
  DeliveryUnconfirmed: { emailId: string; lastStatus: string };
  /** The first problem, and all of them. */
  InvalidInput: InputProblem & { problems: InputProblem[] };
}

export type FailureType = keyof FailureDetails;

export const Exit = { F1: 'F1', F2: 'F2', F3: 'F3' } as const;
export type Exit = (typeof Exit)[keyof typeof Exit];

/** The exit of the specification a failure is; null for those the specification does not name. */
export const exitOf = {
  DomainVerificationTimedOut: Exit.F1,
  DomainNotVerified: Exit.F2,
  EmailBounced: Exit.F3,
  ProviderRejected: null,
  ProviderUnavailable: null,
  DeliveryUnconfirmed: null,
  InvalidInput: null,
} as const satisfies Record<FailureType, Exit | null>;

export const isFailureType = (word: unknown): word is FailureType =>
  typeof word === 'string' && Object.hasOwn(exitOf, word);

/** What became of one thing that the onboarding had created. */
export interface UndoneStep {
  /** The step that created it: `issueApiKey`. */
  step: UndoableStep;
  /** Null when the step was cut off before its answer and turned out to have created nothing. */
  resourceId: string | null;
  result: 'undone' | 'kept' | 'failed';
  reason: string;
}

/** How an onboarding came to a bad end. */
export type BadEnd = FailureType | 'Cancelled';

/** What every failure carries beside its own details. */
export interface FailureContext {
  stage: Stage;
  exit: Exit | null;
  undo: UndoneStep[];
}

/** A failed onboarding, told apart by `type`. */
export type OnboardingFailure = {
  [Type in FailureType]: { type: Type; message: string; details: FailureDetails[Type] & FailureContext };
}[FailureType];

export const UndoableStep = {
  issueApiKey: 'issueApiKey',
  registerWebhook: 'registerWebhook',
  registerDomain: 'registerDomain',
  createSender: 'createSender',
} as const;
export type UndoableStep = (typeof UndoableStep)[keyof typeof UndoableStep];
