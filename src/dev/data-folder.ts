import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileFault } from '../lib/file-fault.ts';

/** The values that a local deployment needs again after a restart. All but the port are secret. */
export interface SavedSettings {
  readonly apiToken: string;
  /** 32 bytes in base64. */
  readonly secretKey: string;
  /** 32 bytes in base64. */
  readonly encryptionKey: string;
  readonly operatorToken: string;
  /** Port of the HTTP API: the provider keeps the URL of our webhooks, so it should stay the same. */
  readonly serverPort: number;
}

export interface Address {
  /** URL of the HTTP API. */
  readonly url: string;
  readonly apiToken: string;
  readonly emailServiceUrl: string;
  /** `127.0.0.1:5353`: the DNS server of the demo world. */
  readonly dnsServer: string;
  readonly temporalAddress: string;
  readonly temporalNamespace: string;
  readonly emailServiceNamespace: string;
  readonly backgroundNamespace: string;
  /** With which a backend verifies notifications; absent while none are sent. */
  readonly notificationSecret?: string;
}

export interface DataFolder {
  readonly path: string;
  readonly saved: SavedSettings;
  /** For the command line and other programs; written with mode 0600. */
  writeAddress(address: Address): void;
  /** Path of a file in the folder. */
  readonly inside: (name: string) => string;
}

const SAVED_FILE = 'kept.json';
/** Where the command line finds the API of `sendoff dev`. */
export const ADDRESS_FILE = 'address.json';

/** Opens the folder, or creates it with new secrets. */
export async function openDataFolder(path: string, freePort: () => Promise<number>): Promise<DataFolder> {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new Error(`The data folder ${path} cannot be used: ${fileFault(error)}`);
  }
  const inside = (name: string): string => join(path, name);
  return readOrCreate(inside(SAVED_FILE), freePort).then((saved) => ({
    path,
    saved,
    inside,
    writeAddress: (address) => {
      writePrivately(inside(ADDRESS_FILE), address);
    },
  }));
}

async function readOrCreate(file: string, freePort: () => Promise<number>): Promise<SavedSettings> {
  try {
    const saved = JSON.parse(readFileSync(file, 'utf8')) as Partial<SavedSettings>;
    if (saved.apiToken && saved.secretKey && saved.encryptionKey && saved.operatorToken && saved.serverPort)
      return saved as SavedSettings;
    throw new Error('a field is missing');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) {
      throw new Error(`Cannot read ${file}. Delete its folder to start with a new one`, { cause: error });
    }
  }
  const secret = (): string => randomBytes(32).toString('base64');
  const saved: SavedSettings = {
    apiToken: randomBytes(32).toString('base64url'),
    secretKey: secret(),
    encryptionKey: secret(),
    operatorToken: randomBytes(32).toString('base64url'),
    serverPort: await freePort(),
  };
  writePrivately(file, saved);
  return saved;
}

/** Replaces the file by a rename, so that a kill leaves the old or the new one. */
function writePrivately(file: string, content: object): void {
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, JSON.stringify(content, undefined, 2), { mode: 0o600 });
  renameSync(unfinished, file);
}
