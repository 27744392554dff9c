import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { freePort } from '../../../src/dev/temporal/free-port.ts';
import { createDeliverMessage, type DeliveryResult } from '../../../src/email-service/delivery/deliver-message.ts';
import { type CertificateAuthority, createCertificateAuthority } from '../../support/certificate-authority.ts';
import { startPostfix, type RunningPostfix } from '../postfix.ts';
import type { Suite } from '../suite.ts';
import { type ReceiverCase, receiverCases } from './receiver-cases.ts';

/** How long Postfix may take to put an accepted message into the mailbox. */
const MAILBOX_MS = 10_000;

export const receivers: Suite = {
  name: 'receivers',
  title: 'deliveries to Postfix in many configurations, judged by its log and its mailbox',
  debian: { postfix: ['postconf'] },
  python: false,
  async *run({ tools, folder, wants, signal }) {
    const asked = receiverCases.filter(({ name }) => wants(name));
    const authority = createCertificateAuthority();
    const services = await Promise.all(
      asked.map(async ({ options, certificate }, index) => {
        const label = `case${String(index)}`;
        const withTls = await tlsOptions(authority, certificate, join(folder, `${label}.pem`));
        return { label, port: await freePort(), options: { ...options, ...withTls } };
      }),
    );
    const postfix = await startPostfix(tools, folder, services);
    try {
      for (const [index, { name, recipient = 'person@inbox.test', size = 10, certificate }] of asked.entries()) {
        const service = services[index];
        if (service === undefined) continue;
        const messageId = `<judge-${String(index)}@acme.test>`;
        const deliver = createDeliverMessage({
          smtpPort: service.port,
          smtpRelayUrl: undefined,
          trusted: authority.certificate,
          findMailRoute: async () => ({ kind: 'hosts', hosts: [{ name: 'mx.inbox.test', address: '127.0.0.1' }] }),
        });
        const result = await deliver(
          {
            envelopeFrom: `eml_${String(index)}@bounce.acme.test`,
            recipient,
            signedMessage: `From: <hello@acme.test>\r\nMessage-ID: ${messageId}\r\nSubject: ${name}\r\n\r\n${'0123456\r\n'.repeat(Math.ceil(size / 9))}`,
            attempt: 1,
            tls: certificate === undefined ? 'opportunistic' : 'required',
          },
          { hostname: 'mail.sendoff.test', signal, mayStillSend: async () => true },
        );
        const theirs = await verdictOf(postfix, service.label, messageId, result.kind === 'delivered');
        const [their, our] =
          certificate === undefined
            ? [theirs.verdict, ourVerdict(result)]
            : [
                protectionIn(theirs),
                result.kind === 'delivered' ? `taken over ${String(result.tls?.version)}` : 'not taken',
              ];
        yield { case: name, judge: 'Postfix', theirs: their, ours: our, detail: theirs.log };
      }
    } finally {
      authority.end();
      await postfix.stop();
    }
  },
};

/** @param file for the key and the certificate */
async function tlsOptions(
  authority: CertificateAuthority,
  certificate: ReceiverCase['certificate'],
  file: string,
): Promise<Readonly<Record<string, string>>> {
  if (certificate === undefined || certificate === 'none') return {};
  const name = certificate === 'of another name' ? 'mx.elsewhere.test' : 'mx.inbox.test';
  const { key, cert } = authority.issue(name, certificate === 'expired' ? -1 : 1);
  await writeFile(file, key + cert);
  return { smtpd_tls_security_level: 'may', smtpd_tls_chain_files: file, smtpd_tls_loglevel: '1' };
}

function protectionIn({ verdict, log }: { readonly verdict: string; readonly log: string }): string {
  if (!verdict.endsWith('taken') || verdict.startsWith('bounced')) return 'not taken';
  return `taken over ${/TLS connection established from .*: (TLSv\S+)/.exec(log)?.[1] ?? 'no TLS'}`;
}

/** The verdict of Postfix's log, and how often the message is in the mailbox. */
async function verdictOf(
  postfix: RunningPostfix,
  label: string,
  messageId: string,
  expectsMessage: boolean,
): Promise<{ verdict: string; log: string }> {
  const until = performance.now() + MAILBOX_MS;
  for (;;) {
    const lines = (await postfix.log()).split('\n').filter((line) => line.includes(` ${label}/`));
    const messages = (await postfix.mailbox()).filter((message) => message.includes(messageId)).length;
    // The check whether the port is open was a session without commands.
    const isOver = lines.some((line) => REJECT.test(line) || /: disconnect from (?!.* commands=0\/0)/.test(line));
    const log = lines.join('\n');
    if ((isOver && (messages > 0 || !expectsMessage)) || performance.now() >= until) {
      return { verdict: messages > 0 ? `${String(messages)} taken` : refusalIn(lines), log };
    }
    await setTimeout(100);
  }
}

const REJECT = /reject: (\S+) from [^:]*: (\d{3})(?: (\d\.\d+\.\d+))?/;

function refusalIn(lines: readonly string[]): string {
  const match = lines.map((line) => REJECT.exec(line)).find((each) => each !== null);
  // Postfix logs no reply when the message was not offered or exceeded its limit.
  if (match === undefined) return 'bounced, not taken';
  const [, command = '', code = '', enhanced = ''] = match;
  // A 5yz greeting other than 521 is temporary, as in Postfix's client (smtp_skip_5xx_greeting).
  const isFinal = code.startsWith('5') && (command !== 'CONNECT' || code === '521');
  return `${isFinal ? 'bounced' : 'deferred'} with ${code} ${enhanced}`.trim();
}

function ourVerdict(result: DeliveryResult): string {
  const isTooLarge = result.kind === 'bounced' && result.bounce.enhanced_code === '5.3.4';
  switch (result.kind) {
    case 'delivered':
      return '1 taken';
    case 'bounced':
      return isTooLarge
        ? 'bounced, not taken'
        : `bounced with ${String(result.bounce.smtp_code)} ${result.bounce.enhanced_code ?? ''}`.trim();
    case 'deferred':
      return result.reply === undefined
        ? `deferred: ${result.diagnostic}`
        : `deferred with ${String(result.reply.replyCode)} ${result.reply.enhancedCode ?? ''}`.trim();
    case 'unknown':
      return `unknown: ${result.diagnostic}`;
  }
}
