import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import type { SMTPServerSession } from 'smtp-server';
import { dnsLookup } from './dns-lookup.ts';
import { judgeMessage } from './judge-message.ts';
import { openMessageLedger } from './message-ledger.ts';
import type { ReceivedMessage } from './message-ledger.ts';
import { readHeader } from './read-header.ts';
import { createRefusals } from './refusals.ts';
import type { RefusalRule, SmtpReply } from './refusals.ts';

export interface MailReceiver {
  readonly host: string;
  readonly port: number;
  /** Everything that was acknowledged, oldest first, also before a restart. */
  received(): readonly ReceivedMessage[];
  /** From now on, answers the recipient with this reply. */
  refuse(rule: RefusalRule): void;
  /** The first message that fits, among those already here or as soon as it comes; rejects when the signal aborts. */
  waitFor(fits: (message: ReceivedMessage) => boolean, signal: AbortSignal): Promise<ReceivedMessage>;
  stop(): Promise<void>;
}

export interface MailReceiverOptions {
  /** Where SPF, DKIM and DMARC records are looked up. */
  readonly resolvers: readonly string[];
  /** What the server calls itself. */
  readonly hostname: string;
  /** @default '127.0.0.1' */
  readonly host?: string;
  /** @default 0: a free one */
  readonly port?: number;
  /** Where messages are kept; none keeps them in memory only. */
  readonly folder?: string;
}

const MESSAGE_BYTES_MAX = 25 * 1024 * 1024;

/** Clients that keep a connection for their next message must not keep the server from ending. */
const CLOSE_TIMEOUT_MS = 100;

/** A mail server for one recipient's domain: it takes every message, judges it as receivers do, and keeps it. */
export async function startMailReceiver(options: MailReceiverOptions): Promise<MailReceiver> {
  const host = options.host ?? '127.0.0.1';
  const resolver = dnsLookup(options.resolvers);
  const ledger = await openMessageLedger(options.folder);
  const refusals = createRefusals();
  const watchers = new Set<(message: ReceivedMessage) => void>();

  async function take(raw: Buffer, session: SMTPServerSession): Promise<void> {
    const mailFrom = session.envelope.mailFrom;
    const envelopeFrom = mailFrom === false ? '' : mailFrom.address;
    const client = { ip: session.remoteAddress, helo: session.hostNameAppearsAs, envelopeFrom };
    const judgement = await judgeMessage(raw, client, options.hostname, resolver);
    const text = raw.toString('utf8');
    const message: ReceivedMessage = {
      messageId: readHeader(text, 'message-id'),
      from: /<([^>]*)>\s*$/.exec(readHeader(text, 'from'))?.[1] ?? readHeader(text, 'from'),
      to: session.envelope.rcptTo.map(({ address }) => address),
      subject: readHeader(text, 'subject'),
      envelopeFrom,
      ...judgement,
      raw: text,
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
      callback(asError(refusals.next('rcpt', [address.address])));
    },
    onData(stream, session, callback) {
      const recipients = session.envelope.rcptTo.map(({ address }) => address);
      buffer(stream)
        .then(async (raw) => {
          const refusal = asError(refusals.next('data', recipients));
          if (refusal !== null) throw refusal;
          await take(raw, session);
        })
        .then(
          () => {
            callback(null, 'kept');
          },
          (error: unknown) => {
            callback(error instanceof Error ? error : new Error(String(error)));
          },
        );
    },
  });
  // A client that hangs up in the middle is its own affair.
  server.on('error', () => undefined);
  const listening = server.listen(options.port ?? 0, host);
  await once(listening, 'listening');
  const address = listening.address();

  return {
    host,
    port: address !== null && typeof address === 'object' ? address.port : 0,
    received: () => ledger.all(),
    refuse: (rule) => {
      refusals.add(rule);
    },
    async waitFor(fits, signal) {
      signal.throwIfAborted();
      const here = ledger.all().find(fits);
      if (here !== undefined) return here;
      return new Promise((resolve, reject) => {
        const end = (): void => {
          watchers.delete(watcher);
          signal.removeEventListener('abort', abort);
        };
        const watcher = (message: ReceivedMessage): void => {
          if (!fits(message)) return;
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

function asError(reply: SmtpReply | undefined): Error | null {
  if (reply === undefined) return null;
  return Object.assign(new Error(`${reply.enhanced} ${reply.text}`), { responseCode: reply.code });
}
