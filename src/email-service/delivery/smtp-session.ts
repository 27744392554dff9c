import { type AttachedContents, inPieces, sentBytes } from './attached-contents.ts';
import type { IdleSessions, SessionTarget, SmtpSession } from './idle-sessions.ts';
import { logIn } from './smtp-login.ts';
import { concernsOnlySession, outcomeOfError, type SessionOutcome, type SessionProgress } from './session-outcome.ts';
import { type SessionTls, SmtpConnection, UnwantedReply } from './smtp-connection.ts';

export interface SessionMessage {
  readonly envelopeFrom: string;
  readonly recipient: string;
  /** ASCII, with CRLF line ends. */
  readonly signedMessage: string;
  /** The contents of a message with marks. */
  readonly contents?: AttachedContents | undefined;
}

/** `tls`: of the connection, if it was encrypted. */
export type SentOutcome = SessionOutcome & { readonly tls: SessionTls | undefined };

export interface SessionContext {
  /** Sent in EHLO. */
  readonly hostname: string;
  readonly signal: AbortSignal;
  /** Called right before the final dot. False if another attempt may have taken over, and the message must not be sent. */
  readonly mayStillSend: () => Promise<boolean>;
}

/**
 * Connecting, greeting, EHLO, STARTTLS and AUTH together. RFC 5321 section 4.5.3.2.1 recommends five minutes for the greeting
 * alone; a healthy server needs a second, and another MX host may be available.
 */
const SETUP_TIMEOUT_MS = 60_000;
/** Envelope and message up to the final dot: one limit instead of one per command (RFC 5321 section 4.5.3.2.2 and .3). */
const SENDING_TIMEOUT_MS = 5 * 60_000;
/** RFC 5321 section 4.5.3.2.6. Not shorter: giving up while the server still works would send the message twice. */
const FINAL_REPLY_TIMEOUT_MS = 10 * 60_000;
/** Small, so that a refusal in the middle of a large message is read soon. */
const CHUNK_BYTES = 16 * 1024;
const FINAL_DOT = '.\r\n';

/**
 * Sends one message in an idle session or a new one. Never throws: every error is an outcome. A new session follows when an idle one
 * ends before its server takes the message, and for no reason that concerns the message.
 */
export async function sendOverSmtp(
  target: SessionTarget,
  message: SessionMessage,
  context: SessionContext,
  idleSessions: IdleSessions,
): Promise<SentOutcome> {
  const idle = idleSessions.take(target);
  if (idle !== undefined) {
    const progress: SessionProgress = { ...NOTHING_DONE, command: 'MAIL FROM' };
    const outcome = await send(idle.connection, () => Promise.resolve(idle), progress);
    if (context.signal.aborted || !concernsOnlySession(outcome, progress)) return outcome;
  }
  const connection = new SmtpConnection(target);
  const progress: SessionProgress = { ...NOTHING_DONE };
  return send(connection, () => setUp(connection, target, context.hostname, progress), progress);

  async function send(
    connection: SmtpConnection,
    ready: () => Promise<SmtpSession>,
    progress: SessionProgress,
  ): Promise<SentOutcome> {
    const limits = limitSession(connection, context.signal);
    let reusable: SmtpSession | undefined;
    try {
      const session = await ready();
      const outcome = await sendInSession(session, message, { context, limits, progress });
      if (outcome.kind === 'accepted') reusable = { ...session, messages: session.messages + 1 };
      return { ...outcome, tls: connection.tls };
    } catch (error) {
      return { ...outcomeOfError(error, progress), tls: connection.tls };
    } finally {
      limits.end();
      if (reusable === undefined) connection.close('QUIT\r\n');
      else idleSessions.keep(target, reusable);
    }
  }
}

const NOTHING_DONE: SessionProgress = {
  command: 'CONNECT',
  inTlsHandshake: false,
  dataAccepted: false,
  finalDotSent: false,
};

interface Sending {
  readonly context: SessionContext;
  readonly limits: ReturnType<typeof limitSession>;
  readonly progress: SessionProgress;
}

async function sendInSession(
  { connection, extensions, messages }: SmtpSession,
  message: SessionMessage,
  { context, limits, progress }: Sending,
): Promise<SessionOutcome> {
  const size = sentBytes(message.signedMessage, message.contents);
  if (isTooLarge(size, extensions)) return TOO_LARGE;
  const limitSending = (): void => {
    limits.within(SENDING_TIMEOUT_MS, 'The server did not receive the message');
  };
  // A used session may be dead: its minute goes on until it takes the message, because a new session may follow.
  if (messages === 0) limitSending();
  // No command is pipelined: a server that refuses one and closes while later ones are unread resets the connection, and a reset can
  // overtake its reply.
  progress.command = 'MAIL FROM';
  const parameters = extensions.has('SIZE') ? ` SIZE=${String(size)}` : '';
  await connection.command(`MAIL FROM:<${message.envelopeFrom}>${parameters}`, 2);
  progress.command = 'RCPT TO';
  await connection.command(`RCPT TO:<${message.recipient}>`, 2);
  progress.command = 'DATA';
  await connection.command('DATA', 3);
  progress.dataAccepted = true;
  if (messages > 0) limitSending();
  await sendMessage(connection, message);
  // Without the final dot the server discards the message, and after a QUIT it would wait for it.
  if (!(await context.mayStillSend())) connection.fail(new Error('Another attempt may have taken over.'));
  // A reply in the middle of the message refuses it.
  if (connection.hasNews) throw new UnwantedReply(await connection.reply(4));
  // Aborting after this point would leave unknown whether the server accepted the message.
  limits.ignoreSignal();
  limits.within(FINAL_REPLY_TIMEOUT_MS, 'The server did not confirm the message');
  progress.finalDotSent = await connection.write(FINAL_DOT);
  return { kind: 'accepted', reply: await connection.reply(2) };
}

