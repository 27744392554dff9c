/** What the HTTP half asks of the half that goes on after a request was answered. */
export interface Background {
  /** The outbox has a new row. Returns at once and never throws: the row stays until its Workflow was started. */
  dispatchSoon(): void;
  /** Asks for a look at the domain's records now. Throws when Temporal is out of reach. */
  requestDomainCheck(domainId: string): Promise<void>;
  /** `ready`: Temporal can be reached, the Workers are polling; `not_set_up`: the Namespace does not exist. */
  readiness(): Promise<'ready' | 'unreachable' | 'not_set_up'>;
}
