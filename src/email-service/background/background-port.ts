import type { WorkflowToStart } from '../store/outbox.ts';

/** Work that was just committed, with what its first attempt shares with others. */
export interface FirstAttempt {
  readonly start: WorkflowToStart;
  readonly accountId: string;
  /** The domain or host that the attempt waits for. */
  readonly destination: string;
}

/** What the HTTP API needs of the part that works after a request was answered. */
export interface Background {
  /** Whether this process makes first attempts, so that it commits their outbox rows claimed. */
  readonly makesFirstAttempts: boolean;
  /**
   * Call it after the commit of an outbox row: makes the first attempt in this process, or starts the Workflow. Returns at once and
   * never throws: the row stays until the work has ended or its Workflow has started.
   */
  begin(attempt: FirstAttempt): void;
  /** Resolves when the first attempt has ended or was left to the Workflow; undefined if this process does not have it. */
  firstAttemptEnded(workflowId: string): Promise<void> | undefined;
  /** Call it after adding an unclaimed outbox row. Returns at once and never throws: the row stays until its Workflow has started. */
  dispatchSoon(): void;
  /** Requests an immediate check of the domain's records. Throws if Temporal is unreachable. */
  requestDomainCheck(domainId: string): Promise<void>;
  /** `not_set_up`: Temporal's Namespace does not exist; `workers_stopped`: this process should run Workers, which have ended. */
  readiness(): Promise<'ready' | 'unreachable' | 'not_set_up' | 'workers_stopped'>;
}
