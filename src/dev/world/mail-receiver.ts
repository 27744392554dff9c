import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import PostalMime from 'postal-mime';
import { SMTPServer, type SMTPServerSession } from 'smtp-server';
import { dnsLookup, judgeMessage } from './judge-message.ts';
import { openMessageLedger, type ReceivedMessage } from './message-ledger.ts';

interface Refusal {
  /** The recipient's address in any case, or a pattern for it. */
  readonly recipient: RegExp | string;
  /** 4xx or 5xx (RFC 5321 section 4.2), with the code of RFC 3463. */
  readonly reply: { readonly code: number; readonly enhanced: string; readonly text: string };
  /** How many recipients. @default all */
  readonly times?: number;
}

export interface MailReceiver {
  readonly host: string;
  readonly port: number;
  /** All acknowledged messages, oldest first, including those before a restart. */
  received(): readonly ReceivedMessage[];
  /** Refuses recipients at RCPT TO from now on. The newest refusal that matches counts. */
  refuse(refusal: Refusal): void;
  /** Resolves with the first matching message, received already or later; rejects when the signal aborts. */
  waitFor(matches: (message: ReceivedMessage) => boolean, signal: AbortSignal): Promise<ReceivedMessage>;
  stop(): Promise<void>;
}

export interface MailReceiverOptions {
  /** For the records of SPF, DKIM and DMARC. */
  readonly resolvers: readonly string[];
  /** The name in the server's greeting. */
  readonly hostname: string;
  /** Folder for messages. @default they are lost at the end */
  readonly folder?: string;
}

const MESSAGE_BYTES_MAX = 25 * 1024 * 1024;

/** The server does not wait longer for clients that keep idle connections open. */
const CLOSE_TIMEOUT_MS = 100;

/** A mail server that accepts every message, checks its authentication and stores it. */
export async function startMailReceiver(options: MailReceiverOptions): Promise<MailReceiver> {
  const host = '127.0.0.1';
  const resolver = dnsLookup(options.resolvers);
  const ledger = await openMessageLedger(options.folder);
  const refusals: { readonly refusal: Refusal; left: number }[] = [];
  const watchers = new Set<(message: ReceivedMessage) => void>();

  function errorFor(recipient: string): Error | null {
    const hit = refusals.find(({ refusal, left }) => left > 0 && concerns(refusal, recipient));
    if (hit === undefined) return null;
    hit.left -= 1;
    const { code, enhanced, text } = hit.refusal.reply;
    return Object.assign(new Error(`${enhanced} ${text}`), { responseCode: code });
  }

  async function take(raw: Buffer, session: SMTPServerSession): Promise<void> {
    const mailFrom = session.envelope.mailFrom;
    const envelopeFrom = mailFrom === false ? '' : mailFrom.address;
    const client = { ip: session.remoteAddress, helo: session.hostNameAppearsAs, envelopeFrom };
    const judgement = await judgeMessage(raw, client, options.hostname, resolver);
    const { messageId = '', from, subject = '' } = await PostalMime.parse(headOf(raw));
    const message: ReceivedMessage = {
      messageId,
      from: from?.address ?? '',
      to: session.envelope.rcptTo.map(({ address }) => address),
      subject,
      envelopeFrom,
      ...judgement,
      raw: raw.toString('utf8'),
      receivedAt: new Date().toISOString(),
    };
    await ledger.add(message);
    for (const watcher of [...watchers]) watcher(message);
  }

  const server = new SMTPServer({
    name: options.hostname,
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    size: MESSAGE_BYTES_MAX,
    closeTimeout: CLOSE_TIMEOUT_MS,
    onRcptTo(address, _session, callback) {
      callback(errorFor(address.address));
    },
    onData(stream, session, callback) {
      buffer(stream)
        .then((raw) => take(raw, session))
        .then(
          () => {
            callback(null, 'stored');
          },
          (error: unknown) => {
            callback(error instanceof Error ? error : new Error(String(error)));
          },
        );
    },
  });
  // A client may disconnect at any time.
  server.on('error', () => undefined);
  const listening = server.listen(0, host);
  await once(listening, 'listening');
  const address = listening.address();

  return {
    host,
    port: address !== null && typeof address === 'object' ? address.port : 0,
    received: () => ledger.all(),
    refuse: (refusal) => {
      refusals.unshift({ refusal, left: refusal.times ?? Number.POSITIVE_INFINITY });
    },
    async waitFor(matches, signal) {
      signal.throwIfAborted();
      const here = ledger.all().find(matches);
      if (here !== undefined) return here;
      return new Promise((resolve, reject) => {
        const end = (): void => {
          watchers.delete(watcher);
          signal.removeEventListener('abort', abort);
        };
        const watcher = (message: ReceivedMessage): void => {
          if (!matches(message)) return;
          end();
          resolve(message);
        };
        const abort = (): void => {
          end();
          reject(signal.reason as Error);
        };
        watchers.add(watcher);
        signal.addEventListener('abort', abort);
      });
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(resolve);
      }),
  };
}

const concerns = ({ recipient }: Refusal, address: string): boolean =>
  typeof recipient === 'string' ? recipient.toLowerCase() === address.toLowerCase() : recipient.test(address);

/** Everything is accepted, however its body is nested. */
function headOf(raw: Buffer): Buffer {
  const end = raw.indexOf('\r\n\r\n');
  return end < 0 ? raw : raw.subarray(0, end);
}
