import type { SmtpCommand } from './classify-bounce.ts';
import { parseSmtpReply, type SmtpReply } from './smtp-reply.ts';

/** What one session with one server came to. */
export type SessionOutcome =
  | { readonly kind: 'accepted'; readonly reply: SmtpReply }
  /** A 4yz or 5yz to the envelope or to the message: the server's word on this email. */
  | { readonly kind: 'refused'; readonly reply: SmtpReply; readonly command: SmtpCommand }
  /** The server has not taken the message for sure; another server may be asked. */
  | { readonly kind: 'unusable'; readonly diagnostic: string; readonly reply?: SmtpReply; readonly tlsFailed: boolean }
  /** The final dot was on its way when the connection was lost: taken or not, nobody can say (RFC 1047). */
  | { readonly kind: 'replyLost'; readonly diagnostic: string };

export const unusable = (
  diagnostic: string,
  more: { reply?: SmtpReply; tlsFailed?: boolean } = {},
): SessionOutcome => ({
  kind: 'unusable',
  diagnostic,
  tlsFailed: false,
  ...more,
});

interface SmtpFailure extends Error {
  readonly code?: string;
  readonly originalCode?: string;
  readonly command?: string;
  readonly response?: string;
}

/**
 * What an error of the SMTP client means for the email. `finalDotSent`: the whole message is on its way. `tlsFailed`: it came
 * up in the TLS handshake.
 */
export function outcomeOfError(
  error: unknown,
  { finalDotSent, tlsFailed }: { readonly finalDotSent: boolean; readonly tlsFailed: boolean },
): SessionOutcome {
  const failure: SmtpFailure = error instanceof Error ? error : new Error(String(error));
  const reply = failure.response === undefined ? undefined : parseSmtpReply(failure.response);
  const command = commandOf(failure.command);
  // 421 before the final dot is about the server, which is closing, and not about the email (RFC 5321 section 4.2.3).
  const isVerdict = reply !== undefined && reply.replyCode >= 400 && (finalDotSent || reply.replyCode !== 421);
  if (isVerdict && command !== undefined) return { kind: 'refused', reply, command };
  if (finalDotSent) {
    return { kind: 'replyLost', diagnostic: `The answer to the message was lost: ${describe(failure)}` };
  }
  // The server said in EHLO how much it takes, so the message was not offered to it.
  if (failure.code === 'EMESSAGE' && command === 'MAIL FROM') {
    return {
      kind: 'refused',
      command,
      reply: {
        replyCode: 552,
        enhancedCode: '5.3.4',
        text: 'The message is larger than the limit this server announces (SIZE, RFC 1870).',
      },
    };
  }
  if (reply !== undefined) {
    return unusable(`Answered ${String(reply.replyCode)} before the message could be offered: ${reply.text}`, {
      reply,
    });
  }
  return unusable(describe(failure), { tlsFailed });
}

function commandOf(command: string | undefined): SmtpCommand | undefined {
  return command === 'MAIL FROM' || command === 'RCPT TO' || command === 'DATA' ? command : undefined;
}

/** One sentence without a path, a stack or credentials. */
function describe(failure: SmtpFailure): string {
  const code = failure.originalCode ?? failure.code;
  const sentence = failure.message.replace(/\s+/g, ' ').slice(0, 200);
  return code === undefined || sentence.includes(code) ? sentence : `${sentence} (${code})`;
}
