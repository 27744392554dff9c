import type { OutboxStarter } from '../store/outbox.ts';

/** The HTTP API's interface to the work that continues after a response. */
export interface Background extends OutboxStarter {
  /** Resolves when the first attempt has ended or was left to the Workflow; undefined if this process does not have it. */
  firstAttemptEnded(workflowId: string): Promise<void> | undefined;
  /** Requests an immediate check of the domain's records. Throws if Temporal is unreachable. */
  requestDomainCheck(domainId: string): Promise<void>;
  /** The reasons why this process cannot work; empty if it is ready. */
  readiness(): Promise<readonly string[]>;
  /** Whether Temporal has answered for minutes and not seen the Workers of this process: only a restart helps. */
  isLost(): boolean;
}
