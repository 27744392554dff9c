import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DevEnvironment, type DevEnvironmentOptions, startDevEnvironment } from '../../dev/dev-environment.ts';
import { unlessInterrupted } from '../follow.ts';
import { runTasks } from '../progress-list.ts';
import { untilInterrupted } from '../until-interrupted.ts';

/**
 * Starts everything with its progress on stderr. Resolves with the exit code if it is interrupted meanwhile, once
 * everything has stopped.
 */
export async function startLocalDeployment(
  options: Omit<DevEnvironmentOptions, 'report' | 'signal'>,
  interrupted: Promise<number>,
): Promise<DevEnvironment | number> {
  const interruption = new AbortController();
  void interrupted.then(() => {
    interruption.abort(new Error('interrupted'));
  });
  const { signal } = interruption;
  let dev: DevEnvironment | undefined;
  try {
    await runTasks([
      {
        title: 'Start Temporal, DNS, mail, the email service and the orchestrator',
        task: async (_context, task) => {
          dev = await startDevEnvironment({ ...options, report: (line) => (task.output = line), signal });
        },
      },
    ]);
  } catch (error) {
    // Any other error is a failure, even during the interruption.
    if (signal.aborted && error === signal.reason) return await interrupted;
    throw error;
  }
  if (dev === undefined) throw new Error('the local deployment did not start');
  return dev;
}

export interface LocalRun {
  readonly environment: NodeJS.ProcessEnv;
  /** Leaves the deployment running at the end, until Ctrl-C. */
  readonly keep: boolean;
  /** The data folder; kept at the end. @default a folder that is removed at the end */
  readonly data?: string | undefined;
  readonly options?: Pick<DevEnvironmentOptions, 'providerProxy' | 'settings'>;
}

export interface Interruption {
  /** Aborted when the user interrupts. */
  readonly signal: AbortSignal;
  /** Resolves with the exit code when the user interrupts. */
  readonly interrupted: Promise<number>;
}

/**
 * Starts a local deployment, uses it, and stops it. Resolves with the exit code of `use` or of an interruption; rejects
 * when a part dies.
 */
export async function withLocalDeployment(
  { environment, keep, data, options }: LocalRun,
  use: (dev: DevEnvironment, interruption: Interruption) => Promise<{ exitCode: number }>,
): Promise<number> {
  const dataFolder = data ?? (await mkdtemp(join(tmpdir(), 'sendoff-demo-')));
  const interrupted = untilInterrupted();
  let dev: DevEnvironment | undefined;
  try {
    const started = await startLocalDeployment(
      { ...options, dataFolder, environment, isTemporary: data === undefined },
      interrupted,
    );
    if (typeof started === 'number') return started;
    dev = started;
    const end = await unlessInterrupted(interrupted, (signal) =>
      Promise.race([use(started, { signal, interrupted }), rejection(started.run)]),
    );
    if (typeof end === 'number') return end;
    if (keep) {
      process.stderr.write(`\nStill running; press Ctrl-C to stop it. Data: ${dataFolder}\n`);
      await Promise.race([interrupted, rejection(dev.run)]);
    }
    return end.exitCode;
  } finally {
    await dev?.stop();
    if (data === undefined) await rm(dataFolder, { recursive: true, force: true });
  }
}

/** Rejects when the promise does, and never resolves. */
export const rejection = (promise: Promise<unknown>): Promise<never> =>
  new Promise((_resolve, reject) => {
    promise.catch(reject);
  });
