import {
  databaseUrl,
  encryptionKeys,
  httpUrl,
  port,
  readSettings,
  type SettingsTable,
  surroundingSettings,
  text,
} from './settings.ts';

/** The settings of the orchestrator: its server, its Workers and its command line. README's table is checked against it. */
export const settingsTable = {
  SENDOFF_API_TOKEN: {
    meaning: 'Bearer token the backend calls the HTTP API with; at least 24 characters.',
    example: 'the output of: openssl rand -base64 32',
    secret: true,
    parse: longSecret,
  },
  SENDOFF_SECRET_KEY: {
    meaning: 'Seals the secret store: 32 bytes in base64; several with commas for rotation, the newest first.',
    example: 'the output of: openssl rand -base64 32',
    secret: true,
    parse: encryptionKeys,
  },
  SENDOFF_DATABASE_URL: {
    meaning: 'The SQLite file of the secret store, shared by server and Workers.',
    example: 'file:./data/sendoff.db',
    fallback: 'file:./data/sendoff.db',
    parse: databaseUrl,
  },
  SENDOFF_HOST: {
    meaning: 'Address the HTTP API listens on.',
    example: '0.0.0.0',
    fallback: '127.0.0.1',
    parse: text,
  },
  SENDOFF_PORT: {
    meaning: 'Port the HTTP API listens on; 0 for a free one.',
    example: '8080',
    fallback: '8080',
    parse: port,
  },
  SENDOFF_PUBLIC_URL: {
    meaning: 'Where the provider reaches the HTTP API with webhooks; without it every wait goes by polling.',
    example: 'https://sendoff.example.com',
    optional: true,
    parse: httpUrl,
  },
  EMAIL_PROVIDER_URL: {
    meaning: 'Base URL of the email API: the embedded email service or another provider.',
    example: 'https://api.mail.example.com',
    fallback: 'http://127.0.0.1:8025',
    parse: httpUrl,
  },
  EMAIL_PROVIDER_OPERATOR_TOKEN: {
    meaning: "The provider's credential that may create API keys for tenants.",
    example: 'the value of EMAIL_SERVICE_OPERATOR_TOKEN',
    secret: true,
    parse: text,
  },
  TEMPORAL_UI_URL: {
    meaning: 'Base URL of the Temporal UI, for links in answers.',
    example: 'http://127.0.0.1:8233',
    optional: true,
    parse: httpUrl,
  },
  ...surroundingSettings,
} as const satisfies SettingsTable;

export type Config = ReturnType<typeof readConfig>;

/** Throws SettingsError naming every setting that is missing or wrong. */
export function readConfig(environment: Readonly<Record<string, string | undefined>>) {
  const settings = readSettings(settingsTable, environment);
  return {
    apiToken: settings.SENDOFF_API_TOKEN,
    secretKeys: settings.SENDOFF_SECRET_KEY,
    databaseUrl: settings.SENDOFF_DATABASE_URL,
    host: settings.SENDOFF_HOST,
    port: settings.SENDOFF_PORT,
    publicUrl: settings.SENDOFF_PUBLIC_URL,
    providerUrl: settings.EMAIL_PROVIDER_URL,
    providerOperatorToken: settings.EMAIL_PROVIDER_OPERATOR_TOKEN,
    temporalUiUrl: settings.TEMPORAL_UI_URL,
    dnsResolvers: settings.DNS_RESOLVERS,
    dnsPort: settings.DNS_PORT,
    logLevel: settings.LOG_LEVEL,
  };
}

function longSecret(value: string): string {
  // A placeholder that was copied as it stands is no secret.
  if (!/^[!-~]{24,}$/.test(value) || value.includes('$('))
    throw new Error('24 or more visible ASCII characters, none of them a placeholder');
  return value;
}
