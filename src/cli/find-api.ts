import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ApiAddress } from './api-client.ts';
import { readSettings } from '../lib/settings.ts';
import { commandLineSettings } from './command-line-settings.ts';
import { CommandError } from './command-error.ts';
import { ADDRESS_FILE } from '../dev/data-folder.ts';

/**
 * The set-up a command talks to: that of SENDOFF_URL and SENDOFF_API_TOKEN, or the one `sendoff dev` started on this
 * machine with the same data folder.
 */
export function findApi(dataFolder: string, environment: NodeJS.ProcessEnv): ApiAddress {
  const { SENDOFF_URL, SENDOFF_API_TOKEN } = commandLineSettings;
  const { SENDOFF_URL: url, SENDOFF_API_TOKEN: apiToken } = readSettings(
    { SENDOFF_URL, SENDOFF_API_TOKEN },
    environment,
  );
  if (url !== undefined && apiToken !== undefined) return { url, apiToken };
  if (url !== undefined) throw new CommandError('SENDOFF_URL is set, and SENDOFF_API_TOKEN is not: both are needed');
  try {
    return JSON.parse(readFileSync(join(dataFolder, ADDRESS_FILE), 'utf8')) as ApiAddress;
  } catch {
    throw new CommandError(
      `No set-up to talk to: set SENDOFF_URL and SENDOFF_API_TOKEN, or start one here with: npx sendoff dev --data ${dataFolder}`,
    );
  }
}

/** The name server of the small world that `sendoff dev` keeps with this data folder; undefined when there is none. */
export function findDnsServer(dataFolder: string): string | undefined {
  try {
    const { dnsServer } = JSON.parse(readFileSync(join(dataFolder, ADDRESS_FILE), 'utf8')) as { dnsServer?: unknown };
    return typeof dnsServer === 'string' ? dnsServer : undefined;
  } catch {
    return undefined;
  }
}