/** Resolves when the server is ready for an envelope. */
async function setUp(
  connection: SmtpConnection,
  target: SessionTarget,
  hostname: string,
  progress: SessionProgress,
): Promise<SmtpSession> {
  await connection.reply(2);
  progress.command = 'EHLO';
  let extensions = await sayHello(connection, hostname);
  progress.command = undefined;
  const { security, credentials } = target;
  if (security === 'required' || (security === 'opportunistic' && extensions.has('STARTTLS'))) {
    progress.inTlsHandshake = true;
    if (!extensions.has('STARTTLS')) throw new Error('The server does not offer STARTTLS.');
    await connection.command('STARTTLS', 2);
    await connection.upgrade();
    progress.inTlsHandshake = false;
    progress.command = 'EHLO';
    // Extensions received in plain text may be forged (RFC 3207 section 4.2).
    extensions = await sayHello(connection, hostname);
    progress.command = undefined;
  }
  if (credentials !== undefined) await logIn(connection, credentials, extensions.get('AUTH') ?? '');
  return { connection, extensions, messages: 0 };
}

/** EHLO, or HELO if the server does not know EHLO (RFC 5321 section 3.2). */
async function sayHello(connection: SmtpConnection, hostname: string): Promise<SmtpSession['extensions']> {
  try {
    const response = await connection.command(`EHLO ${hostname}`, 2);
    return new Map(response.split('\n').slice(1).map(extensionOf));
  } catch (error) {
    const isUnknown = error instanceof UnwantedReply && error.reply.replyCode >= 500 && error.reply.replyCode <= 504;
    if (!isUnknown || connection.hasNews) throw error;
    await connection.command(`HELO ${hostname}`, 2).catch((second: unknown) => {
      throw second instanceof UnwantedReply ? second : error;
    });
    return new Map();
  }
}

/** `250 SIZE 1000`; old servers write `250 AUTH=LOGIN`. */
function extensionOf(line: string): [string, string] {
  const [, keyword = '', parameters = ''] = /^\d{3}[ -]([A-Za-z0-9-]*)[ =]?(.*)$/.exec(line) ?? [];
  return [keyword.toUpperCase(), parameters];
}

/** All but the final dot; stops early if the server replies. */
async function sendMessage(
  connection: SmtpConnection,
  { signedMessage, contents }: Pick<SessionMessage, 'signedMessage' | 'contents'>,
): Promise<void> {
  try {
    for await (const piece of inPieces(signedMessage, contents, escaped)) {
      const bytes = Buffer.from(piece, 'latin1');
      for (let start = 0; start < bytes.length && !connection.hasNews; start += CHUNK_BYTES)
        await connection.write(bytes.subarray(start, start + CHUNK_BYTES));
      if (connection.hasNews) return;
    }
  } catch {
    // The database: what follows, such as a QUIT, would be taken for the rest of the message.
    connection.fail(new Error('The attachments could not be read.'));
  }
}

/** No line of base64 begins with a dot. */
const escaped = (text: string, isLast: boolean): string =>
  (isLast ? withFinalLineEnd(text) : text).replace(/(^|\n)\./g, '$1..');

const withFinalLineEnd = (message: string): string => (message.endsWith('\r\n') ? message : `${message}\r\n`);

/** RFC 1870: a message above the announced size need not be sent. */
function isTooLarge(size: number, extensions: SmtpSession['extensions']): boolean {
  const limit = Number(extensions.get('SIZE') ?? 0);
  return limit > 0 && size > limit;
}

const TOO_LARGE: SessionOutcome = {
  kind: 'refused',
  command: 'MAIL FROM',
  reply: {
    replyCode: 552,
    enhancedCode: '5.3.4',
    text: 'The message exceeds the size limit that this server announces (SIZE, RFC 1870).',
  },
};

/** Ends the connection on timeout or when the attempt is aborted. */
function limitSession(connection: SmtpConnection, signal: AbortSignal) {
  let timer: NodeJS.Timeout | undefined;
  const within = (timeoutMs: number, failure: string): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      connection.fail(new Error(`${failure} within ${String(timeoutMs / 1_000)} seconds.`));
    }, timeoutMs);
  };
  const abort = (): void => {
    connection.fail(new Error('The attempt was aborted.'));
  };
  const ignoreSignal = (): void => {
    signal.removeEventListener('abort', abort);
  };
  within(SETUP_TIMEOUT_MS, 'The server was not ready');
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  return {
    within,
    ignoreSignal,
    end: (): void => {
      clearTimeout(timer);
      ignoreSignal();
    },
  };
}
