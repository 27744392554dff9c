import type { SmtpCommand } from './classify-bounce.ts';
import { UnwantedReply } from './smtp-connection.ts';
import type { SmtpReply } from './smtp-reply.ts';
export type SessionOutcome =
  | { readonly kind: 'accepted'; readonly reply: SmtpReply }
  /** The server answered the envelope or the message with 4yz or 5yz. */
  | { readonly kind: 'refused'; readonly reply: SmtpReply; readonly command: SmtpCommand }
  /** The server has certainly not accepted the message; another server may be tried. */
  | {
      readonly kind: 'unusable';
      readonly diagnostic: string;
      readonly reply?: SmtpReply;
      readonly tlsFailed: boolean;
      /** Set if the server accepts no mail from this client at all, so that retrying it would not help. */
      readonly refusedCommand?: SmtpCommand | undefined;
    }
  /** The connection was lost after the final dot was sent: whether the server accepted the message is unknown (RFC 1047). */
  | { readonly kind: 'replyLost'; readonly diagnostic: string };
export interface SessionProgress {
  /** Undefined during STARTTLS and AUTH, whose refusal does not concern mail. */
  command: SmtpCommand | undefined;
  inTlsHandshake: boolean;
  /** The answer to DATA was positive. */
  dataAccepted: boolean;
  finalDotSent: boolean;
}

export function outcomeOfError(error: unknown, progress: SessionProgress): SessionOutcome {
  if (error instanceof UnwantedReply) return outcomeOfReply(error.reply, progress);
  const diagnostic = describe(error instanceof Error ? error : new Error(String(error)));
  if (progress.finalDotSent)
    return { kind: 'replyLost', diagnostic: `The reply to the message was lost: ${diagnostic}` };
  return { kind: 'unusable', diagnostic, tlsFailed: progress.inTlsHandshake };
}

function outcomeOfReply(reply: SmtpReply, { command, finalDotSent, inTlsHandshake }: SessionProgress): SessionOutcome {
  const { replyCode, text } = reply;
  const inSetup = command === undefined || command === 'CONNECT' || command === 'EHLO';
  if (finalDotSent && replyCode < 400)
    return {
      kind: 'replyLost',
      diagnostic: `The server replied ${String(replyCode)} to the message, which neither accepts nor refuses it.`,
    };
  // 421 before the final dot means that the server is closing; it does not concern the email (RFC 5321 section 4.2.3).
  if (!inSetup && replyCode >= 400 && (finalDotSent || replyCode !== 421)) return { kind: 'refused', reply, command };
  // RFC 7504: 521 to the connection means that this host accepts no mail. Other 5yz greetings are often temporary, from
  // overloaded or misconfigured servers.
  const refusesPermanently = command === 'CONNECT' ? replyCode === 521 : command === 'EHLO' && replyCode >= 500;
  return {
    kind: 'unusable',
    diagnostic: `The server replied ${String(replyCode)} before the message could be sent: ${text}`,
    reply,
    tlsFailed: inTlsHandshake,
    refusedCommand: refusesPermanently ? command : undefined,
  };
}

/**
 * Whether what ended a used session does not concern its message, none of which was sent: the connection was lost, or the server
 * accepts no more senders or messages in this session.
 */
export function concernsOnlySession(outcome: SessionOutcome, progress: SessionProgress): boolean {
  if (progress.dataAccepted) return false;
  if (outcome.kind === 'unusable') return true;
  if (outcome.kind !== 'refused') return false;
  const { replyCode, enhancedCode } = outcome.reply;
  return progress.command === 'MAIL FROM' || replyCode === 503 || enhancedCode === '4.5.3';
}

/** One sentence without paths, stacks or credentials. */
function describe(failure: Error & { readonly code?: string }): string {
  const sentence = failure.message.replace(/\s+/g, ' ').slice(0, 200);
  return failure.code === undefined || sentence.includes(failure.code) ? sentence : `${sentence} (${failure.code})`;
}
