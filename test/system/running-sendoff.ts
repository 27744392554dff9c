import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Address } from '../../src/dev/data-folder.ts';
import { packagedCommand } from '../support/packaged-command.ts';
import { LIGHT_GO } from '../support/light-go.ts';
import { temporalCli } from '../support/temporal.ts';

const sourcesCommand = fileURLToPath(new URL('../../bin/sendoff.js', import.meta.url));
/** No program depends on the folder in which it is started: not on its tsconfig.json, which a loader would read. */
const elsewhere = mkdtempSync(join(tmpdir(), 'sendoff-elsewhere-'));
process.once('exit', () => {
  rmSync(elsewhere, { recursive: true, force: true });
});
const run = promisify(execFile);

export interface RunningSendoff {
  readonly child: ChildProcess;
  stdout(): string;
  stderr(): string;
  /** Resolves as soon as what was printed to stderr or stdout fits; rejects when the process ends before. */
  printed(pattern: RegExp): Promise<void>;
  /** The exit code; null when a signal ended it. */
  readonly ended: Promise<number | null>;
}

export const newDataFolder = (): string => mkdtempSync(join(tmpdir(), 'sendoff-test-'));

/**
 * Starts the packaged command line in its own process, with the Temporal CLI that the tests have found. The package starts in
 * half the processor time of the sources.
 */
export const startSendoff = (...args: string[]): Promise<RunningSendoff> => startSendoffWith({}, ...args);

/** The same, in another environment. */
export async function startSendoffWith(changes: NodeJS.ProcessEnv, ...args: string[]): Promise<RunningSendoff> {
  return start(await packagedCommand(), changes, args);
}

/** The same from the sources, as in a clone. */
export const startSendoffFromSources = (...args: string[]): Promise<RunningSendoff> => start(sourcesCommand, {}, args);

async function start(command: string, changes: NodeJS.ProcessEnv, args: string[]): Promise<RunningSendoff> {
  const child = spawn(process.execPath, [command, ...args], {
    cwd: elsewhere,
    env: { ...(await environment()), ...changes },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  let noticed: () => void = () => undefined;
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
    noticed();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
    noticed();
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return {
    child,
    stdout: () => stdout,
    stderr: () => stderr,
    ended,
    printed: (pattern) =>
      new Promise((resolve, reject) => {
        noticed = () => {
          if (pattern.test(stderr) || pattern.test(stdout)) resolve();
        };
        noticed();
        void ended.then((code) => {
          reject(new Error(`sendoff ended with ${code} before it printed ${pattern}:\n${stderr}${stdout}`));
        });
      }),
  };
}

/** Runs a command to its end; never rejects for its exit code. */
export async function sendoff(...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const running = await startSendoff(...args);
  const code = await running.ended;
  return { code, stdout: running.stdout(), stderr: running.stderr() };
}

export const addressOf = (dataFolder: string): Address =>
  JSON.parse(readFileSync(join(dataFolder, 'address.json'), 'utf8')) as Address;

/** Every Workflow Execution of a local deployment as `temporal workflow show --output json` prints it, by Workflow Id. */
export async function everyHistory(address: Address): Promise<Map<string, string>> {
  const histories = new Map<string, string>();
  const { temporalNamespace: own, backgroundNamespace, emailServiceNamespace } = address;
  for (const temporalNamespace of [own, backgroundNamespace, emailServiceNamespace]) {
    const json = (...args: string[]) => temporal({ ...address, temporalNamespace }, ...args, '--output', 'json');
    const listed = JSON.parse(await json('workflow', 'list')) as {
      execution: { workflowId: string; runId: string };
    }[];
    for (const { execution } of listed) {
      histories.set(
        execution.workflowId,
        await json('workflow', 'show', '--workflow-id', execution.workflowId, '--run-id', execution.runId),
      );
    }
  }
  return histories;
}

/** Runs the Temporal CLI against a local deployment, as operators do. */
export async function temporal({ temporalAddress, temporalNamespace }: Address, ...args: string[]): Promise<string> {
  const options = ['--address', temporalAddress, '--namespace', temporalNamespace];
  return (await run(await temporalCli(), [...args, ...options], { maxBuffer: 64 * 1024 * 1024 })).stdout;
}

async function environment(): Promise<NodeJS.ProcessEnv> {
  const kept = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(TEMPORAL_|SENDOFF_|EMAIL_|DNS_|VITEST)/.test(name)),
  );
  return { ...kept, ...LIGHT_GO, TEMPORAL_CLI_PATH: await temporalCli() };
}
