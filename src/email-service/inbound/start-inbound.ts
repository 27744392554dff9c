// Takes what comes back: reports to the return paths of this service's emails, and nothing else. It stores no message and sends none.
// 250 means that what the message reports is committed, so a server whose connection is lost sends it again, which changes nothing.
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import type { Socket } from 'node:net';
import { createSecureContext } from 'node:tls';
import type { Logger } from 'pino';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import { fileFault } from '../../lib/file-fault.ts';
import { listenFault } from '../../lib/http/listen.ts';
import { splitAddress } from '../../lib/mail-rules/mail-address-fault.ts';
import { counter } from '../../lib/metrics/metrics.ts';
import type { Sealer } from '../../lib/sealing.ts';
import { SettingsError } from '../../lib/settings.ts';
import { createJudgeBounces, type JudgeBouncesDependencies } from '../activities/judge-bounces.ts';
import { emailIdOfReturnPath } from '../delivery/return-path.ts';
import { reportedEmail } from '../store/emails.ts';
import { type RecordedReport, recordReport } from '../store/record-report.ts';
import { createConnectionLimits } from './connection-limits.ts';
import { readReport, REPORT_BYTES_MAX } from './read-report.ts';

export interface InboundParts extends JudgeBouncesDependencies {
  readonly sealer: Sealer;
}

export interface InboundSettings {
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
  readonly hostname: string;
  readonly certificateFile?: string | undefined;
  readonly certificateKeyFile?: string | undefined;
  /** @default 10 minutes */
  readonly sessionMs?: number;
}

export interface RunningInbound {
  readonly port: number;
  stop(): Promise<void>;
}

/** The largest email with its content returned; what follows a report is read and dropped. */
const MESSAGE_BYTES_MAX = 10 * 1024 * 1024;
const CLIENTS_MAX = 100;
/** RFC 5321 section 4.5.3.2.7. */
const IDLE_MS = 300_000;
/** Ends a session that never falls silent. */
const SESSION_MS = 600_000;
const CLOSE_MS = 2_000;

const reports = counter<{ readonly outcome: RecordedReport['outcome'] | 'failed' }>(
  'sendoff_inbound_messages',
  'Messages to return paths that this process has read.',
  [
    { outcome: 'late_bounce' },
    { outcome: 'complaint' },
    { outcome: 'unrelated' },
    { outcome: 'repeated' },
    { outcome: 'too_early' },
    { outcome: 'failed' },
  ],
);

/** The reply to a command; any other error is one of this service. */
class Refusal extends Error {
  readonly responseCode: number;
  constructor(responseCode: number, text: string) {
    super(text);
    this.responseCode = responseCode;
  }
}

const relayDenied = new Refusal(550, '5.7.1 Only reports about emails of this service are taken here');
const unknownEmail = new Refusal(550, '5.1.1 No such email');
const tooLarge = new Refusal(552, '5.3.4 The message is too large');
const tooEarly = new Refusal(450, '4.2.1 The email is still being delivered, send the report again later');
const tooMany = new Refusal(421, '4.7.0 Too many connections from your network, try again later');
const unavailable = new Refusal(451, '4.3.0 The report could not be recorded, send it again later');

/** @throws SettingsError if the address or a file cannot be used */
export async function startInbound(parts: InboundParts, settings: InboundSettings): Promise<RunningInbound> {
  const { hostname, host, port, sessionMs = SESSION_MS } = settings;
  const { logger } = parts;
  const limits = createConnectionLimits();
  const admitted = new Set<string>();
  const record = createRecorder(parts);
  const certificate = openCertificate(settings, logger);
  const server: SMTPServer = new SMTPServer({
    name: hostname,
    disabledCommands: ['AUTH', ...(certificate === undefined ? ['STARTTLS'] : [])],
    ...certificate?.read(),
    authOptional: true,
    disableReverseLookup: true,
    logger: false,
    size: MESSAGE_BYTES_MAX,
    maxClients: CLIENTS_MAX,
    // Each email has a return path of its own.
    maxRecipients: 1,
    socketTimeout: IDLE_MS,
    closeTimeout: CLOSE_MS,
    onConnect({ id, remoteAddress }, callback) {
      certificate?.renew((renewed) => {
        server.updateSecureContext(renewed);
      });
      if (!limits.begin(remoteAddress)) {
        callback(tooMany);
        return;
      }
      admitted.add(id);
      callback();
    },
    onClose({ id, remoteAddress }) {
      if (admitted.delete(id)) limits.end(remoteAddress);
    },
    onRcptTo({ address }, _session, callback) {
      reply(requireEmail(address, parts), callback, logger);
    },
    onData(stream, session, callback) {
      reply(record(stream, session), callback, logger);
    },
  });
  // A client may disconnect at any time.
  server.on('error', () => undefined);
  server.server.on('connection', (socket: Socket) => {
    const end = setTimeout(() => socket.destroy(), sessionMs);
    socket.once('close', () => {
      clearTimeout(end);
    });
  });
  const listening = server.listen(port, host);
  try {
    await once(listening, 'listening');
  } catch (error) {
    const names = { host: 'EMAIL_SERVICE_INBOUND_HOST', port: 'EMAIL_SERVICE_INBOUND_PORT' };
    throw listenFault(error, { host, port, settings: names });
  }
  const address = listening.address();
  const used = address !== null && typeof address === 'object' ? address.port : port;
  logger.info({ host, port: used, startTls: certificate !== undefined }, 'takes bounces and complaints over SMTP');
  return {
    port: used,
    stop: () =>
      new Promise((resolve) => {
        server.close(resolve);
      }),
  };
}

