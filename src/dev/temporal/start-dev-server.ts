import { TypedSearchAttributes } from '@temporalio/common';
import { followAbort } from '../../lib/timing/follow-abort.ts';
import { type DataFileLock, lockDataFile } from './data-file-lock.ts';
import { freePort, portAnswers } from './free-port.ts';
import { keepLastLines } from './last-lines.ts';
import type { SearchAttribute } from '../../lib/temporal/setup/search-attribute.ts';
import { spawnTied, type TiedProcess } from './spawn-tied.ts';
import { setUpNamespaces } from '../../lib/temporal/setup/set-up-temporal.ts';
import { waitUntilUsable } from '../../lib/temporal/setup/wait-until-usable.ts';
import { waitUntil } from '../../lib/timing/wait-until.ts';
import { withConnection } from '../../lib/temporal/with-connection.ts';

const LOOPBACK = '127.0.0.1';
/** A start takes less than 3 s on an idle machine, and several times as long on a busy one. */
const START_TIMEOUT_MS = 60_000;
/** A normal stop takes 3 s. */
const STOP_TIMEOUT_MS = 10_000;
const TAKEN_PORT = 'address already in use';
/** The server's own connections to SQLite waited too long, on a busy machine. It is a cause only of an end. */
const BUSY_DATABASE = 'SQLITE_BUSY';
const PASSING_CAUSES = [TAKEN_PORT, BUSY_DATABASE];
/** These are rare; more attempts would hide another cause. */
const ATTEMPTS_MAX = 4;
const LAST_LINES_MAX = 20;
const NAMESPACE_OF_EVERY_SERVER = 'default';

export interface StartDevServerOptions {
  /** Path of the Temporal CLI. */
  readonly executable: string;
  /** SQLite file, created if missing. @default all data is lost at the end */
  readonly dataFile?: string | undefined;
  readonly namespace: string;
  /** Created as well, without Search Attributes. @default none */
  readonly otherNamespaces?: readonly string[] | undefined;
  readonly searchAttributes: readonly SearchAttribute[];
  /** @default a free port */
  readonly port?: number | undefined;
  /** @default a free port */
  readonly uiPort?: number | undefined;
  /** Added to that of this process. @default nothing */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /** Takes each line that the server prints. */
  readonly log?: ((line: string) => void) | undefined;
  /** Ends the server during its start; its reason is thrown. */
  readonly signal?: AbortSignal | undefined;
}

export interface DevServer {
  /** Address of the gRPC frontend, `127.0.0.1:<port>`. */
  readonly address: string;
  readonly namespace: string;
  readonly uiUrl: string;
  readonly pid: number;
  /** Rejects with the server's last lines if it ends without `stop`; else never settles. */
  readonly run: Promise<never>;
  /** Does nothing the second time. */
  readonly stop: () => Promise<void>;
}

/**
 * Starts a dev server with UI, which never outlives this process. Resolves when Workflows with these Search Attributes can
 * be started. Throws with the server's last lines if the start fails.
 */
export async function startDevServer(options: StartDevServerOptions): Promise<DevServer> {
  const claim = options.dataFile === undefined ? undefined : await lockDataFile(options.dataFile);
  try {
    return await startOnFreePorts(options, claim);
  } catch (error) {
    await claim?.release();
    throw error;
  }
}

async function startOnFreePorts(options: StartDevServerOptions, claim: DataFileLock | undefined): Promise<DevServer> {
  for (let attempt = 1; ; attempt++) {
    const port = options.port ?? (await freePort());
    const uiPort = options.uiPort ?? (await freePort());
    const launched = launch(options, port, uiPort);
    const { ended, output, passing, end } = launched;
    try {
      const { pid } = launched.child;
      if (pid === undefined) throw new Error('the system assigned no process id');
      await claim?.serverStarted(pid);
      await untilReady(options, port, ended);
      ended.throwIfAborted();
      return {
        ...{ address: `${LOOPBACK}:${String(port)}`, uiUrl: `http://${LOOPBACK}:${String(uiPort)}` },
        ...{ namespace: options.namespace, pid, ...running(launched, claim) },
      };
    } catch (error) {
      const hasEnded = launched.child.exitCode !== null;
      // Before the stop, which prints as many lines.
      const lastLines = options.signal?.aborted === true ? [] : await output.read();
      await end();
      options.signal?.throwIfAborted();
      const givenPorts = [options.port, options.uiPort].filter((given) => given !== undefined);
      const isOfGivenPort = passing.some((line) => givenPorts.some((given) => line.includes(`:${given}:`)));
      const mayPass = passing.some((line) => hasEnded || line.includes(TAKEN_PORT));
      if (mayPass && !isOfGivenPort && attempt < ATTEMPTS_MAX) continue;
      throw failure(`The Temporal dev server did not start: ${messageOf(error)}`, lastLines, error);
    }
  }
}

