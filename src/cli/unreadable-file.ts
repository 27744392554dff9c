import { fileFault } from '../lib/file-fault.ts';
import { CommandError } from './command-error.ts';

/** What is said about a file that a command needs and cannot read. */
export const unreadableFile = (file: string, error: unknown): CommandError =>
  new CommandError(`${file} cannot be read: ${fileFault(error)}`, { code: 'file_unreadable' });
