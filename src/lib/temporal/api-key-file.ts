import { readFileSync, unwatchFile, watchFile } from 'node:fs';

/** TEMPORAL_API_KEY_FILE: Temporal Cloud ends each key after a time, and a process outlives it. */
export interface ApiKeyFile {
  readonly apiKeyFile?: string | undefined;
}

interface ConnectionWithApiKey {
  setApiKey(apiKey: string): unknown;
  close(): Promise<void>;
}

/** Also a file behind a symlink that is replaced, as Kubernetes mounts secrets. */
const LOOK_EVERY_MS = 5_000;

/** Gives the connection each new key of the file until it is closed. A file that cannot be read leaves the key as it is. */
export function followApiKeyFile<Connected extends ConnectionWithApiKey>(
  connection: Connected,
  file: string | undefined,
): Connected {
  if (file === undefined) return connection;
  const renew = (): void => {
    const key = keyIn(file);
    if (key !== undefined) void connection.setApiKey(key);
  };
  watchFile(file, { interval: LOOK_EVERY_MS, persistent: false }, renew);
  const close = connection.close.bind(connection);
  connection.close = async () => {
    unwatchFile(file, renew);
    await close();
  };
  return connection;
}

function keyIn(file: string): string | undefined {
  try {
    const key = readFileSync(file, 'utf8').trim();
    return key === '' ? undefined : key;
  } catch {
    return undefined;
  }
}
