import type { ReceivedMessage } from '../../src/dev/world/message-ledger.ts';
import type { Held } from './held-at-service.ts';
import { judgeCopies } from './judge-copies.ts';
import type { Fault, FaultKind } from './judge-tenant.ts';
import { MAILER, type PlayedEmail } from './play-emails.ts';

export interface EmailsEvidence {
  readonly played: readonly PlayedEmail[];
  /** The account's emails, as the email service lists them. */
  readonly held: Held['emails'];
  readonly received: readonly Pick<ReceivedMessage, 'messageId' | 'receivedAt' | 'raw' | 'to'>[];
  /** When the email service was killed, in milliseconds of the Unix epoch. */
  readonly killsMs: readonly number[];
}

export interface EmailsVerdict {
  readonly windowCopies: number;
  readonly faults: readonly Fault[];
}

/** Every accepted email has one outcome, which is what the receiver has. */
export function judgeEmails({ played, held, received, killsMs }: EmailsEvidence): EmailsVerdict {
  const faults: Fault[] = [];
  const fault = (kind: FaultKind, words: string): void => {
    faults.push({ kind, tenantId: MAILER, words });
  };
  let windowCopies = 0;
  const accepted = new Map(played.map((each) => [each.id, each]));
  for (const { id } of held)
    if (!accepted.has(id)) fault('orphan', `${id} exists, and no request was answered with it`);
  for (const { id, kind, cancellation, leavesAtMs } of played) {
    const email = held.find((each) => each.id === id);
    if (email === undefined) {
      fault('lost', `${id} (${kind}) was accepted, and the email service does not hold it`);
      continue;
    }
    const copies = received.filter(({ to }) => to.includes(email.recipient));
    const judged = judgeCopies(copies, [email], killsMs);
    windowCopies += judged.windowCopies;
    for (const words of judged.duplicates) fault('duplicate', words);
    const end = email.bounce?.category ?? email.status;
    const foreseen = kind === 'lost' ? 'expired' : cancellation === 'cancelled' ? 'cancelled' : 'delivered';
    if (end !== foreseen) fault('outcome', `${id} (${kind}) ended as ${end} instead of ${foreseen}`);
    if (kind === 'sandbox') {
      if (email.late_bounce === undefined) fault('lost', `${id} (sandbox) has no late bounce`);
      if (copies.length > 0) fault('duplicate', `${id} (sandbox) was received`);
      continue;
    }
    if (end === 'delivered' && copies.length === 0)
      fault('lost', `${id} (${kind}) is called delivered and was not received`);
    if (end !== 'delivered' && copies.length > 0) fault('duplicate', `${id} (${kind}) is ${end} and was received`);
    if (copies.some(({ receivedAt }) => Date.parse(receivedAt) < leavesAtMs))
      fault('outcome', `${id} (${kind}) was received before ${new Date(leavesAtMs).toISOString()}`);
  }
  return { windowCopies, faults };
}
