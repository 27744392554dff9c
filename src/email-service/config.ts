import { isPostgresUrl } from '../lib/database-url.ts';
import {
  databaseConnections,
  databaseUrl,
  encryptionKeys,
  metricsAddress,
  oneOf,
  port,
  readSettings,
  SettingsError,
  type SettingsOf,
  type SettingsTable,
  sharedConfig,
  sharedSettings,
  text,
} from '../lib/settings.ts';
import { retention, retentionOrOff } from '../lib/retention/parse-retention.ts';
import { workerRelease } from '../lib/temporal/worker-release.ts';
import {
  attachmentBytes,
  hostname,
  operatorTokens,
  rateOrOff,
  returnPathLabel,
  sendingLimits,
  smtpUrl,
  spfMechanism,
} from './setting-values.ts';

/** A test compares this table with docs/settings.md. */
export const emailServiceSettings = {
  EMAIL_SERVICE_ROLE: {
    meaning:
      'What this process does, as `--role`: `http` answers the HTTP API, `worker` delivers, checks domains and posts webhooks, `all` does both. Any number of each can share a database.',
    example: 'http',
    fallback: 'all',
    parse: oneOf('all', 'http', 'worker'),
  },
  EMAIL_SERVICE_HOST: {
    meaning: 'The address the HTTP API listens on.',
    example: '0.0.0.0',
    fallback: '127.0.0.1',
    parse: text,
  },
  EMAIL_SERVICE_PORT: {
    meaning: 'The port the HTTP API listens on; 0 picks a free one.',
    example: '8025',
    fallback: '8025',
    parse: port,
  },
  EMAIL_SERVICE_HEALTH_PORT: {
    meaning:
      'Port on which a process with `--role worker` answers `GET /livez` and `GET /readyz`, on EMAIL_SERVICE_HOST; 0 picks a free one. If unset, it listens on none.',
    example: '8026',
    optional: true,
    parse: port,
  },
  EMAIL_SERVICE_METRICS_ADDRESS: metricsAddress,
  EMAIL_SERVICE_DATABASE_URL: {
    meaning:
      "The database of the email service, which all its processes share: a SQLite file, or PostgreSQL 15 or later, which may be the orchestrator's.",
    example: 'postgres://sendoff@db.example.com/sendoff?sslmode=verify-full&sslrootcert=/etc/ssl/db-ca.pem',
    fallback: 'file:./data/email-service.db',
    secret: true,
    parse: databaseUrl,
  },
  EMAIL_SERVICE_DATABASE_PASSWORD_FILE: {
    meaning: 'File with the password for PostgreSQL, read for every new connection; replaces the one in the URL.',
    example: '/run/secrets/email-service-database-password',
    optional: true,
    parse: text,
  },
  EMAIL_SERVICE_DATABASE_CONNECTIONS: databaseConnections,
  EMAIL_SERVICE_OPERATOR_TOKEN: {
    meaning:
      'The operator token, which can create API keys for accounts; at least 32 characters. To rotate it, list several with names, `name:token,name:token`: each is accepted, and the log has the name. If unset, the first start generates one and stores it beside the SQLite file; with PostgreSQL, only `--role worker` starts without it.',
    example: 'the output of: openssl rand -hex 32',
    optional: true,
    secret: true,
    parse: operatorTokens,
  },
  EMAIL_SERVICE_ENCRYPTION_KEY: {
    meaning:
      'Encrypts DKIM keys and other secrets at rest: 32 bytes in base64. To replace it, list several keys, separated by commas: the first encrypts, all decrypt.',
    example: 'the output of: openssl rand -base64 32',
    secret: true,
    parse: encryptionKeys,
  },
  EMAIL_SERVICE_HOSTNAME: {
    meaning: 'The host name of this server: sent in EHLO, and the MX host of every return path.',
    example: 'mail.example.com',
    parse: hostname,
  },
  EMAIL_SERVICE_SPF_MECHANISM: {
    meaning: 'The SPF mechanism (RFC 7208 section 5) that authorizes the addresses this service sends from.',
    example: 'ip4:203.0.113.5',
    parse: spfMechanism,
  },
  EMAIL_SERVICE_RETURN_PATH_LABEL: {
    meaning:
      'The label of the subdomain that receives bounces, so that the SPF record of the domain itself stays unchanged.',
    example: 'bounce',
    fallback: 'bounce',
    parse: returnPathLabel,
  },
  EMAIL_SERVICE_INBOUND_PORT: {
    meaning:
      'The port on which this process takes reports (SMTP): emails that were refused after delivery, and complaints. Port 25 of EMAIL_SERVICE_HOSTNAME must lead to it; 0 picks a free one. If unset, it takes none.',
    example: '25',
    optional: true,
    parse: port,
  },
  EMAIL_SERVICE_INBOUND_HOST: {
    meaning: 'The address on which it takes them.',
    example: '0.0.0.0',
    fallback: '0.0.0.0',
    parse: text,
  },
  EMAIL_SERVICE_INBOUND_CERTIFICATE_FILE: {
    meaning:
      'File with the certificate chain for EMAIL_SERVICE_HOSTNAME (PEM), read again when it changes; offers STARTTLS. If unset, reports arrive without TLS.',
    example: '/etc/ssl/mail/fullchain.pem',
    optional: true,
    parse: text,
  },
  EMAIL_SERVICE_INBOUND_CERTIFICATE_KEY_FILE: {
    meaning: 'File with the private key of that certificate (PEM).',
    example: '/etc/ssl/mail/privkey.pem',
    optional: true,
    parse: text,
  },
  EMAIL_SERVICE_PAUSE_BOUNCE_RATE: {
    meaning:
      'The share of hard bounces at which an account is paused, once at least 100 of its emails have been delivered or bounced in 24 hours, or 20 if half of them bounced (or this share, if it is larger); its owner is warned from half of each on. Amazon SES may pause at 10 %, and reviews from 5 % on. `off` pauses none.',
    example: '10%',
    fallback: '10%',
    parse: rateOrOff,
  },
  EMAIL_SERVICE_SENDING_LIMITS: {
    meaning:
      'How many emails an account without limits of its own may send in a minute, an hour and a day. The fallback for a day is the quota that Amazon SES grants most accounts.',
    example: '600/minute,10000/hour,50000/day',
    fallback: '600/minute,10000/hour,50000/day',
    parse: sendingLimits,
  },
  EMAIL_SERVICE_ATTACHMENTS: {
    meaning:
      'How many megabytes the attachments of one request have together, before base64, at most 25MB; `0MB` refuses all. A process holds two such requests at once.',
    example: '10MB',
    fallback: '10MB',
    parse: attachmentBytes,
  },
  EMAIL_SERVICE_SMTP_PORT: {
    meaning: "The port to connect to at a recipient's mail server; only tests need one other than 25.",
    example: '25',
    fallback: '25',
    parse: port,
  },
  EMAIL_SERVICE_TEMPORAL_NAMESPACE: {
    meaning:
      "Temporal Namespace of the email service's Workflows; default: TEMPORAL_NAMESPACE with `-email-service` appended. The orchestrator's name shares its Namespace.",
    example: 'sendoff-email-service',
    optional: true,
    parse: text,
  },
  EMAIL_SERVICE_CONTENT_RETENTION: {
    meaning:
      'How long the content of an email (text, HTML, headers, attachments and the signed message) is kept after its `expires_at`, at least 1 day; `off` keeps it as long as the email.',
    example: '30d',
    fallback: '30d',
    parse: retentionOrOff,
  },
  EMAIL_SERVICE_EMAIL_RETENTION: {
    meaning:
      'How long an email with its attempts is kept after its `expires_at`, at least 1 day; never before it is delivered or has bounced. `off` keeps it for ever.',
    example: '90d',
    fallback: '90d',
    parse: retentionOrOff,
  },
  EMAIL_SERVICE_EVENT_RETENTION: {
    meaning: 'How long events and their webhook deliveries are kept, at least 1 day; `off` keeps them for ever.',
    example: '90d',
    fallback: '90d',
    parse: retentionOrOff,
  },
  EMAIL_SERVICE_DELETED_RETENTION: {
    meaning:
      'How long revoked and expired API keys, and deleted domains, senders and webhooks are kept, at least 1 day, and as long as an email or a webhook delivery names them; `off` keeps them for ever.',
    example: '90d',
    fallback: '90d',
    parse: retentionOrOff,
  },
  EMAIL_SERVICE_IDEMPOTENCY_RETENTION: {
    meaning:
      'How long an Idempotency-Key is kept, at least 1 day, and at least as long as the email that it created. Repeating a request after that creates again.',
    example: '30d',
    fallback: '30d',
    parse: retention,
  },
  SMTP_RELAY_URL: {
    meaning: "A relay (smarthost) that takes all mail instead of the recipients' mail servers.",
    example: 'smtps://user:password@relay.example.com:465',
    optional: true,
    secret: true,
    parse: smtpUrl,
  },
  ...sharedSettings,
} as const satisfies SettingsTable;

