import { createReadStream, existsSync } from 'node:fs';
import { lstat, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import type { Readable } from 'node:stream';
import { FILE_BYTES_MAX } from '../../code-host/fetch-place.ts';
import { unreadableFile } from '../unreadable-file.ts';

export interface FileHead {
  readonly bytes: Uint8Array;
  /** Whether the file is longer. */
  readonly truncated: boolean;
}

/** A file's place, as a code host would name it. */
export interface LocalPlace {
  /** The closest folder with a `.git`, otherwise the file's own folder; without symlinks. */
  readonly root: string;
  readonly isRepository: boolean;
  /** From the root, with slashes. */
  readonly path: string;
}

/** @throws CommandError if the folder does not exist */
export async function placeOf(file: string): Promise<LocalPlace> {
  const folder = await realpath(dirname(file)).catch((error: unknown) => {
    throw unreadableFile(file, error);
  });
  let root = folder;
  while (!existsSync(join(root, '.git')) && root !== dirname(root)) root = dirname(root);
  const isRepository = existsSync(join(root, '.git'));
  if (!isRepository) root = folder;
  const path = relative(root, join(folder, basename(file)));
  return { root, isRepository, path: path.split(sep).join('/') };
}

/**
 * A file as Git stores it: the content of a symlink is its target. Outside a repository the file system resolves it.
 *
 * @param name of the file in errors
 */
export async function readBlob({ root, isRepository, path }: LocalPlace, name: string): Promise<FileHead> {
  const file = join(root, path);
  try {
    if (isRepository && (await lstat(file)).isSymbolicLink()) {
      return { bytes: Buffer.from((await readlink(file)).split(sep).join('/')), truncated: false };
    }
    return await readHead(createReadStream(file, { end: FILE_BYTES_MAX }));
  } catch (error) {
    throw unreadableFile(name, error);
  }
}

/** `absent` also for what a code host would not serve, such as a folder. */
export async function kindOf({ root, path }: LocalPlace): Promise<'file' | 'absent' | 'outside'> {
  const file = join(root, path);
  try {
    const folder = relative(root, await realpath(file));
    if (folder === '..' || folder.startsWith(`..${sep}`)) return 'outside';
    return (await stat(file)).isFile() ? 'file' : 'absent';
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'].includes((error as NodeJS.ErrnoException).code ?? '')) {
      return 'absent';
    }
    throw unreadableFile(file, error);
  }
}

/** Reads what a check reads, and one byte more to see whether the input is longer. */
export async function readHead(input: Readable): Promise<FileHead> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of input) {
    chunks.push(Buffer.from(chunk as Buffer | string));
    length += chunks.at(-1)?.length ?? 0;
    if (length > FILE_BYTES_MAX) break;
  }
  return { bytes: Buffer.concat(chunks).subarray(0, FILE_BYTES_MAX), truncated: length > FILE_BYTES_MAX };
}
