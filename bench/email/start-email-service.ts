import { randomBytes } from 'node:crypto';
import { freePort } from '../../src/dev/temporal/free-port.ts';
import { EMAIL_SERVICE_NAMESPACE, NAMESPACE } from '../../test/deployment/infrastructure.ts';
import { type Caller, createCaller } from '../caller.ts';
import type { Infrastructure } from '../infrastructure.ts';
import type { Bench } from '../scenario.ts';
import { type RunningProcess, startProcess } from '../start-process.ts';

export interface EmailService {
  readonly url: string;
  /** With the operator token. */
  readonly operator: Caller;
  readonly process: RunningProcess;
  readonly secrets: Readonly<Record<string, string>>;
}

export interface EmailServiceOptions {
  readonly role: 'http' | 'all';
  /** Where tenants' records and recipients' mail servers are found, `127.0.0.1` and its port. */
  readonly dnsPort: number;
  readonly smtpPort: number;
  /** Another process on the same database. */
  readonly beside?: EmailService;
  /** @default enough for what is measured, which one account sends */
  readonly sendingLimits?: string;
}

const ENOUGH = '1000000/minute,10000000/hour,100000000/day';

/** `sendoff email-service`, with the settings that an operator would give it. */
export async function startEmailService(
  bench: Bench,
  { temporalAddress, databases }: Infrastructure,
  { role, dnsPort, smtpPort, beside, sendingLimits = ENOUGH }: EmailServiceOptions,
): Promise<EmailService> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const secrets = beside?.secrets ?? {
    EMAIL_SERVICE_OPERATOR_TOKEN: randomBytes(32).toString('base64url'),
    EMAIL_SERVICE_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  };
  const settings = {
    TEMPORAL_ADDRESS: temporalAddress,
    TEMPORAL_NAMESPACE: NAMESPACE,
    EMAIL_SERVICE_TEMPORAL_NAMESPACE: EMAIL_SERVICE_NAMESPACE,
    EMAIL_SERVICE_DATABASE_URL: databases.emailService,
    EMAIL_SERVICE_PORT: String(port),
    ...secrets,
    EMAIL_SERVICE_HOSTNAME: 'mail.sendoff.test',
    EMAIL_SERVICE_SPF_MECHANISM: 'ip4:127.0.0.1',
    EMAIL_SERVICE_SENDING_LIMITS: sendingLimits,
    EMAIL_SERVICE_SMTP_PORT: String(smtpPort),
    DNS_RESOLVERS: `127.0.0.1:${dnsPort}`,
    DNS_PORT: String(dnsPort),
    ALLOW_PRIVATE_ADDRESSES: 'true',
    LOG_LEVEL: 'warn',
  };
  const name = beside === undefined ? 'email service' : 'second email service';
  const running = await startProcess(
    { name, args: [bench.command, 'email-service', '--role', role], settings, url },
    bench,
  );
  const operator = createCaller({ url, token: secrets['EMAIL_SERVICE_OPERATOR_TOKEN'] ?? '' });
  bench.closers.add(() => operator.close());
  return { url, operator, process: running, secrets };
}

/** A caller with a new account's API key. */
export async function createAccount(
  { closers }: Bench,
  { url, operator }: EmailService,
  name: string,
): Promise<Caller> {
  const { token } = (await operator.post('/api-keys', { account: name, name: 'bench' })) as { token: string };
  const caller = createCaller({ url, token });
  closers.add(() => caller.close());
  return caller;
}
