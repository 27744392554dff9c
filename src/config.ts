import { apiTokens } from './lib/api-tokens.ts';
import type { HostName, HostUrls } from './agents-md/code-host.ts';
import { durationMs } from './lib/duration.ts';
import { isObject } from './lib/json-value.ts';
import { codeHosts, isHostName } from './agents-md/code-hosts.ts';
import { accountConfigs, providerSettings, requiredFor } from './provider-settings.ts';
import { setupPageConfig, setupPageSettings } from './http/setup-page/setup-page-settings.ts';
import { parseJson } from './lib/parse-json.ts';
import { signingSecrets } from './lib/webhooks/signing-secrets.ts';
import {
  databaseConnections,
  databaseUrl,
  encryptionKeys,
  type Environment,
  flag,
  httpUrl,
  metricsAddress,
  port,
  readSettings,
  SettingsError,
  type SettingsOf,
  type SettingsTable,
  sharedConfig,
  sharedSettings,
  text,
} from './lib/settings.ts';
import { retentionOrOff } from './lib/retention/parse-retention.ts';
import { workerRelease } from './lib/temporal/worker-release.ts';

/** The settings of the orchestrator: server, Workers and command line. A test compares docs/settings.md with it. */
export const settingsTable = {
  SENDOFF_API_TOKEN: {
    meaning:
      'Bearer token that the backend sends to the HTTP API; at least 24 characters. `sendoff worker` needs none. A single token may have a colon, but no comma. To rotate it, list several with names, `name:token,name:token`: each is accepted, and the log has the name.',
    example: 'the output of: openssl rand -base64 32',
    secret: true,
    parse: apiTokens,
  },
  SENDOFF_SECRET_KEY: {
    meaning:
      'Encrypts the secret store: 32 bytes in base64. To replace it, list several keys, separated by commas: the first encrypts, all decrypt.',
    example: 'the output of: openssl rand -base64 32',
    secret: true,
    parse: encryptionKeys,
  },
  SENDOFF_DATABASE_URL: {
    meaning:
      'Database of secrets, onboardings and AGENTS.md checks, which all servers and Workers share: a SQLite file, or PostgreSQL 15 or later.',
    example: 'postgres://sendoff@db.example.com/sendoff?sslmode=verify-full&sslrootcert=/etc/ssl/db-ca.pem',
    fallback: 'file:./data/sendoff.db',
    secret: true,
    parse: databaseUrl,
  },
  SENDOFF_DATABASE_PASSWORD_FILE: {
    meaning: 'File with the password for PostgreSQL, read for every new connection; replaces the one in the URL.',
    example: '/run/secrets/sendoff-database-password',
    optional: true,
    parse: text,
  },
  SENDOFF_DATABASE_CONNECTIONS: databaseConnections,
  SENDOFF_HOST: {
    meaning: 'Address that the HTTP API listens on.',
    example: '0.0.0.0',
    fallback: '127.0.0.1',
    parse: text,
  },
  SENDOFF_PORT: {
    meaning: 'Port that the HTTP API listens on; 0 picks a free port.',
    example: '8080',
    fallback: '8080',
    parse: port,
  },
  SENDOFF_HEALTH_PORT: {
    meaning:
      'Port on which `sendoff worker` answers `GET /livez` and `GET /readyz`, on SENDOFF_HOST; 0 picks a free port. If unset, it listens on none.',
    example: '8081',
    optional: true,
    parse: port,
  },
  SENDOFF_METRICS_ADDRESS: metricsAddress,
  SENDOFF_PUBLIC_URL: {
    meaning: 'Base URL at which the provider delivers webhooks to the HTTP API; if unset, waits rely on polling.',
    example: 'https://sendoff.example.com',
    optional: true,
    parse: httpUrl,
  },
  ...setupPageSettings,
  SENDOFF_NOTIFICATION_URL: {
    meaning:
      'URL of the backend that receives notifications about its onboardings as webhooks; if unset, none are sent.',
    example: 'https://backend.example.com/hooks/sendoff',
    optional: true,
    secret: true,
    parse: webhookUrl,
  },
  SENDOFF_NOTIFICATION_SECRET: {
    meaning:
      'Signs those webhooks (Standard Webhooks): whsec_ followed by 24 to 64 bytes in base64. To rotate it, list the new and the old one, separated by a comma: both sign.',
    example: 'whsec_ and the output of: openssl rand -base64 32',
    optional: true,
    secret: true,
    parse: signingSecrets,
  },
  ...providerSettings,
  SENDOFF_WATCH_INTERVAL: {
    meaning:
      'Time between two checks of a verified domain: 1 minute to 30 days, such as `24h`; a domain that has drifted is checked at least every hour. `off` stops the checks.',
    example: '24h',
    fallback: '24h',
    parse: watchInterval,
  },
  SENDOFF_EVENT_RETENTION: {
    meaning:
      'How long events of onboardings are kept, at least 1 day, such as `90d`; one whose notification is pending is kept longer. `off` keeps them for ever.',
    example: '90d',
    fallback: '90d',
    parse: retentionOrOff,
  },
  SENDOFF_BACKGROUND_TEMPORAL_NAMESPACE: {
    meaning:
      'Temporal Namespace of notifications, the sweep of the register, checks of verified domains and retention; default: TEMPORAL_NAMESPACE with `-background` appended. The name of TEMPORAL_NAMESPACE itself shares that Namespace.',
    example: 'sendoff-background',
    optional: true,
    parse: text,
  },
  TEMPORAL_UI_URL: {
    meaning: 'Base URL of the Temporal UI, for links in responses.',
    example: 'http://127.0.0.1:8233',
    optional: true,
    parse: httpUrl,
  },
  AGENTS_MD_CONTACT: {
    meaning:
      'Email address or URL at which a code host can contact you, sent with every request; if unset, AGENTS.md checks are off.',
    example: 'mailto:catalogue@example.com',
    optional: true,
    parse: contact,
  },
  AGENTS_MD_HOST_URLS: {
    meaning: 'Base URLs that replace the public ones of code hosts: JSON, by host, with any of web, raw and api.',
    example: '{"github.com":{"raw":"https://raw.mirror.example.com"}}',
    optional: true,
    parse: hostUrls,
  },
  AGENTS_MD_REQUESTS_PER_SECOND: {
    meaning:
      'Maximum requests per second to each code host, across all Workers; if unset, what the host allows (docs/agents-md.md).',
    example: '1',
    optional: true,
    parse: rate,
  },
  AGENTS_MD_PUBLIC_BADGES: {
    meaning:
      'Whether anyone may read the badge of a producer, `GET /producers/{producerId}/badge.svg`, without a token.',
    example: 'true',
    fallback: 'false',
    parse: flag,
  },
  AGENTS_MD_WEBHOOK_URL: {
    meaning: 'URL that receives a webhook when the outcome of an AGENTS.md check changes.',
    example: 'https://catalogue.example.com/hooks/agents-md',
    optional: true,
    secret: true,
    parse: webhookUrl,
  },
  AGENTS_MD_WEBHOOK_SECRET: {
    meaning: 'Signs those webhooks, as SENDOFF_NOTIFICATION_SECRET does: one secret, or two separated by a comma.',
    example: 'whsec_ and the output of: openssl rand -base64 32',
    optional: true,
    secret: true,
    parse: signingSecrets,
  },
  ...sharedSettings,
} as const satisfies SettingsTable;

