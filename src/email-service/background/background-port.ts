import type { Beginner } from '../store/outbox.ts';

/** What the HTTP API needs of the part that works after a request was answered. */
export interface Background extends Beginner {
  /** Resolves when the first attempt has ended or was left to the Workflow; undefined if this process does not have it. */
  firstAttemptEnded(workflowId: string): Promise<void> | undefined;
  /** Requests an immediate check of the domain's records. Throws if Temporal is unreachable. */
  requestDomainCheck(domainId: string): Promise<void>;
  /** What keeps this process from its work: none if it is ready. */
  readiness(): Promise<readonly string[]>;
}
