import { sandboxOutcome } from '../delivery/sandbox.ts';
import type { Reports } from '../inbound/report.ts';

/** What servers would report after the delivery; empty for most recipients. */
export function sandboxReports(recipient: string): Reports {
  const outcome = sandboxOutcome(recipient);
  if (outcome === 'late-bounced')
    return [{ kind: 'failed', recipients: [recipient], status: '5.1.1', diagnostic: '550 5.1.1 User unknown' }];
  if (outcome === 'complained') return [{ kind: 'complaint', recipients: [recipient], type: 'abuse' }];
  return [];
}
