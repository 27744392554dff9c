/** What the HTTP half asks of the half that goes on after a request was answered. */
export interface Background {
  /** The outbox has a new row. Returns at once and never throws: the row stays until its Workflow was started. */
  dispatchSoon(): void;
  /** Asks for a look at the domain's records now. Throws when Temporal is out of reach. */
  lookAtDomain(domainId: string): Promise<void>;
  /** Whether Temporal can be reached and the Workers are polling. */
  ready(): Promise<boolean>;
}
