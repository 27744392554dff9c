import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { setImmediate as nextLoopTurn } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { parseSmtpReply, type SmtpReply } from './smtp-reply.ts';
import { SmtpReplyReader } from './smtp-reply-reader.ts';

/**
 * `opportunistic`: STARTTLS when offered, any certificate (RFC 7435). `none`: plain text, after a handshake failed.
 * `required`: STARTTLS with a valid certificate. `implicit`: TLS from the first byte, valid certificate.
 */
export type SessionSecurity = 'opportunistic' | 'none' | 'required' | 'implicit';

export interface SmtpEndpoint {
  /** The name in its certificate. */
  readonly host: string;
  /** A host name is looked up by the system. */
  readonly address: string;
  readonly port: number;
  readonly security: SessionSecurity;
}

/** How long the server has for closing its side. */
const CLOSE_TIMEOUT_MS = 5_000;
/** The client reads one reply per command; a server this far ahead is not speaking SMTP. */
const UNREAD_REPLIES_MAX = 100;
const NOT_SMTP = 'The server does not speak SMTP.';

/** A reply that ends the session, because it is not the one that the command needs. */
export class UnwantedReply extends Error {
  readonly reply: SmtpReply;

  constructor(reply: SmtpReply) {
    super(`Replied ${String(reply.replyCode)}`);
    this.reply = reply;
  }
}

/**
 * The client's end of an SMTP connection. A reply that has arrived is read whatever happens to the connection afterwards:
 * errors and the end of the connection reach the caller after the replies.
 */
export class SmtpConnection {
  private readonly endpoint: SmtpEndpoint;
  private socket: Socket;
  private readonly reader = new SmtpReplyReader();
  private readonly responses: string[] = [];
  private readonly waiting = new Set<() => void>();
  private failure: Error | undefined;

  constructor(endpoint: SmtpEndpoint) {
    this.endpoint = endpoint;
    const { address: host, port } = endpoint;
    // Half open: the server's FIN must not close the socket while its last replies are unread.
    const options = { host, port, allowHalfOpen: true };
    this.socket =
      endpoint.security === 'implicit' ? connectTls({ ...options, ...this.tlsOptions() }) : connectTcp(options);
    this.socket.setNoDelay(true);
    this.listen(this.socket);
  }

  /**
   * All lines of the next reply; throws once the connection has ended and every reply was read.
   * @param firstDigit of the code that is wanted; any other reply is thrown as `UnwantedReply`
   */
  async response(firstDigit: number): Promise<string> {
    const response = await this.nextResponse();
    const reply = parseSmtpReply(response);
    if (reply === undefined) throw new Error(NOT_SMTP);
    if (Math.floor(reply.replyCode / 100) !== firstDigit) throw new UnwantedReply(reply);
    return response;
  }

  async reply(firstDigit: number): Promise<SmtpReply> {
    const reply = parseSmtpReply(await this.response(firstDigit));
    if (reply === undefined) throw new Error(NOT_SMTP);
    return reply;
  }

  async command(line: string, firstDigit: number): Promise<string> {
    await this.write(`${line}\r\n`);
    return this.response(firstDigit);
  }

  /** Whether a reply is unread, such as an unasked 421, or the connection has ended. */
  get hasNews(): boolean {
    return this.responses.length > 0 || this.failure !== undefined;
  }

  /**
   * Resolves when the next bytes may be written, or when there is news.
   * @returns false when the connection had ended before, and nothing was written
   */
  async write(bytes: Buffer | string): Promise<boolean> {
    // A write to a connection that was reset destroys the socket, with the reply that the system still holds. Two turns
    // make sure that the event loop has polled, so that the reply is read first.
    await nextLoopTurn();
    await nextLoopTurn();
    if (this.failure !== undefined) return false;
    if (this.socket.write(bytes)) return true;
    const drained = new Promise<void>((resolve) => this.socket.once('drain', resolve));
    if (!this.hasNews) await Promise.race([drained, this.somethingNew()]);
    return true;
  }

  /** The handshake that follows a 220 to STARTTLS. Where it fails, the connection is of no use any more. */
  async upgrade(): Promise<void> {
    if (this.failure !== undefined) throw this.failure;
    // Whatever followed the 220 was not encrypted and must not pass for something that was.
    if (this.hasNews || !this.reader.isBetweenReplies)
      throw new Error('The server went on in plain text after STARTTLS.');
    const plain = this.socket;
    plain.off('data', this.onData).off('end', this.onEnd).off('close', this.onClose);
    const secure = connectTls({ socket: plain, ...this.tlsOptions() });
    this.socket = secure;
    this.listen(secure);
    await new Promise<void>((resolve, reject) => {
      secure.once('secureConnect', resolve);
      void this.ended().then(reject);
    });
  }

  /** Ends the connection at once. Replies that have arrived can still be read. */
  fail(error: Error): void {
    this.end(error);
    this.socket.destroy();
  }

  /** @param farewell sent before the connection is closed, where it is still open */
  close(farewell = ''): void {
    const { socket } = this;
    const isOpen = this.failure === undefined;
    this.end(new Error('The connection was closed.'));
    if (socket.destroyed) return;
    socket.end(isOpen ? farewell : '');
    const timer = setTimeout(() => socket.destroy(), CLOSE_TIMEOUT_MS).unref();
    socket.once('close', () => {
      clearTimeout(timer);
    });
  }

  private listen(socket: Socket): void {
    socket.on('data', this.onData).on('end', this.onEnd).on('close', this.onClose).on('error', this.onError);
  }

  private readonly onData = (chunk: Buffer): void => {
    if (this.failure !== undefined) return;
    const fault = this.reader.read(chunk, (response) => this.responses.push(response));
    if (fault !== undefined) this.fail(new Error(fault));
    else if (this.responses.length > UNREAD_REPLIES_MAX) this.fail(new Error(NOT_SMTP));
    else this.wake();
  };
  private readonly onEnd = (): void => {
    this.end(new Error('The server closed the connection.'));
  };
  private readonly onClose = (): void => {
    this.end(new Error('The connection was closed.'));
  };
  private readonly onError = (error: Error): void => {
    this.end(error);
  };

  private end(error: Error): void {
    if (this.failure !== undefined) return;
    this.failure = error;
    const cutOff = this.reader.end();
    if (cutOff !== undefined) this.responses.push(cutOff);
    this.wake();
  }

  private async nextResponse(): Promise<string> {
    for (;;) {
      const response = this.responses.shift();
      if (response !== undefined) return response;
      if (this.failure !== undefined) throw this.failure;
      await this.somethingNew();
    }
  }

  private async ended(): Promise<Error> {
    while (this.failure === undefined) await this.somethingNew();
    return this.failure;
  }

  private wake(): void {
    for (const resolve of this.waiting) resolve();
    this.waiting.clear();
  }

  private somethingNew(): Promise<void> {
    return new Promise((resolve) => this.waiting.add(resolve));
  }

  private tlsOptions() {
    const { host, security } = this.endpoint;
    return {
      // RFC 6066 section 3: an address is not a server name.
      ...(isIP(host) === 0 ? { servername: host } : {}),
      // Without DANE or MTA-STS nothing says which certificate is right; refusing one would only mean plain text.
      rejectUnauthorized: security === 'required' || security === 'implicit',
    };
  }
}
