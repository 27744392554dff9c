import type { SmtpCommand } from './classify-bounce.ts';
import { UnwantedReply } from './smtp-connection.ts';
import type { SmtpReply } from './smtp-reply.ts';

/** What one session with one server came to. */
export type SessionOutcome =
  | { readonly kind: 'accepted'; readonly reply: SmtpReply }
  /** A 4yz or 5yz to the envelope or to the message: the server's word on this email. */
  | { readonly kind: 'refused'; readonly reply: SmtpReply; readonly command: SmtpCommand }
  /** The server has not taken the message for sure; another server may be asked. */
  | {
      readonly kind: 'unusable';
      readonly diagnostic: string;
      readonly reply?: SmtpReply;
      readonly tlsFailed: boolean;
      /** Set when the server takes no mail from this client at all, and asking it again would not help. */
      readonly refusedCommand?: SmtpCommand | undefined;
    }
  /** The final dot was on its way when the connection was lost: taken or not, nobody can say (RFC 1047). */
  | { readonly kind: 'replyLost'; readonly diagnostic: string };

/** How far a session has come. */
export interface SessionProgress {
  /** Undefined where a refusal says nothing about mail: STARTTLS and AUTH. */
  command: SmtpCommand | undefined;
  inTlsHandshake: boolean;
  finalDotSent: boolean;
}

/** What an error of a session means for the email. */
export function outcomeOfError(error: unknown, progress: SessionProgress): SessionOutcome {
  if (error instanceof UnwantedReply) return outcomeOfReply(error.reply, progress);
  const diagnostic = describe(error instanceof Error ? error : new Error(String(error)));
  if (progress.finalDotSent)
    return { kind: 'replyLost', diagnostic: `The answer to the message was lost: ${diagnostic}` };
  return { kind: 'unusable', diagnostic, tlsFailed: progress.inTlsHandshake };
}

function outcomeOfReply(reply: SmtpReply, { command, finalDotSent, inTlsHandshake }: SessionProgress): SessionOutcome {
  const { replyCode, text } = reply;
  const inSetup = command === undefined || command === 'CONNECT' || command === 'EHLO';
  if (finalDotSent && replyCode < 400)
    return { kind: 'replyLost', diagnostic: `The answer to the message was ${String(replyCode)}, which is none.` };
  // 421 before the final dot is about the server, which is closing, and not about the email (RFC 5321 section 4.2.3).
  if (!inSetup && replyCode >= 400 && (finalDotSent || replyCode !== 421)) return { kind: 'refused', reply, command };
  // RFC 7504: 521 to the connection means that this host takes no mail. Other 5yz greetings are often sent in passing, by
  // servers that are overloaded or misconfigured.
  const refusesForGood = command === 'CONNECT' ? replyCode === 521 : command === 'EHLO' && replyCode >= 500;
  return {
    kind: 'unusable',
    diagnostic: `Answered ${String(replyCode)} before the message could be offered: ${text}`,
    reply,
    tlsFailed: inTlsHandshake,
    refusedCommand: refusesForGood ? command : undefined,
  };
}

/** One sentence without a path, a stack or credentials. */
function describe(failure: Error & { readonly code?: string }): string {
  const sentence = failure.message.replace(/\s+/g, ' ').slice(0, 200);
  return failure.code === undefined || sentence.includes(failure.code) ? sentence : `${sentence} (${failure.code})`;
}