/** Of a process that answers the HTTP API. */
export type Config = ReturnType<typeof readConfig>;

/** Of a process that runs Workers only. */
export type WorkerConfig = ReturnType<typeof readWorkerConfig>;

type WorkerSettings = Omit<SettingsOf<typeof settingsTable>, 'SENDOFF_API_TOKEN'>;

/** Those of the provider that EMAIL_PROVIDER names are required. */
export const settingsFor = (environment: Environment) => ({ ...settingsTable, ...requiredFor(environment) });

/** Throws SettingsError, which lists every missing or invalid setting. */
export function readConfig(environment: Environment) {
  const settings = readSettings(settingsFor(environment), environment);
  return { apiTokens: settings.SENDOFF_API_TOKEN, ...configOf(settings) };
}

/** The same without the tokens of the HTTP API, which are not read. */
export function readWorkerConfig(environment: Environment) {
  const { SENDOFF_API_TOKEN: _, ...workerSettings } = settingsFor(environment);
  return configOf(readSettings(workerSettings, environment));
}

function configOf(settings: WorkerSettings) {
  return {
    secretKeys: settings.SENDOFF_SECRET_KEY,
    databaseUrl: settings.SENDOFF_DATABASE_URL,
    databaseConnection: {
      passwordFile: settings.SENDOFF_DATABASE_PASSWORD_FILE,
      connections: settings.SENDOFF_DATABASE_CONNECTIONS,
    },
    host: settings.SENDOFF_HOST,
    port: settings.SENDOFF_PORT,
    healthPort: settings.SENDOFF_HEALTH_PORT,
    metricsAddress: settings.SENDOFF_METRICS_ADDRESS,
    publicUrl: settings.SENDOFF_PUBLIC_URL,
    setupPage: setupPageConfig(settings),
    provider: settings.EMAIL_PROVIDER,
    providerUrl: settings.EMAIL_PROVIDER_URL,
    providerOperatorToken: settings.EMAIL_PROVIDER_OPERATOR_TOKEN,
    accounts: accountConfigs(settings),
    resendWebhookSecrets: settings.RESEND_WEBHOOK_SECRET,
    watchIntervalMs: settings.SENDOFF_WATCH_INTERVAL,
    eventRetentionMs: settings.SENDOFF_EVENT_RETENTION,
    backgroundNamespace: settings.SENDOFF_BACKGROUND_TEMPORAL_NAMESPACE,
    temporalUiUrl: settings.TEMPORAL_UI_URL,
    release: workerRelease(settings),
    ...sharedConfig(settings),
    notificationReceiver: receiverOf(settings, 'SENDOFF_NOTIFICATION_URL', 'SENDOFF_NOTIFICATION_SECRET'),
    agentsMd: agentsMdConfig(settings),
  };
}