function launch(options: StartDevServerOptions, port: number, uiPort: number) {
  const child = spawnTied({
    executable: options.executable,
    args: serverArguments(options, port, uiPort),
    environment: { ...process.env, ...options.environment },
  });
  // Before the first await: a program that cannot run ends within a millisecond.
  const ended = endSignal(child, options.signal);
  // Collected apart from the last lines: for an internal port, a panic's stack trace follows the message.
  const passing: string[] = [];
  const output = keepLastLines(child, LAST_LINES_MAX, (line) => {
    if (passing.length < LAST_LINES_MAX && PASSING_CAUSES.some((cause) => line.includes(cause))) passing.push(line);
    options.log?.(line);
  });
  return { child, ended, output, passing, end: endOnce(child, options.dataFile === undefined ? 'SIGKILL' : 'SIGTERM') };
}

function running({ child, output, end }: ReturnType<typeof launch>, claim: DataFileLock | undefined) {
  let isStopping = false;
  const run = new Promise<never>((_resolve, reject) => {
    child.once('exit', (code, signal) => {
      if (isStopping) return;
      void output.read().then((lines) => {
        reject(failure(`The Temporal dev server ended with ${endOf(code, signal)}`, lines));
      });
    });
  });
  // A caller that ignores `run` must not crash with an unhandled rejection.
  run.catch(() => undefined);
  const stop = async (): Promise<void> => {
    isStopping = true;
    await end();
    await claim?.release();
  };
  return { run, stop };
}

function serverArguments(options: StartDevServerOptions, port: number, uiPort: number): string[] {
  const { namespace, otherNamespaces = [], dataFile, searchAttributes } = options;
  return [
    ...['server', 'start-dev', '--ip', LOOPBACK, '--port', String(port), '--ui-port', String(uiPort)],
    ...[namespace, ...otherNamespaces].flatMap((name) => ['--namespace', name]),
    ...(dataFile === undefined ? [] : ['--db-filename', dataFile]),
    ...searchAttributes.flatMap(({ name, type }) => [
      '--search-attribute',
      `${name}=${TypedSearchAttributes.toMetadataType(type)}`,
    ]),
    // The version check calls a service of Temporal at every start, and fails offline.
    ...['--dynamic-config-value', 'frontend.enableServerVersionCheck=false'],
  ];
}

/** Aborted when the program ends or cannot be started, and with the caller's signal. */
function endSignal(child: TiedProcess, signal: AbortSignal | undefined): AbortSignal {
  const ended = signal === undefined ? new AbortController() : followAbort(signal);
  child.once('error', (error) => {
    ended.abort(new Error(`it could not be started (${error.message})`));
  });
  child.once('exit', (code, name) => {
    ended.abort(new Error(`it ended with ${endOf(code, name)}`));
  });
  return ended.signal;
}

async function untilReady(options: StartDevServerOptions, port: number, signal: AbortSignal): Promise<void> {
  // A refused gRPC channel waits a second before its next attempt; a socket does not.
  const opened = await waitUntil(() => signal.aborted || portAnswers(port), {
    timeoutMs: START_TIMEOUT_MS,
    intervalMs: 50,
  });
  signal.throwIfAborted();
  if (!opened) throw new Error(`it did not open its port within ${String(START_TIMEOUT_MS / 1_000)} s`);
  const { namespace, otherNamespaces, searchAttributes } = options;
  const address = `${LOOPBACK}:${String(port)}`;
  await withConnection({ address }, async (connection) => {
    await waitUntilUsable({
      ...{ connection, signal, timeoutMs: START_TIMEOUT_MS },
      ...{ namespace: NAMESPACE_OF_EVERY_SERVER, searchAttributes: [] },
    });
    // A data file of an earlier version has its Namespaces and Search Attributes only: the arguments apply to a new file.
    await setUpNamespaces({ connection, address, namespace, otherNamespaces, searchAttributes, signal });
  });
}

/** SIGTERM lets SQLite finish its writes, which takes 3 seconds. */
function endOnce(child: TiedProcess, signal: 'SIGTERM' | 'SIGKILL'): () => Promise<void> {
  const hasEnded = (): boolean => child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
  let ending: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    if (!hasEnded()) child.kill(signal);
    if (await waitUntil(hasEnded, { timeoutMs: STOP_TIMEOUT_MS, intervalMs: 20 })) return;
    child.kill('SIGKILL');
    await waitUntil(hasEnded, { timeoutMs: STOP_TIMEOUT_MS, intervalMs: 20 });
  };
  return () => (ending ??= end());
}

const endOf = (code: number | null, signal: string | null): string =>
  code === null ? String(signal) : `exit code ${String(code)}`;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function failure(what: string, lastLines: readonly string[], cause?: unknown): Error {
  const output = lastLines.length === 0 ? 'It printed nothing' : `Its last lines:\n${lastLines.join('\n')}`;
  return new Error(`${what}. ${output}`, { cause });
}
