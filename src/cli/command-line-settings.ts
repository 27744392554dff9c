import { settingsTable } from '../config.ts';
import { firstApiToken } from '../lib/api-tokens.ts';
import { httpUrl, type SettingsTable, text } from '../lib/settings.ts';

/** The settings of the commands; a test compares docs/settings.md with them. */
export const commandLineSettings = {
  SENDOFF_URL: {
    meaning:
      'Base URL of the HTTP API that commands call, with SENDOFF_API_TOKEN; default: the local deployment in `--data`.',
    example: 'https://sendoff.example.com',
    optional: true,
    parse: httpUrl,
  },
  SENDOFF_API_TOKEN: {
    ...settingsTable.SENDOFF_API_TOKEN,
    meaning: 'Token that commands send to the HTTP API; of several with names, the first.',
    optional: true,
    parse: firstApiToken,
  },
  EMAIL_PROVIDER_API_KEY: {
    meaning:
      "An API key of the tenant's account at the provider, with the scope `manage` at the email service, for: sendoff dns check.",
    example: 'so_live_…',
    optional: true,
    secret: true,
    parse: text,
  },
  TEMPORAL_CLI_PATH: {
    meaning:
      'The Temporal CLI that `demo` and `dev` start; by default the one on PATH, or one that is downloaded once.',
    example: '/usr/local/bin/temporal',
    optional: true,
    parse: text,
  },
} as const satisfies SettingsTable;
