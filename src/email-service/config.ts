import { isIP } from 'node:net';
import { RETURN_PATH_LABEL_LENGTH_MAX } from '../lib/mail-rules/sending-domain-fault.ts';
import {
  databaseUrl,
  encryptionKeys,
  port,
  readSettings,
  type SettingsTable,
  sharedSettings,
  text,
} from '../lib/settings.ts';

/** An operator token shorter than this could be guessed over the network. */
const OPERATOR_TOKEN_LENGTH_MIN = 32;

/** The email service's whole configuration; docs/settings.md is compared with it. */
export const emailServiceSettings = {
  EMAIL_SERVICE_HOST: {
    meaning: 'The address the HTTP API listens on.',
    example: '0.0.0.0',
    fallback: '127.0.0.1',
    parse: text,
  },
  EMAIL_SERVICE_PORT: {
    meaning: 'The port the HTTP API listens on; 0 for any free one.',
    example: '8025',
    fallback: '8025',
    parse: port,
  },
  EMAIL_SERVICE_DATABASE_URL: {
    meaning: 'Where the email service keeps everything.',
    example: 'file:./data/email-service.db',
    fallback: 'file:./data/email-service.db',
    parse: databaseUrl,
  },
  EMAIL_SERVICE_OPERATOR_TOKEN: {
    meaning: 'The secret that may open accounts; made at the first start and kept beside the database when not set.',
    example: 'the output of: openssl rand -hex 32',
    optional: true,
    secret: true,
    parse: operatorToken,
  },
  EMAIL_SERVICE_ENCRYPTION_KEY: {
    meaning: 'Encrypts DKIM keys and other secrets at rest; several with commas to change it, the first one seals.',
    example: 'the output of: openssl rand -base64 32',
    secret: true,
    parse: encryptionKeys,
  },
  EMAIL_SERVICE_HOSTNAME: {
    meaning: "This server's own name: said in EHLO, and the MX host of every return path.",
    example: 'mail.example.com',
    parse: hostname,
  },
  EMAIL_SERVICE_SPF_MECHANISM: {
    meaning: 'The SPF mechanism (RFC 7208 section 5) that covers the addresses this service sends from.',
    example: 'ip4:203.0.113.5',
    parse: spfMechanism,
  },
  EMAIL_SERVICE_RETURN_PATH_LABEL: {
    meaning: 'The label before a sending domain that takes its bounces, so that the root SPF record stays untouched.',
    example: 'bounce',
    fallback: 'bounce',
    parse: returnPathLabel,
  },
  EMAIL_SERVICE_SMTP_PORT: {
    meaning: "The port asked at a recipient's mail server; other than 25 only for trying things out.",
    example: '25',
    fallback: '25',
    parse: port,
  },
  SMTP_RELAY_URL: {
    meaning: "A smarthost that takes all mail instead of the recipients' own mail servers.",
    example: 'smtps://user:password@relay.example.com:465',
    optional: true,
    secret: true,
    parse: smtpUrl,
  },
  ...sharedSettings,
} as const satisfies SettingsTable;

export type EmailServiceConfig = ReturnType<typeof readEmailServiceConfig>;

/** Throws SettingsError with every problem at once. */
export function readEmailServiceConfig(environment: Readonly<Record<string, string | undefined>>) {
  const settings = readSettings(emailServiceSettings, environment);
  return {
    host: settings.EMAIL_SERVICE_HOST,
    port: settings.EMAIL_SERVICE_PORT,
    databaseUrl: settings.EMAIL_SERVICE_DATABASE_URL,
    operatorToken: settings.EMAIL_SERVICE_OPERATOR_TOKEN,
    encryptionKeys: settings.EMAIL_SERVICE_ENCRYPTION_KEY,
    hostname: settings.EMAIL_SERVICE_HOSTNAME,
    spfMechanism: settings.EMAIL_SERVICE_SPF_MECHANISM,
    returnPathLabel: settings.EMAIL_SERVICE_RETURN_PATH_LABEL,
    smtpPort: settings.EMAIL_SERVICE_SMTP_PORT,
    smtpRelayUrl: settings.SMTP_RELAY_URL,
    allowPrivateAddresses: settings.ALLOW_PRIVATE_ADDRESSES,
    dnsResolvers: settings.DNS_RESOLVERS,
    dnsPort: settings.DNS_PORT,
    logLevel: settings.LOG_LEVEL,
  };
}

function operatorToken(value: string): string {
  if (value.length < OPERATOR_TOKEN_LENGTH_MIN || !/^[!-~]+$/.test(value)) {
    throw new Error(`${OPERATOR_TOKEN_LENGTH_MIN} or more visible ASCII characters without spaces`);
  }
  return value;
}

function returnPathLabel(value: string): string {
  if (value.length > RETURN_PATH_LABEL_LENGTH_MAX) {
    throw new Error(
      `one DNS label of at most ${RETURN_PATH_LABEL_LENGTH_MAX} characters, so that bounce addresses fit (RFC 5321)`,
    );
  }
  return label(value);
}

function label(value: string): string {
  if (!/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(value)) {
    throw new Error('one DNS label: lower-case letters, digits and inner hyphens, at most 63');
  }
  return value;
}

function hostname(value: string): string {
  const labels = value.toLowerCase().split('.');
  const valid = labels.length > 1 && value.length <= 253 && isIP(value) === 0;
  if (!valid) throw new Error('a host name with at least two labels, not an address');
  for (const each of labels) label(each);
  return value.toLowerCase();
}

function spfMechanism(value: string): string {
  // A qualifier or `all` would change what the published record says about everybody else's servers.
  if (
    !/^(?:ip4:[\d.]+(?:\/\d{1,2})?|ip6:[\da-fA-F:.]+(?:\/\d{1,3})?|include:[\w.-]+|a:[\w.-]+|mx:[\w.-]+)(?: (?:ip4|ip6|include|a|mx):[\w.:/-]+)*$/.test(
      value,
    )
  ) {
    throw new Error('SPF mechanisms without qualifier, ip4:, ip6:, include:, a: or mx:, separated by one space');
  }
  return value;
}

function smtpUrl(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if ((url?.protocol !== 'smtp:' && url?.protocol !== 'smtps:') || url.hostname === '') {
    throw new Error('an smtp or smtps URL with a host');
  }
  return value;
}
