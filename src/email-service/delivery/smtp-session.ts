import { isIP } from 'node:net';
import { Readable } from 'node:stream';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { outcomeOfError, unusable, type SessionOutcome } from './session-outcome.ts';
import { parseSmtpReply } from './smtp-reply.ts';

/**
 * `opportunistic`: STARTTLS when offered, any certificate (RFC 7435). `none`: plain text, after a handshake failed.
 * `required`: STARTTLS with a valid certificate. `implicit`: TLS from the first byte, valid certificate.
 */
export type SessionSecurity = 'opportunistic' | 'none' | 'required' | 'implicit';

export interface SessionTarget {
  readonly host: string;
  /** A host name is looked up by the system. */
  readonly address: string;
  readonly port: number;
  readonly security: SessionSecurity;
  readonly credentials?: { readonly user: string; readonly pass: string };
}

export interface SessionMessage {
  readonly envelopeFrom: string;
  readonly recipient: string;
  /** ASCII. */
  readonly signedMessage: string;
}

export interface SessionContext {
  /** Said in EHLO. */
  readonly hostname: string;
  readonly signal: AbortSignal;
  /** Asked when the server is ready; false when another attempt has taken over, and nothing may be sent any more. */
  readonly mayStillSend: () => Promise<boolean>;
}

/**
 * Connecting, greeting, EHLO and STARTTLS together. RFC 5321 section 4.5.3.2.1 wants five minutes for the greeting alone;
 * a healthy server needs a second, and another MX host is waiting its turn.
 */
const SETUP_TIMEOUT_MS = 60_000;
/** Envelope and message up to the final dot: RFC 5321 section 4.5.3.2.2 and .3, as one sum instead of one per command. */
const SENDING_TIMEOUT_MS = 5 * 60_000;
/** RFC 5321 section 4.5.3.2.6. Not shortened: giving up on a server that is still at work sends the message twice. */
const FINAL_REPLY_TIMEOUT_MS = 10 * 60_000;
/** Small, so that the end of the message is read only once nearly all of it has left. */
const CHUNK_BYTES = 16 * 1024;

/** One SMTP session for one message. Never throws: whatever goes wrong is an outcome. */
export async function sendOverSmtp(
  target: SessionTarget,
  message: SessionMessage,
  context: SessionContext,
): Promise<SessionOutcome> {
  const connection = new SMTPConnection(connectionOptions(target, context.hostname));
  const ended = endedEarly(connection, context.signal);
  let finalDotSent = false;
  try {
    await Promise.race([connected(connection), ended.rejection]);
    if (target.credentials !== undefined)
      await Promise.race([loggedIn(connection, target.credentials), ended.rejection]);
    if (!(await context.mayStillSend())) return unusable('Another attempt has taken over.');
    const bytes = Buffer.from(message.signedMessage, 'latin1');
    const source = inChunks(bytes).once('end', () => {
      finalDotSent = true;
      ended.awaitReply();
    });
    ended.startTimer(SENDING_TIMEOUT_MS);
    const envelope = { from: message.envelopeFrom, to: message.recipient, size: bytes.length };
    const response = await Promise.race([sent(connection, envelope, source), ended.rejection]);
    connection.quit();
    return {
      kind: 'accepted',
      reply: parseSmtpReply(response) ?? { replyCode: 250, enhancedCode: undefined, text: '' },
    };
  } catch (error) {
    // Still true where the handshake broke, in whatever way it did.
    return outcomeOfError(error, { finalDotSent, tlsFailed: connection.upgrading === true });
  } finally {
    ended.stop();
    connection.close();
  }
}

function connectionOptions(target: SessionTarget, hostname: string): SMTPConnection.Options {
  const { security } = target;
  return {
    host: target.address,
    // RFC 6066 section 3: an address is not a server name.
    ...(isIP(target.host) === 0 ? { servername: target.host } : {}),
    port: target.port,
    name: hostname,
    secure: security === 'implicit',
    requireTLS: security === 'required',
    ignoreTLS: security === 'none',
    opportunisticTLS: security === 'opportunistic',
    // Without DANE or MTA-STS nothing says which certificate is right; refusing one would only mean plain text.
    tls: { rejectUnauthorized: security === 'required' || security === 'implicit' },
    connectionTimeout: SETUP_TIMEOUT_MS,
    greetingTimeout: SETUP_TIMEOUT_MS,
    socketTimeout: FINAL_REPLY_TIMEOUT_MS,
  };
}

const connected = (connection: SMTPConnection): Promise<void> =>
  new Promise((resolve, reject) => {
    connection.connect((error) => {
      if (error) reject(error);
      else resolve();
    });
  });

const loggedIn = (connection: SMTPConnection, credentials: { user: string; pass: string }): Promise<void> =>
  new Promise((resolve, reject) => {
    connection.login({ ...credentials }, (error) => {
      if (error) reject(error);
      else resolve();
    });
  });

const sent = (
  connection: SMTPConnection,
  envelope: { from: string; to: string; size: number },
  source: Readable,
): Promise<string> =>
  new Promise((resolve, reject) => {
    connection.send(envelope, source, (error, told) => {
      if (error) reject(error);
      else resolve(told.response);
    });
  });

function inChunks(bytes: Buffer): Readable {
  const chunks: Buffer[] = [];
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES)
    chunks.push(bytes.subarray(start, start + CHUNK_BYTES));
  return Readable.from(chunks, { objectMode: false });
}

/** Rejects when the connection fails outside of a command, when time is up, or when the attempt is called off. */
function endedEarly(connection: SMTPConnection, signal: AbortSignal) {
  let timer: NodeJS.Timeout | undefined;
  let fail: (error: Error) => void = () => undefined;
  const rejection = new Promise<never>((_, reject) => {
    fail = reject;
  });
  // The race may be over when it rejects.
  rejection.catch(() => undefined);
  const abort = (): void => {
    fail(new Error('The attempt was called off.'));
  };
  connection.on('error', fail);
  connection.on('end', () => {
    // Some errors are told right after the end that they caused; they say more.
    setImmediate(fail, new Error('The connection was closed.'));
  });
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  return {
    rejection,
    startTimer: (timeoutMs: number): void => {
      timer = setTimeout(() => {
        fail(new Error(`The message was not taken within ${String(timeoutMs / 1_000)} seconds.`));
      }, timeoutMs);
    },
    /** From here on only the answer counts: to hang up now would leave open whether the message was taken. */
    awaitReply: (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    },
    stop: (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    },
  };
}
