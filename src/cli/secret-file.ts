import { type FileHandle, open, rm } from 'node:fs/promises';
import { fileFault } from '../lib/file-fault.ts';
import { CommandError } from './command-error.ts';

export interface SecretFile {
  readonly path: string;
  /** Closes it. Resolves with false, and deletes it, if the file system refuses, as when it is full. */
  store(secret: string): Promise<boolean>;
  /** Closes and deletes it. */
  discard(): Promise<void>;
}

/** A new file that its owner alone can read; opened before its secret exists, because a secret that cannot be stored must not be made. */
export async function createSecretFile(path: string): Promise<SecretFile> {
  const file = await opened(path);
  const discard = async (): Promise<void> => {
    await file.close();
    await rm(path, { force: true });
  };
  return {
    path,
    discard,
    async store(secret) {
      try {
        await file.writeFile(`${secret}\n`);
        await file.sync();
      } catch {
        await discard();
        return false;
      }
      await file.close();
      return true;
    },
  };
}

async function opened(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'wx', 0o600);
  } catch (error) {
    const exists = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    throw new CommandError(`${path} cannot be created: ${exists ? 'it exists already' : fileFault(error)}`, {
      code: 'file_unwritable',
    });
  }
}
