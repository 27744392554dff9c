import { returnPathOf } from '../../../email-service/delivery/return-path.ts';
import { SmtpConnection, type SmtpEndpoint, UnwantedReply } from '../../../email-service/delivery/smtp-connection.ts';
import type { SmtpReply } from '../../../email-service/delivery/smtp-reply.ts';
import { newId } from '../../../email-service/resources/resource-ids.ts';
import { createSealer } from '../../../lib/sealing.ts';
import { withDeadline } from '../../../lib/timing/with-deadline.ts';
import { type Diagnosis, messageOf, ok, problem } from '../check.ts';
import { answersOf, resolverOf } from '../dns-answers.ts';
import { check } from '../doctor-context.ts';

/** RFC 5321: what an MX record names is asked on this port, wherever the program listens behind it. */
const MAIL_PORT = 25;
const SERVER_TIMEOUT_MS = 4_000;

/**
 * Asks the host of every return path for two addresses, and sends no message: one with a valid MAC of an email that does not exist, and one without.
 * The listener alone tells them apart, if it has this key.
 */
export const inboundSmtpCheck = check('inbound SMTP', async (context, signal) => {
  const settings = await context.emailSettings(
    'EMAIL_SERVICE_HOSTNAME',
    'EMAIL_SERVICE_ENCRYPTION_KEY',
    'DNS_RESOLVERS',
  );
  const hostname = settings.EMAIL_SERVICE_HOSTNAME;
  const addresses = await answersOf(() => resolverOf(settings.DNS_RESOLVERS).resolve4(hostname));
  if (addresses.length === 0)
    return problem(`EMAIL_SERVICE_HOSTNAME ${hostname} has no address`, `Publish an A record of ${hostname}`);
  const sealer = createSealer(settings.EMAIL_SERVICE_ENCRYPTION_KEY);
  for (const address of addresses) {
    const endpoint = { host: hostname, address, port: MAIL_PORT, security: 'none' } as const;
    const fault = await probeFault(endpoint, returnPathOf(sealer, probe(hostname)), signal);
    if (fault !== undefined) return fault;
  }
  return ok(
    `${hostname}:${String(MAIL_PORT)} at ${addresses.join(', ')} knows this service's return paths, seen from this machine; the email service checks each domain's MX record`,
  );
});

const probe = (hostname: string) => ({ id: newId('eml'), return_path_domain: hostname });

/** Exported for a test, which has another port. */
export async function probeFault(
  endpoint: SmtpEndpoint,
  returnPath: string,
  signal: AbortSignal,
): Promise<Diagnosis | undefined> {
  const at = `${endpoint.host}:${String(endpoint.port)} (${endpoint.address})`;
  const remedy = 'Let port 25 of EMAIL_SERVICE_HOSTNAME lead to EMAIL_SERVICE_INBOUND_PORT of the email service';
  try {
    const [known, unknown] = await withDeadline(SERVER_TIMEOUT_MS, (ended) => ask(endpoint, returnPath, ended), signal);
    if (known.enhancedCode === '5.1.1' && unknown.enhancedCode === '5.7.1') return undefined;
    if (known.enhancedCode === '5.7.1')
      return problem(
        `${at} does not know this service's return paths`,
        'Give the email service that listens there the same EMAIL_SERVICE_ENCRYPTION_KEY',
      );
    return problem(`${at} is another mail server, which replied ${String(known.replyCode)} ${known.text}`, remedy);
  } catch (error) {
    return problem(`${at}: ${messageOf(error)}`, remedy);
  }
}

async function ask(
  endpoint: SmtpEndpoint,
  returnPath: string,
  signal: AbortSignal,
): Promise<readonly [known: SmtpReply, unknown: SmtpReply]> {
  const connection = new SmtpConnection(endpoint);
  signal.addEventListener('abort', () => {
    connection.fail(new Error(`no reply within ${String(SERVER_TIMEOUT_MS / 1_000)} s`));
  });
  const replyTo = async (recipient: string): Promise<SmtpReply> => {
    try {
      await connection.command(`RCPT TO:<${recipient}>`, 2);
      return { replyCode: 250, enhancedCode: undefined, text: `to ${recipient}` };
    } catch (error) {
      if (error instanceof UnwantedReply) return error.reply;
      throw error;
    }
  };
  try {
    await connection.reply(2);
    await connection.command('EHLO doctor.invalid', 2);
    await connection.command('MAIL FROM:<>', 2);
    return [await replyTo(returnPath), await replyTo(returnPath.replace(/-[^@]*/, ''))];
  } finally {
    connection.close('QUIT\r\n');
  }
}
