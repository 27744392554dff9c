import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../src/dev/temporal/free-port.ts';
import { createCaller } from '../caller.ts';
import { startInfrastructure } from '../infrastructure.ts';
import type { MeasuredProcess } from '../process-usage.ts';
import type { Bench, Figures, Scenario } from '../scenario.ts';
import { startProcess } from '../start-process.ts';
import { percentile } from '../statistics.ts';
import { atRate } from '../at-rate.ts';
import { cpuFigures, underLoad } from '../under-load.ts';
import { type SmtpSink, startSmtpSink } from './smtp-sink.ts';
import { startEmailService } from './start-email-service.ts';
import { measureAttachments } from './attachments.ts';
import { measureNeighbours } from './neighbours.ts';
import { createSenders, RECIPIENT_DOMAINS, startMailDns } from './senders.ts';

/** What sends emails. */
interface Mailer {
  /** Resolves when it has been accepted for delivery. */
  readonly send: (number: number) => Promise<unknown>;
  readonly processes: readonly MeasuredProcess[];
}

type StartMailer = (bench: Bench, sink: SmtpSink) => Promise<Mailer>;

const recipientOf = (number: number): string =>
  `ada-${number}@${RECIPIENT_DOMAINS[number % RECIPIENT_DOMAINS.length] ?? ''}`;

const email = (number: number) => ({
  ...{ recipient: recipientOf(number), subject: `Number ${number}`, body: 'It works.\n'.repeat(50) },
});

const sendoff: StartMailer = async (bench, sink) => {
  const infrastructure = await startInfrastructure(bench);
  const dns = await startMailDns(bench);
  const service = await startEmailService(bench, infrastructure, {
    ...{ role: 'all', dnsPort: dns.port, smtpPort: sink.port },
  });
  const senders = await createSenders(bench, service, dns);
  return {
    send: (number) => {
      const sender = senders[number % senders.length];
      if (sender === undefined) throw new Error('There is no sender');
      const headers = { 'idempotency-key': randomUUID() };
      return sender.caller.post('/emails', { ...email(number), sender_id: sender.id }, headers);
    },
    processes: [...infrastructure.processes, service.process],
  };
};

const nodemailer =
  ({ isPooled }: { readonly isPooled: boolean }): StartMailer =>
  async (bench, sink) => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const settings = { PORT: String(port), SMTP_PORT: String(sink.port), POOL: String(isPooled) };
    const main = fileURLToPath(new URL('../rivals/nodemailer.ts', import.meta.url));
    const process = await startProcess({ name: 'nodemailer', args: ['--import', 'tsx', main], settings, url }, bench);
    const caller = createCaller({ url, token: '' });
    bench.closers.add(() => caller.close());
    return { send: (number) => caller.post('/emails', email(number)), processes: [process] };
  };

const MAILERS = [
  { name: 'emails', title: 'sendoff: `email-service`', start: sendoff },
  { name: 'nodemailer', title: 'nodemailer, signed, in memory', start: nodemailer({ isPooled: false }) },
  { name: 'nodemailer-pool', title: 'the same with pooled connections', start: nodemailer({ isPooled: true }) },
] as const;

export const emailScenarios: readonly Scenario[] = [
  ...MAILERS.map(({ name, title, start }) => ({
    ...{ name, title, table: 'Emails: 50 on their way at once' },
    run: async (bench: Bench) => ({ [title]: await delivered(bench, start) }),
  })),
  {
    ...{
      name: 'emails-at-rate',
      title: '100 calls a second',
      table: 'Emails: `POST /emails` a hundred times a second',
    },
    run: async (bench) => ({ 'sendoff: `email-service`': await postedAtRate(bench) }),
  },
  {
    ...{
      name: 'neighbours',
      title: '19 accounts, alone and beside one that floods',
      table: 'Emails: `POST /emails` of 19 accounts in two processes, beside one that floods dead addresses',
    },
    run: measureNeighbours,
  },
  {
    ...{
      name: 'attachments',
      title: '50 emails of 10 MB at once',
      table: 'Emails: 50 with an attachment of 10 MB, posted at once',
    },
    run: measureAttachments,
  },
];

/** From the POST until the mail server has accepted the message. */
async function delivered(bench: Bench, start: StartMailer): Promise<Figures> {
  const { quick, signal } = bench;
  const { mailer, untilAccepted } = await startWithSink(bench, start);
  const load = await underLoad({
    ...{ clients: 50, signal, warmUpMs: quick ? 2_000 : 8_000, measuredMs: quick ? 4_000 : 20_000 },
    processes: mailer.processes,
    runOne: async (number) => {
      const accepted = untilAccepted(number);
      await mailer.send(number);
      await accepted;
    },
  });
  return {
    'delivered/s': load.perSecond,
    'p50 ms': percentile(load.tookMs, 50),
    'p99 ms': percentile(load.tookMs, 99),
    ...cpuFigures(load),
  };
}

/** Whether or not the answers keep up; every email is delivered meanwhile. */
async function postedAtRate(bench: Bench): Promise<Figures> {
  const { quick, signal } = bench;
  const { mailer, untilAccepted } = await startWithSink(bench, sendoff);
  const acceptances: Promise<void>[] = [];
  const tookMs = await atRate({
    ...{ perSecond: 100, signal, warmUpMs: quick ? 500 : 8_000, measuredMs: quick ? 1_500 : 20_000 },
    runOne: async (number) => {
      acceptances.push(untilAccepted(number));
      await mailer.send(number);
    },
  });
  const begun = performance.now();
  await Promise.all(acceptances);
  return {
    'p50 ms': percentile(tookMs, 50),
    'p99 ms': percentile(tookMs, 99),
    'max ms': Math.max(...tookMs),
    's until all are delivered': (performance.now() - begun) / 1_000,
  };
}

async function startWithSink(
  bench: Bench,
  start: StartMailer,
): Promise<{ readonly mailer: Mailer; readonly untilAccepted: (number: number) => Promise<void> }> {
  const sink = await startSmtpSink();
  bench.closers.add(() => sink.close());
  const accepted = new Map<string, () => void>();
  sink.onMessage((recipient) => {
    accepted.get(recipient)?.();
    accepted.delete(recipient);
  });
  const mailer = await start(bench, sink);
  return {
    mailer,
    untilAccepted: (number) =>
      new Promise((resolve) => {
        accepted.set(recipientOf(number), resolve);
      }),
  };
}
