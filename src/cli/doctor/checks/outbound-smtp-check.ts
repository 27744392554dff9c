import { relayTarget } from '../../../email-service/delivery/deliver-message.ts';
import { createMailResolver, createMailRouter } from '../../../email-service/delivery/mail-route.ts';
import { SmtpConnection, type SmtpEndpoint, UnwantedReply } from '../../../email-service/delivery/smtp-connection.ts';
import { addressPolicy } from '../../../lib/dns/address-policy.ts';
import { withDeadline } from '../../../lib/timing/with-deadline.ts';
import { type Diagnosis, messageOf, ok, problem, skipped } from '../check.ts';
import { check } from '../doctor-context.ts';

const SERVER_TIMEOUT_MS = 4_000;
/** The other hosts of a large provider answer alike. */
const SERVERS_MAX = 2;

/** Greets a mail server and leaves; sends no email. Connects to no foreign server unless an option names it. */
export const outboundSmtpCheck = check('outbound SMTP', async (context, signal) => {
  const settings = await context.emailSettings(
    'EMAIL_SERVICE_HOSTNAME',
    'EMAIL_SERVICE_SMTP_PORT',
    'SMTP_RELAY_URL',
    'DNS_RESOLVERS',
    'ALLOW_PRIVATE_ADDRESSES',
    'BLOCKED_NETWORKS',
  );
  const { smtpHost, mxOf } = context.options;
  const { EMAIL_SERVICE_SMTP_PORT: port, SMTP_RELAY_URL: relay, DNS_RESOLVERS: resolvers } = settings;
  const greet = (endpoints: readonly SmtpEndpoint[]) => greetOne(endpoints, settings.EMAIL_SERVICE_HOSTNAME, signal);
  if (smtpHost !== undefined) return greet([endpointOf(smtpHost, port)]);
  if (relay !== undefined) return greet([relayTarget(new URL(relay))]);
  if (mxOf === undefined)
    return skipped(
      `not tested whether port ${port} is open to other mail servers`,
      'Name a domain whose mail servers may be greeted: sendoff doctor --mx-of gmail.com',
    );
  const mayConnectTo = addressPolicy({
    allowPrivateAddresses: settings.ALLOW_PRIVATE_ADDRESSES,
    blockedNetworks: settings.BLOCKED_NETWORKS ?? [],
  });
  const route = await createMailRouter(createMailResolver(resolvers), mayConnectTo)(mxOf);
  if (route.kind === 'unknown') return problem(route.diagnostic, 'See DNS resolvers');
  if (route.kind === 'none') return problem(route.bounce(1).reason, 'Give --mx-of a domain that receives mail');
  return greet(
    route.hosts
      .slice(0, SERVERS_MAX)
      .map(({ name, address }) => ({ host: name, address, port, security: 'opportunistic' })),
  );
});

function endpointOf(hostAndPort: string, defaultPort: number): SmtpEndpoint {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(hostAndPort) ?? [];
  const host = bracketed ?? plain ?? hostAndPort;
  return { host, address: host, port: port === undefined ? defaultPort : Number(port), security: 'opportunistic' };
}

async function greetOne(endpoints: readonly SmtpEndpoint[], hostname: string, signal: AbortSignal): Promise<Diagnosis> {
  const failures: string[] = [];
  let wasRefused = false;
  for (const endpoint of endpoints) {
    const { host, port } = endpoint;
    try {
      await withDeadline(SERVER_TIMEOUT_MS, (ended) => greet(endpoint, hostname, ended), signal);
      return ok(`${host}:${port} accepts a connection and EHLO ${hostname}`);
    } catch (error) {
      wasRefused ||= error instanceof UnwantedReply;
      const reply = error instanceof UnwantedReply ? `: ${error.reply.text}` : '';
      failures.push(`${host}:${port}: ${messageOf(error)}${reply}`);
    }
  }
  return problem(
    failures.join('; '),
    wasRefused
      ? 'The server refuses this machine: check reverse DNS, and blocklists such as https://check.spamhaus.org'
      : 'Let this machine connect to port 25 (most clouds open it on request), or set SMTP_RELAY_URL to a relay',
  );
}

async function greet(endpoint: SmtpEndpoint, hostname: string, signal: AbortSignal): Promise<void> {
  const connection = new SmtpConnection(endpoint);
  signal.addEventListener('abort', () => {
    connection.fail(new Error(`no reply within ${SERVER_TIMEOUT_MS / 1_000} s`));
  });
  try {
    await connection.reply(2);
    await connection.command(`EHLO ${hostname}`, 2);
  } finally {
    connection.close('QUIT\r\n');
  }
}
