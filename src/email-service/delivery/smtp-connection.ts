// Our own SMTP client, because delivery must know whether the final dot was sent and what the server said last; nodemailer loses replies
// when a connection closes.
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { setImmediate as nextLoopTurn } from 'node:timers/promises';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { AttemptTls } from '../resources/email.ts';
import { parseSmtpReply, type SmtpReply } from './smtp-reply.ts';
import { SmtpReplyReader } from './smtp-reply-reader.ts';

/**
 * `opportunistic`: STARTTLS if offered, any certificate (RFC 7435). `none`: plain text, after a failed handshake.
 * `required`: STARTTLS with a valid certificate. `implicit`: TLS from the first byte, valid certificate.
 */
type SessionSecurity = 'opportunistic' | 'none' | 'required' | 'implicit';

export interface SmtpEndpoint {
  /** The name that its certificate must contain. */
  readonly host: string;
  /** An IP address, or a host name for the system's resolver. */
  readonly address: string;
  readonly port: number;
  readonly security: SessionSecurity;
  /** Certificates to trust instead of the public ones (PEM). */
  readonly trusted?: string | undefined;
}

/** How a connection is encrypted. */
export type SessionTls = Pick<AttemptTls, 'version' | 'cipher' | 'verified'>;

/** How long the server may take to close its side. */
const CLOSE_TIMEOUT_MS = 5_000;
/** The client reads one reply per command, so a server with this many unread replies does not speak SMTP. */
const UNREAD_REPLIES_MAX = 100;
const NOT_SMTP = 'The server does not speak SMTP.';

/** Ends the session: the reply is not the one that the command requires. */
export class UnwantedReply extends Error {
  readonly reply: SmtpReply;

  constructor(reply: SmtpReply) {
    super(`Replied ${String(reply.replyCode)}`);
    this.reply = reply;
  }
}

/**
 * The client side of an SMTP connection. Received replies are read before the caller sees errors or the end of the
 * connection.
 */
export class SmtpConnection {
  private readonly endpoint: SmtpEndpoint;
  private socket: Socket;
  private readonly reader = new SmtpReplyReader();
  private readonly responses: string[] = [];
  private readonly waiting = new Set<() => void>();
  private failure: Error | undefined;
  private protection: SessionTls | undefined;

  constructor(endpoint: SmtpEndpoint) {
    this.endpoint = endpoint;
    const { address: host, port } = endpoint;
    // Half-open: the server's FIN must not close the socket while replies are unread.
    const options = { host, port, allowHalfOpen: true };
    this.socket =
      endpoint.security === 'implicit'
        ? this.protected(connectTls({ ...options, ...this.tlsOptions() }))
        : connectTcp(options);
    this.socket.setNoDelay(true);
    this.listen(this.socket);
  }

  /**
   * All lines of the next reply. Throws after the connection has ended and every reply was read.
   * @param firstDigit of the required code; any other reply throws `UnwantedReply`
   */
  async response(firstDigit: number): Promise<string> {
    const response = await this.nextResponse();
    const reply = parseSmtpReply(response);
    if (reply === undefined) throw new Error(NOT_SMTP);
    if (Math.floor(reply.replyCode / 100) !== firstDigit) throw new UnwantedReply(reply);
    return response;
  }

  /** Undefined as long as the connection is in plain text. */
  get tls(): SessionTls | undefined {
    return this.protection;
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

  /** Whether a reply is unread, such as an unsolicited 421, or the connection has ended. */
  get hasNews(): boolean {
    return this.responses.length > 0 || this.failure !== undefined;
  }

  /** Resolves when the server sends something, or the connection ends. */
  somethingNew(): Promise<void> {
    return new Promise((resolve) => this.waiting.add(resolve));
  }

  /**
   * Resolves when more bytes may be written or `hasNews` becomes true.
   * @returns false if the connection had already ended and nothing was written
   */
  async write(bytes: Buffer | string): Promise<boolean> {
    // A write to a reset connection destroys the socket and discards received bytes. After two turns of the event loop
    // the socket has been polled, so the reply is read first.
    await nextLoopTurn();
    await nextLoopTurn();
    if (this.failure !== undefined) return false;
    if (this.socket.write(bytes)) return true;
    const drained = new Promise<void>((resolve) => this.socket.once('drain', resolve));
    if (!this.hasNews) await Promise.race([drained, this.somethingNew()]);
    return true;
  }

  /** The handshake after a 220 to STARTTLS. If it fails, the connection is unusable. */
  async upgrade(): Promise<void> {
    if (this.failure !== undefined) throw this.failure;
    // Plain text after the 220 must not be read as if it had been encrypted.
    if (this.hasNews || !this.reader.isBetweenReplies)
      throw new Error('The server continued in plain text after STARTTLS.');
    const plain = this.socket;
    plain.off('data', this.onData).off('end', this.onEnd).off('close', this.onClose);
    const secure = this.protected(connectTls({ socket: plain, ...this.tlsOptions() }));
    this.socket = secure;
    this.listen(secure);
    await new Promise<void>((resolve, reject) => {
      secure.once('secureConnect', resolve);
      void this.ended().then(reject);
    });
  }

  /** Ends the connection at once; received replies can still be read. */
  fail(error: Error): void {
    this.end(error);
    this.socket.destroy();
  }

  /** @param farewell sent first, if the connection is still open */
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

  /** Noted at once, because a socket that has ended no longer says it. */
  private protected(socket: TLSSocket): TLSSocket {
    return socket.once('secureConnect', () => {
      const { authorized: verified } = socket;
      this.protection = { version: socket.getProtocol() ?? '', cipher: socket.getCipher().standardName, verified };
    });
  }

  private tlsOptions() {
    const { host, security, trusted } = this.endpoint;
    return {
      ...(trusted === undefined ? {} : { ca: trusted }),
      // RFC 6066 section 3: server_name must not be an address.
      ...(isIP(host) === 0 ? { servername: host } : {}),
      // Where no policy requires a certificate, rejecting one would only lead to plain text.
      rejectUnauthorized: security === 'required' || security === 'implicit',
    };
  }
}
