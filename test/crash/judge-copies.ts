import type { DeliveryAttempt } from '../../src/email-service/resources/email.ts';
import type { ReceivedMessage } from '../../src/dev/world/message-ledger.ts';

type Copy = Pick<ReceivedMessage, 'messageId' | 'receivedAt' | 'raw'>;
type Attempt = Pick<DeliveryAttempt, 'number' | 'outcome' | 'started_at' | 'finished_at'>;

export interface CopiesVerdict {
  /** Copies more than one that the window of RFC 1047 explains. */
  readonly windowCopies: number;
  /** Copies more than one that nothing allows, each with what speaks against it. */
  readonly duplicates: readonly string[];
}

/**
 * Every message that the receiver has of one tenant. A further copy is allowed only when an attempt of its own was under
 * way at its receipt, the email service was killed during that attempt, and its row never got another end than `unknown`:
 * the receiver's 250 was on its way to a process that had died (RFC 1047).
 *
 * @param emails the tenant's, as the email service lists them
 * @param killsMs when the email service was killed, in milliseconds of the Unix epoch
 */
export function judgeCopies(
  copies: readonly Copy[],
  emails: readonly { readonly message_id: string; readonly attempts: readonly Attempt[] }[],
  killsMs: readonly number[],
): CopiesVerdict {
  const [first] = copies;
  if (first === undefined) return { windowCopies: 0, duplicates: [] };
  const alike = copies.filter(({ messageId, raw }) => messageId === first.messageId && raw === first.raw);
  const duplicates = copies.flatMap(({ messageId, raw }) => {
    if (messageId !== first.messageId) return [`${messageId} came beside ${first.messageId}`];
    return raw === first.raw ? [] : [`${messageId} came again with other bytes`];
  });
  const cutOff = emails
    .filter(({ message_id: messageId }) => messageId === first.messageId)
    .flatMap(({ attempts }) => attempts.filter((attempt) => isCutOff(attempt, killsMs)));
  const unexplained = alike.filter((copy) => {
    const index = cutOff.findIndex((attempt) => covers(attempt, copy));
    // One attempt explains one copy.
    if (index >= 0) cutOff.splice(index, 1);
    return index < 0;
  });
  // One copy needs no explanation: the one whose answer was read, or any when no answer was.
  for (const { messageId, receivedAt } of unexplained.slice(1)) {
    duplicates.push(`${messageId} came again at ${receivedAt}, and no attempt was cut off by a kill then`);
  }
  return { windowCopies: alike.length - Math.max(unexplained.length, 1), duplicates };
}

function isCutOff(attempt: Attempt, killsMs: readonly number[]): boolean {
  if (attempt.outcome !== 'unknown' && attempt.outcome !== 'started') return false;
  const [startedMs, finishedMs] = span(attempt);
  return killsMs.some((killMs) => startedMs <= killMs && killMs <= finishedMs);
}

function covers(attempt: Attempt, { receivedAt }: Copy): boolean {
  const [startedMs, finishedMs] = span(attempt);
  const receivedMs = Date.parse(receivedAt);
  return startedMs <= receivedMs && receivedMs <= finishedMs;
}

const span = ({ started_at, finished_at }: Attempt): [number, number] => [
  Date.parse(started_at),
  finished_at === null ? Number.POSITIVE_INFINITY : Date.parse(finished_at),
];