export type EmailServiceConfig = ReturnType<typeof readEmailServiceConfig>;

/** Throws one SettingsError that lists every invalid setting. */
export function readEmailServiceConfig(environment: Readonly<Record<string, string | undefined>>) {
  const settings = readSettings(emailServiceSettings, environment);
  requireSharedOperatorToken(settings);
  requireBothTlsFiles(settings);
  return {
    role: settings.EMAIL_SERVICE_ROLE,
    host: settings.EMAIL_SERVICE_HOST,
    port: settings.EMAIL_SERVICE_PORT,
    healthPort: settings.EMAIL_SERVICE_HEALTH_PORT,
    metricsAddress: settings.EMAIL_SERVICE_METRICS_ADDRESS,
    databaseUrl: settings.EMAIL_SERVICE_DATABASE_URL,
    databaseConnection: {
      passwordFile: settings.EMAIL_SERVICE_DATABASE_PASSWORD_FILE,
      connections: settings.EMAIL_SERVICE_DATABASE_CONNECTIONS,
    },
    operatorTokens: settings.EMAIL_SERVICE_OPERATOR_TOKEN,
    encryptionKeys: settings.EMAIL_SERVICE_ENCRYPTION_KEY,
    hostname: settings.EMAIL_SERVICE_HOSTNAME,
    spfMechanism: settings.EMAIL_SERVICE_SPF_MECHANISM,
    returnPathLabel: settings.EMAIL_SERVICE_RETURN_PATH_LABEL,
    inbound: {
      /** Undefined: this process takes no reports. */
      port: settings.EMAIL_SERVICE_INBOUND_PORT,
      host: settings.EMAIL_SERVICE_INBOUND_HOST,
      certificateFile: settings.EMAIL_SERVICE_INBOUND_CERTIFICATE_FILE,
      certificateKeyFile: settings.EMAIL_SERVICE_INBOUND_CERTIFICATE_KEY_FILE,
    },
    /** 0.1 for a tenth; undefined: no account is paused for its bounces. */
    pauseBounceRate: settings.EMAIL_SERVICE_PAUSE_BOUNCE_RATE,
    sendingLimits: settings.EMAIL_SERVICE_SENDING_LIMITS,
    attachmentBytesMax: settings.EMAIL_SERVICE_ATTACHMENTS,
    smtpPort: settings.EMAIL_SERVICE_SMTP_PORT,
    temporalNamespace: settings.EMAIL_SERVICE_TEMPORAL_NAMESPACE,
    smtpRelayUrl: settings.SMTP_RELAY_URL,
    /** Milliseconds; undefined: for ever. */
    retention: {
      emailContentMs: settings.EMAIL_SERVICE_CONTENT_RETENTION,
      emailsMs: settings.EMAIL_SERVICE_EMAIL_RETENTION,
      eventsMs: settings.EMAIL_SERVICE_EVENT_RETENTION,
      deletedMs: settings.EMAIL_SERVICE_DELETED_RETENTION,
      idempotencyKeysMs: settings.EMAIL_SERVICE_IDEMPOTENCY_RETENTION,
    },
    release: workerRelease(settings),
    ...sharedConfig(settings),
  };
}

