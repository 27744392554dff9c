/** Why a file cannot be used. */
const faults: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'part of the path is a file, not a folder',
  EEXIST: 'it is a file, not a folder',
  EISDIR: 'it is a folder, not a file',
  EACCES: 'this user has no access to it',
  EPERM: 'this user has no access to it',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
};

export function fileFault(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? String(error.code) : '';
  return faults[code] ?? error.message;
}
