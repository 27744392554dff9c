import { readFileSync } from 'node:fs';

/** TEMPORAL_API_KEY_FILE: Temporal Cloud ends each key after a time, and a process outlives it. */
export interface ApiKeyFile {
  readonly apiKeyFile?: string | undefined;
}

interface ConnectionWithApiKey {
  setApiKey(apiKey: string): unknown;
  close(): Promise<void>;
}

const LOOK_EVERY_MS = 5_000;

/**
 * Gives the connection each new key of the file until it is closed. A file that cannot be read leaves the key as it is. The file is read,
 * not watched: it may be replaced before a watch has seen it, and Kubernetes replaces a symlink to its folder.
 */
export function followApiKeyFile<Connected extends ConnectionWithApiKey>(
  connection: Connected,
  file: string | undefined,
): Connected {
  if (file === undefined) return connection;
  let known: string | undefined;
  const look = async (): Promise<void> => {
    const key = keyIn(file);
    if (key === undefined || key === known) return;
    await connection.setApiKey(key);
    known = key;
  };
  const looking = setInterval(() => {
    // A connection that is being closed takes no key; the next look repeats what failed.
    look().catch(() => undefined);
  }, LOOK_EVERY_MS).unref();
  const close = connection.close.bind(connection);
  connection.close = async () => {
    clearInterval(looking);
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