/** Processes on several machines would each generate a token that the others refuse. */
function requireSharedOperatorToken({
  EMAIL_SERVICE_DATABASE_URL: url,
  EMAIL_SERVICE_OPERATOR_TOKEN: token,
  EMAIL_SERVICE_ROLE: role,
}: SettingsOf<typeof emailServiceSettings>): void {
  if (token !== undefined || role === 'worker' || !isPostgresUrl(url)) return;
  const { example } = emailServiceSettings.EMAIL_SERVICE_OPERATOR_TOKEN;
  throw new SettingsError(
    `EMAIL_SERVICE_OPERATOR_TOKEN is not set. With PostgreSQL, all processes that answer the HTTP API need the same ones.\n  EMAIL_SERVICE_OPERATOR_TOKEN=${example}`,
  );
}

function requireBothTlsFiles({
  EMAIL_SERVICE_INBOUND_CERTIFICATE_FILE: certificate,
  EMAIL_SERVICE_INBOUND_CERTIFICATE_KEY_FILE: key,
}: SettingsOf<typeof emailServiceSettings>): void {
  if ((certificate === undefined) === (key === undefined)) return;
  const name =
    key === undefined ? 'EMAIL_SERVICE_INBOUND_CERTIFICATE_KEY_FILE' : 'EMAIL_SERVICE_INBOUND_CERTIFICATE_FILE';
  const { example } = emailServiceSettings[name];
  throw new SettingsError(`${name} is not set. STARTTLS needs the certificate and its key.\n  ${name}=${example}`);
}
