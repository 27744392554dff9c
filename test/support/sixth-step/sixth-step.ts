// Import it first: then everything that derives from the table of steps, in this process or bundle, has one more.
import { stepRows, type Subject, steps, undoableRows } from '../../../src/onboarding/steps.ts';

export const sixthStep = {
  step: 'openMailbox',
  stage: 'openingMailbox',
  title: 'Open a mailbox',
  result: 'Mailbox',
  waitsFor: ({ domain }: Subject) => `the provider to open a mailbox at ${domain}`,
  summary: ({ domain }: Subject) => `Open a mailbox at ${domain}`,
  input: ({ domain }: Subject) => ({ domain }),
  resource: 'Mailbox',
  id: 'mailboxId',
  listedIn: 'mailboxes',
  since: { patch: 'open-mailbox', shippedIn: '0.2.0', activeFrom: '0.3.0' },
  undoneBy: 'closeMailbox',
  undoSummary: ({ domain }: Subject) => `Close the mailbox at ${domain}`,
};

for (const rows of [steps, stepRows, undoableRows]) (rows as unknown as object[]).splice(1, 0, sixthStep);
