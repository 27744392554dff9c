import { CommandError } from './command-error.ts';

/** What is said about a file that was named on the command line and cannot be read. */
export function unreadableFile(file: string, error: unknown): CommandError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
  return new CommandError(`${file} cannot be read: ${reasons[code] ?? code}`, {
    code: 'file_unreadable',
    cause: error,
  });
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder; name the file in it',
  EACCES: 'this user may not read it',
};
