import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ApiAddress } from './api-client.ts';
import { readSome } from '../lib/settings.ts';
import { commandLineSettings } from './command-line-settings.ts';
import { CommandError } from './command-error.ts';
import { DATA_DEFAULT } from './common-options.ts';
import { shellWord } from './shell-word.ts';
import { ADDRESS_FILE } from '../dev/data-folder.ts';

/** The API at SENDOFF_URL, or that of the local deployment that `sendoff dev` started with the same data folder. */
export function findApi(dataFolder: string, environment: NodeJS.ProcessEnv): ApiAddress {
  const settings = readSome(commandLineSettings, ['SENDOFF_URL', 'SENDOFF_API_TOKEN'], environment);
  const { SENDOFF_URL: url, SENDOFF_API_TOKEN: apiToken } = settings;
  if (url !== undefined && apiToken !== undefined)
    return { url, apiToken, ifUnreachable: 'Check SENDOFF_URL, and that it is running' };
  if (url !== undefined) throw new CommandError('SENDOFF_URL is set but SENDOFF_API_TOKEN is not. Set both');
  try {
    const local = JSON.parse(readFileSync(join(dataFolder, ADDRESS_FILE), 'utf8')) as ApiAddress;
    return { ...local, ifUnreachable: `If it is not running, start it with: ${startCommand(dataFolder)}` };
  } catch {
    throw new CommandError(
      `No deployment found in ${dataFolder}. Start one with: ${startCommand(dataFolder)}\nOr set SENDOFF_URL and SENDOFF_API_TOKEN`,
    );
  }
}

const startCommand = (dataFolder: string): string =>
  `sendoff dev${dataFolder === DATA_DEFAULT ? '' : ` --data ${shellWord(dataFolder)}`}`;

/** The DNS server of the local deployment in this data folder; undefined without one. */
export function findDnsServer(dataFolder: string): string | undefined {
  try {
    const { dnsServer } = JSON.parse(readFileSync(join(dataFolder, ADDRESS_FILE), 'utf8')) as { dnsServer?: unknown };
    return typeof dnsServer === 'string' ? dnsServer : undefined;
  } catch {
    return undefined;
  }
}
