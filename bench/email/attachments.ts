import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { startInfrastructure } from '../infrastructure.ts';
import type { MeasuredProcess } from '../process-usage.ts';
import type { Bench, Lines } from '../scenario.ts';
import { createSenders, RECIPIENT_DOMAINS, startMailDns } from './senders.ts';
import { startSmtpSink } from './smtp-sink.ts';
import { startEmailService } from './start-email-service.ts';

const EMAILS = 50;
const ATTACHMENT_BYTES = 10_000_000;
const RETRY_MS = 5_000;

/** From the first POST, all at once, until the mail server has accepted the last message. */
export async function measureAttachments(bench: Bench): Promise<Lines> {
  const sink = await startSmtpSink();
  bench.closers.add(() => sink.close());
  const infrastructure = await startInfrastructure(bench);
  const dns = await startMailDns(bench);
  const service = await startEmailService(bench, infrastructure, {
    ...{ role: 'all', dnsPort: dns.port, smtpPort: sink.port },
  });
  const senders = await createSenders(bench, service, dns);
  const emails = bench.quick ? 8 : EMAILS;
  const content = randomBytes(ATTACHMENT_BYTES).toString('base64');
  const accepted = new Promise<void>((resolve) => {
    sink.onMessage(() => {
      if (sink.messages === emails) resolve();
    });
  });
  const before = peakMegabytes(service.process);
  const begun = performance.now();
  let repeated = 0;
  const send = async (number: number): Promise<void> => {
    const sender = senders[number % senders.length];
    if (sender === undefined) throw new Error('There is no sender');
    const body = JSON.stringify({
      ...{
        sender_id: sender.id,
        recipient: `ada-${number}@${RECIPIENT_DOMAINS[number % RECIPIENT_DOMAINS.length] ?? ''}`,
      },
      ...{ subject: `Number ${number}`, body: 'Attached.', attachments: [{ filename: 'a.bin', content }] },
    });
    const headers = { 'idempotency-key': randomUUID() };
    for (;;) {
      bench.signal.throwIfAborted();
      const status = await sender.caller.postText('/emails', body, headers);
      if (status === 202) return;
      if (status !== 503) throw new Error(`POST /emails answered ${status}`);
      repeated += 1;
      await pause(RETRY_MS);
    }
  };
  await Promise.all(Array.from({ length: emails }, (_, number) => send(number)));
  const acceptedMs = performance.now() - begun;
  await accepted;
  const tookMs = performance.now() - begun;
  return {
    'sendoff: `email-service`': {
      'accepted/s': (emails * 1_000) / acceptedMs,
      'delivered/s': (emails * 1_000) / tookMs,
      'asked to repeat': repeated,
      'MB of memory before': before,
      'most MB of memory': peakMegabytes(service.process),
    },
  };
}

/** proc_pid_status(5). */
function peakMegabytes({ pid }: MeasuredProcess): number {
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return (Number(kilobytes) * 1_024) / 1_000_000;
}
