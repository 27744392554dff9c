import { fileFault } from '../lib/file-fault.ts';
import { CommandError } from './command-error.ts';

export const unreadableFile = (file: string, error: unknown): CommandError =>
  new CommandError(`${file} cannot be read: ${fileFault(error)}`, { code: 'file_unreadable' });
