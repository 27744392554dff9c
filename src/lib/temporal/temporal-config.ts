// Temporal's own settings: TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, TEMPORAL_API_KEY, temporal.toml; and the keys of payloads.
import type { DataConverter } from '@temporalio/common';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { readFileSync } from 'node:fs';
import { fileFault } from '../file-fault.ts';
import { SettingsError, settingText } from '../settings.ts';
import type { ApiKeyFile } from './api-key-file.ts';
import { readDataConverter } from './payload-keys.ts';

export interface TemporalConfig {
  readonly connectionOptions: ReturnType<typeof loadClientConnectConfig>['connectionOptions'] & ApiKeyFile;
  /** Pass it to every Client and Worker: they do not read it themselves. */
  readonly namespace: string;
  /** Reads and writes payloads, encrypted or not. @default in clear */
  readonly dataConverter?: DataConverter;
}

/** Variables that name a file, and whether it must contain PEM. */
const FILE_VARIABLES = {
  TEMPORAL_CONFIG_FILE: false,
  TEMPORAL_TLS_CLIENT_CERT_PATH: true,
  TEMPORAL_TLS_CLIENT_KEY_PATH: true,
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: true,
} as const;

/** Throws SettingsError with the variable and the file. */
export function readTemporalConfig(environment: Readonly<Record<string, string | undefined>>): TemporalConfig {
  const problems = Object.entries(FILE_VARIABLES).flatMap(([name, isPem]) => {
    const path = environment[name] ?? '';
    const fault = path === '' ? undefined : faultOf(path, isPem);
    return fault === undefined ? [] : [`${name} is ${path}, which cannot be read: ${fault}`];
  });
  if (problems.length > 0) throw new SettingsError(problems.join('\n'));
  const dataConverter = readDataConverter(environment);
  const apiKeyFile = environment['TEMPORAL_API_KEY_FILE']?.trim() ?? '';
  const apiKey = settingText('TEMPORAL_API_KEY', { secret: true }, environment);
  const set = Object.entries({ ...environment, TEMPORAL_API_KEY: apiKey }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  try {
    const { connectionOptions, namespace } = loadClientConnectConfig({ overrideEnvVars: Object.fromEntries(set) });
    return {
      connectionOptions: { ...connectionOptions, ...(apiKeyFile !== '' && { apiKeyFile }) },
      namespace: namespace ?? 'default',
      dataConverter,
    };
  } catch (error) {
    // Only temporal.toml and the files that it names can still be wrong.
    const path = error instanceof Error && 'path' in error ? `${String(error.path)} cannot be read: ` : '';
    throw new SettingsError(
      `Temporal's settings (TEMPORAL_…, temporal.toml) cannot be used: ${path}${fileFault(error)}`,
    );
  }
}

function faultOf(path: string, isPem: boolean): string | undefined {
  try {
    const content = readFileSync(path, 'latin1');
    return isPem && !content.includes('-----BEGIN ') ? 'it contains no PEM' : undefined;
  } catch (error) {
    return fileFault(error);
  }
}
