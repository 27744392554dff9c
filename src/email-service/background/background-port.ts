/** What the HTTP API needs from the part that works after a request was answered. */
export interface Background {
  /** Call it after adding an outbox row. Returns at once and never throws: the row stays until its Workflow has started. */
  dispatchSoon(): void;
  /** Requests an immediate check of the domain's records. Throws if Temporal is unreachable. */
  requestDomainCheck(domainId: string): Promise<void>;
  /** `ready`: Temporal is reachable and the Workers run; `not_set_up`: its Namespace does not exist. */
  readiness(): Promise<'ready' | 'unreachable' | 'not_set_up'>;
}
