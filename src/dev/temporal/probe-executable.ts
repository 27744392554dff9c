import { execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import { freePort, portAnswers } from './free-port.ts';
import { waitUntil } from '../../lib/wait-until.ts';

/** A first start may be held up by a virus scanner; a program that hangs must not hold us up for ever. */
const PROBE_TIMEOUT_MS = 30_000;

/** What is wrong with this Temporal CLI, as part of a sentence. Undefined: it runs. */
export async function cliProblem(executable: string): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)(executable, ['--version'], { timeout: PROBE_TIMEOUT_MS });
    if (stdout.startsWith('temporal version ')) return undefined;
    return `${executable} --version says ${JSON.stringify(stdout.slice(0, 80))}, which is not the Temporal CLI`;
  } catch (error) {
    return `${executable} --version does not run (${firstLine(error)})`;
  }
}

/** What is wrong with this test server, as part of a sentence. Undefined: it runs. It has no --version, so it is started. */
export async function testServerProblem(executable: string): Promise<string | undefined> {
  const port = await freePort();
  const child = spawn(executable, [String(port)], { stdio: 'ignore' });
  let ended: string | undefined;
  child.once('error', (error) => (ended = firstLine(error)));
  child.once(
    'exit',
    (code, signal) => (ended ??= `ended with ${code === null ? String(signal) : `exit code ${String(code)}`}`),
  );
  try {
    const answered = await waitUntil(async () => ended !== undefined || (await portAnswers(port)), {
      timeoutMs: PROBE_TIMEOUT_MS,
    });
    if (ended !== undefined) return `${executable} does not start (${ended})`;
    return answered
      ? undefined
      : `${executable} does not answer within ${String(PROBE_TIMEOUT_MS / 1_000)} s of its start`;
  } finally {
    child.kill('SIGKILL');
  }
}

function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.trim().split('\n', 1)[0] ?? message;
}