type Reply = (error?: Error | null, text?: string) => void;

function reply(done: Promise<string | undefined>, callback: Reply, logger: Logger): void {
  done.then(
    (text) => {
      callback(null, text);
    },
    (error: unknown) => {
      if (!(error instanceof Refusal)) logger.error({ err: error }, 'cannot record a report');
      callback(error instanceof Refusal ? error : unavailable);
    },
  );
}

/** Refuses a recipient that is not at the return path of an email. */
async function requireEmail(recipient: string, { sealer, store }: InboundParts): Promise<undefined> {
  const { localPart, domain } = splitAddress(recipient);
  const emailId = emailIdOfReturnPath(sealer, localPart);
  if (emailId === undefined) throw relayDenied;
  const email = await reportedEmail(store, emailId);
  if (email === undefined) throw unknownEmail;
  if (email.return_path_domain !== domain) throw relayDenied;
  if (email.status === 'queued') throw tooEarly;
}

function createRecorder(parts: InboundParts) {
  const { store, sealer, beginner, logger, now } = parts;
  const judgeBounces = createJudgeBounces(parts);

  async function recordFor(emailId: string, raw: Buffer): Promise<RecordedReport> {
    const found = await readReport(raw);
    const claimed = beginner.makesFirstAttempts;
    const recorded = await recordReport(store, sealer, { emailId, reports: found, now: now(), claimed });
    logger.info({ emailId, outcome: recorded.outcome }, 'a message to a return path');
    if ('posts' in recorded) {
      recorded.posts.forEach(beginner.begin);
      if (recorded.countsAsBounce) await judgeBounces(recorded.accountId);
    }
    return recorded;
  }

  return async (stream: SMTPServerDataStream, { envelope }: SMTPServerSession): Promise<string> => {
    const raw = await firstBytes(stream, REPORT_BYTES_MAX);
    if (stream.sizeExceeded) throw tooLarge;
    const { localPart } = splitAddress(envelope.rcptTo[0]?.address ?? '');
    const emailId = emailIdOfReturnPath(sealer, localPart);
    if (emailId === undefined) throw relayDenied;
    const { outcome } = await recordFor(emailId, raw).catch((error: unknown) => {
      reports.add({ outcome: 'failed' });
      throw error;
    });
    reports.add({ outcome });
    if (outcome === 'too_early') throw tooEarly;
    return outcome === 'unrelated' ? '2.0.0 Nothing to record' : '2.0.0 Recorded';
  };
}

/** Reads the stream to its end, and keeps its beginning. */
async function firstBytes(stream: AsyncIterable<Buffer>, most: number): Promise<Buffer> {
  const kept: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    if (size < most) kept.push(chunk.subarray(0, most - size));
    size += chunk.length;
  }
  return Buffer.concat(kept);
}

interface CertificateAndKey {
  readonly cert: Buffer;
  readonly key: Buffer;
}

interface Certificate {
  /** @throws SettingsError */
  read(): CertificateAndKey;
  /** Calls `use` if a file has changed. What cannot be used is logged, and the one before stays. */
  renew(use: (renewed: CertificateAndKey) => void): void;
}

/** Certificates are replaced every few weeks; the files are read again with the next connection. */
function openCertificate(
  { certificateFile, certificateKeyFile }: InboundSettings,
  logger: Logger,
): Certificate | undefined {
  if (certificateFile === undefined || certificateKeyFile === undefined) return undefined;
  const changedAt = (): string => [certificateFile, certificateKeyFile].map((file) => statSync(file).mtimeMs).join();
  let readAt = '';
  const readBoth = (): CertificateAndKey => {
    readAt = changedAt();
    const both = { cert: readFileSync(certificateFile), key: readFileSync(certificateKeyFile) };
    createSecureContext(both);
    return both;
  };
  return {
    read: () => {
      try {
        return readBoth();
      } catch (error) {
        const names = 'EMAIL_SERVICE_INBOUND_CERTIFICATE_FILE and EMAIL_SERVICE_INBOUND_CERTIFICATE_KEY_FILE';
        throw new SettingsError(`${names} must be a certificate and its key (PEM): ${fileFault(error)}`);
      }
    },
    renew: (use) => {
      try {
        if (changedAt() !== readAt) use(readBoth());
      } catch (error) {
        logger.error({ err: error }, 'cannot use the new certificate of the SMTP server; the one before stays');
      }
    },
  };
}
