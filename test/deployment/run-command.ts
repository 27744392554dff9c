import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { waitUntil } from '../../src/lib/timing/wait-until.ts';
import { bareEnvironment } from './supervised-process.ts';

export interface RunCommandOptions {
  readonly settings: Readonly<Record<string, string>>;
  /** Its working folder. */
  readonly folder: string;
  /** Repeats a failing command for this long: what it needs may still be starting. @default 0 */
  readonly attemptsWithinMs?: number;
}

/** Runs one command of sendoff to its end. Throws with what it printed if it fails. */
export async function runCommand(
  command: string,
  args: readonly string[],
  { settings, folder, attemptsWithinMs = 0 }: RunCommandOptions,
): Promise<string> {
  const env = { ...bareEnvironment(), ...settings };
  let printed = '';
  let failure: unknown;
  const succeeded = await waitUntil(
    () =>
      promisify(execFile)(process.execPath, [command, ...args], { env, cwd: folder }).then(
        ({ stdout }) => {
          printed = stdout;
          return true;
        },
        (error: unknown) => {
          failure = error;
          return false;
        },
      ),
    { timeoutMs: attemptsWithinMs, intervalMs: 500 },
  );
  if (succeeded) return printed;
  const { stdout = '', stderr = '' } = failure as { readonly stdout?: string; readonly stderr?: string };
  throw new Error(`sendoff ${args.join(' ')} failed:\n${stdout}${stderr}`.trimEnd(), { cause: failure });
}
