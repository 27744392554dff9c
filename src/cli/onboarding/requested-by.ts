import { userInfo } from 'node:os';
import { Option } from 'commander';

/** The user of the operating system; a container's user may have no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'unknown';
  }
}

export const byOption = (): Option =>
  new Option('--by <name>', 'who asks, for the audit events').default(userName(), 'the user of the operating system');