export type AgentsMdConfig = NonNullable<WorkerConfig['agentsMd']>;

/** Undefined without a contact for the code hosts: AGENTS.md checks are off. */
function agentsMdConfig(settings: WorkerSettings) {
  const changeReceiver = receiverOf(settings, 'AGENTS_MD_WEBHOOK_URL', 'AGENTS_MD_WEBHOOK_SECRET');
  if (settings.AGENTS_MD_CONTACT === undefined) return undefined;
  return {
    contact: settings.AGENTS_MD_CONTACT,
    hostUrls: settings.AGENTS_MD_HOST_URLS ?? {},
    requestsPerSecond: settings.AGENTS_MD_REQUESTS_PER_SECOND,
    publicBadges: settings.AGENTS_MD_PUBLIC_BADGES,
    changeReceiver,
  };
}

/** Undefined if neither is set. */
function receiverOf(
  settings: WorkerSettings,
  urlName: 'SENDOFF_NOTIFICATION_URL' | 'AGENTS_MD_WEBHOOK_URL',
  secretName: 'SENDOFF_NOTIFICATION_SECRET' | 'AGENTS_MD_WEBHOOK_SECRET',
) {
  const { [urlName]: url, [secretName]: secrets } = settings;
  if (url !== undefined && secrets !== undefined) return { url, signingSecrets: secrets };
  if (url === undefined && secrets === undefined) return undefined;
  throw new SettingsError(`${urlName} and ${secretName} must both be set, or neither.`);
}

/** It becomes part of a header, so it must be one word. */
function contact(value: string): string {
  if (!/^[!-~]+$/.test(value) || !/[@:]/.test(value)) throw new Error('an email address or a URL');
  return value;
}

/** Undefined: verified domains are not watched. */
function watchInterval(value: string): number | undefined {
  if (value === 'off' || value === '0') return undefined;
  const intervalMs = durationMs(value) ?? 0;
  if (intervalMs < 60_000 || intervalMs > 30 * 86_400_000) {
    throw new Error('off, or a duration from 1 minute to 30 days, such as 24h, "90 minutes" or 7d');
  }
  return intervalMs;
}

function rate(value: string): number {
  const parsed = Number(value);
  if (!(parsed > 0 && parsed <= 1_000)) throw new Error('a number greater than 0 and at most 1000');
  return parsed;
}

/** Unlike `httpUrl`, keeps a final slash, which some receivers require. */
function webhookUrl(value: string): string {
  httpUrl(value);
  const { username, password } = new URL(value);
  if (username !== '' || password !== '') throw new Error('an http or https URL without a user name and password');
  return value;
}

/** A part that is not named keeps the host's public URL. */
function hostUrls(value: string): Partial<Record<HostName, HostUrls>> {
  const expected = new Error(
    `a JSON object with any of ${Object.keys(codeHosts).join(', ')}, each an object of URLs named web, raw or api`,
  );
  const parsed = parseJson(value);
  if (!isObject(parsed)) throw expected;
  const urls: Partial<Record<HostName, HostUrls>> = {};
  for (const [host, named] of Object.entries(parsed)) {
    if (!isHostName(host) || !isObject(named)) throw expected;
    const own = Object.entries(named).map(([part, url]) => {
      if (!(part in codeHosts[host].urls) || typeof url !== 'string') throw expected;
      return [part, httpUrl(url)] as const;
    });
    urls[host] = { ...codeHosts[host].urls, ...Object.fromEntries(own) };
  }
  return urls;
}
