import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileFault } from '../lib/file-fault.ts';

/** What a set-up on a laptop must find again when it is started on the same data. All but the ports are secrets. */
export interface Kept {
  readonly apiToken: string;
  /** 32 bytes in base64. */
  readonly secretKey: string;
  /** 32 bytes in base64. */
  readonly encryptionKey: string;
  readonly operatorToken: string;
  /** The provider keeps the address of our webhooks, so the HTTP API comes back on the same port if it can. */
  readonly serverPort: number;
}

export interface Address {
  /** Of the HTTP API. */
  readonly url: string;
  readonly apiToken: string;
  readonly emailServiceUrl: string;
  /** `127.0.0.1:5353`: serves the zones of this set-up's small world. */
  readonly dnsServer: string;
  readonly temporalAddress: string;
  readonly temporalNamespace: string;
}

export interface DataFolder {
  readonly path: string;
  readonly kept: Kept;
  /** Where this set-up can be reached, for the command line and other programs; written 0600. */
  writeAddress(address: Address): void;
  /** Path of something inside, for those who keep it themselves. */
  readonly inside: (name: string) => string;
}

const KEPT_FILE = 'kept.json';
/** Tells the command line where to find what `sendoff dev` has started. */
export const ADDRESS_FILE = 'address.json';

/** Opens a folder, or makes it with secrets of its own. */
export async function openDataFolder(path: string, freePort: () => Promise<number>): Promise<DataFolder> {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new Error(`The data folder ${path} cannot be used: ${fileFault(error)}`);
  }
  const inside = (name: string): string => join(path, name);
  return readOrMake(inside(KEPT_FILE), freePort).then((kept) => ({
    path,
    kept,
    inside,
    writeAddress: (address) => {
      writePrivately(inside(ADDRESS_FILE), address);
    },
  }));
}

async function readOrMake(file: string, freePort: () => Promise<number>): Promise<Kept> {
  try {
    const kept = JSON.parse(readFileSync(file, 'utf8')) as Partial<Kept>;
    if (kept.apiToken && kept.secretKey && kept.encryptionKey && kept.operatorToken && kept.serverPort)
      return kept as Kept;
    throw new Error('something is missing in it');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) {
      throw new Error(`${file} cannot be read; delete its folder to begin anew`, { cause: error });
    }
  }
  const secret = (): string => randomBytes(32).toString('base64');
  const kept: Kept = {
    apiToken: randomBytes(32).toString('base64url'),
    secretKey: secret(),
    encryptionKey: secret(),
    operatorToken: randomBytes(32).toString('base64url'),
    serverPort: await freePort(),
  };
  writePrivately(file, kept);
  return kept;
}

/** Renamed into its place, so that a kill in between leaves the old file or the new one. */
function writePrivately(file: string, content: object): void {
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, JSON.stringify(content, undefined, 2), { mode: 0o600 });
  renameSync(unfinished, file);
}
