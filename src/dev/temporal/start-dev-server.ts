import { TypedSearchAttributes } from '@temporalio/common';
import { followAbort } from '../../lib/follow-abort.ts';
import { claimDataFile } from './data-file-claim.ts';
import type { DataFileClaim } from './data-file-claim.ts';
import { freePort, portAnswers } from './free-port.ts';
import { keepLastLines } from './last-lines.ts';
import type { SearchAttribute } from '../../lib/temporal/setup/search-attribute.ts';
import { spawnTied } from './spawn-tied.ts';
import type { TiedProcess } from './spawn-tied.ts';
import { waitUntilUsable } from '../../lib/temporal/setup/wait-until-usable.ts';
import { waitUntil } from '../../lib/wait-until.ts';
import { withConnection } from '../../lib/temporal/with-connection.ts';

const LOOPBACK = '127.0.0.1';
/** Under 3 s on an idle machine; a laptop that compiles something beside it takes several times as long. */
const START_TIMEOUT_MS = 60_000;
/** It ends in 3 s when nothing is wrong. */
const STOP_TIMEOUT_MS = 10_000;
/** A port that was free is rarely taken within the start; more than this is no coincidence. */
const PORT_ATTEMPTS_MAX = 4;
const LAST_LINES_MAX = 20;

export interface StartDevServerOptions {
  /** Path of the Temporal CLI. */
  readonly executable: string;
  /** SQLite file that keeps everything across starts; made when it is not there. @default all is lost at the end */
  readonly dataFile?: string | undefined;
  readonly namespace: string;
  readonly searchAttributes: readonly SearchAttribute[];
  /** @default a free one */
  readonly port?: number | undefined;
  /** @default a free one */
  readonly uiPort?: number | undefined;
  /** Takes each line that the server prints. @default only the last lines are kept, for the error of a failed start */
  readonly log?: ((line: string) => void) | undefined;
  /** Ends the server while it is not ready yet; its reason is thrown. */
  readonly signal?: AbortSignal | undefined;
}

export interface DevServer {
  /** Of the gRPC frontend, `127.0.0.1:<port>`. */
  readonly address: string;
  readonly namespace: string;
  readonly uiUrl: string;
  readonly pid: number;
  /** Ends the server; does nothing the second time. */
  readonly stop: () => Promise<void>;
}

/**
 * Starts a dev server with UI that ends with this process, however that ends. Resolves when Workflows with these Search
 * Attributes can be started. Throws with the server's last lines when it does not come up.
 */
export async function startDevServer(options: StartDevServerOptions): Promise<DevServer> {
  const claim = options.dataFile === undefined ? undefined : await claimDataFile(options.dataFile);
  try {
    return await startOnFreePorts(options, claim);
  } catch (error) {
    await claim?.release();
    throw error;
  }
}

async function startOnFreePorts(options: StartDevServerOptions, claim: DataFileClaim | undefined): Promise<DevServer> {
  const givenPorts = [options.port, options.uiPort].filter((port) => port !== undefined);
  for (let attempt = 1; ; attempt++) {
    const port = options.port ?? (await freePort());
    const uiPort = options.uiPort ?? (await freePort());
    const child = spawnTied({
      executable: options.executable,
      args: serverArguments(options, port, uiPort),
    });
    // Before anything is awaited: a program that cannot run ends within a millisecond.
    const ended = endSignal(child, options.signal);
    // Collected apart from the last lines: for an internal port, a panic's stack trace follows the message.
    const takenPorts: string[] = [];
    const output = keepLastLines(child, LAST_LINES_MAX, (line) => {
      if (line.includes('address already in use')) takenPorts.push(line);
      options.log?.(line);
    });
    const end = endOnce(child, options.dataFile === undefined ? 'SIGKILL' : 'SIGTERM');
    try {
      if (child.pid === undefined) throw new Error('the system gave it no process id');
      await claim?.serverStarted(child.pid);
      await untilReady(options, port, ended);
      const stop = async (): Promise<void> => {
        await end();
        await claim?.release();
      };
      const address = `${LOOPBACK}:${String(port)}`;
      const uiUrl = `http://${LOOPBACK}:${String(uiPort)}`;
      return { address, namespace: options.namespace, uiUrl, pid: child.pid, stop };
    } catch (error) {
      await end();
      options.signal?.throwIfAborted();
      const lastLines = await output.read();
      const canRetry = !takenPorts.some((line) => givenPorts.some((given) => line.includes(`:${given}:`)));
      if (takenPorts.length > 0 && canRetry && attempt < PORT_ATTEMPTS_MAX) continue;
      throw startFailure(error, lastLines);
    }
  }
}

function serverArguments(options: StartDevServerOptions, port: number, uiPort: number): string[] {
  const { namespace, dataFile, searchAttributes } = options;
  return [
    ...['server', 'start-dev', '--ip', LOOPBACK, '--port', String(port), '--ui-port', String(uiPort)],
    ...['--namespace', namespace],
    ...(dataFile === undefined ? [] : ['--db-filename', dataFile]),
    ...searchAttributes.flatMap(({ name, type }) => [
      '--search-attribute',
      `${name}=${TypedSearchAttributes.toMetadataType(type)}`,
    ]),
    // Asks Temporal's own service for news at every start, which is none of a laptop's business and fails offline.
    ...['--dynamic-config-value', 'frontend.enableServerVersionCheck=false'],
  ];
}

/** Aborted, with the reason, when the program has ended or could not be started, or with the caller's signal. */
function endSignal(child: TiedProcess, signal: AbortSignal | undefined): AbortSignal {
  const ended = signal === undefined ? new AbortController() : followAbort(signal);
  child.once('error', (error) => {
    ended.abort(new Error(`it could not be started (${error.message})`));
  });
  child.once('exit', (code, name) => {
    ended.abort(new Error(`it ended with ${code === null ? String(name) : `exit code ${String(code)}`}`));
  });
  return ended.signal;
}

async function untilReady(options: StartDevServerOptions, port: number, signal: AbortSignal): Promise<void> {
  // A gRPC channel that was refused once waits a second before it tries again; a bare socket need not.
  const opened = await waitUntil(() => signal.aborted || portAnswers(port), {
    timeoutMs: START_TIMEOUT_MS,
    intervalMs: 50,
  });
  signal.throwIfAborted();
  if (!opened) throw new Error(`it did not open its port within ${String(START_TIMEOUT_MS / 1_000)} s`);
  const { namespace, searchAttributes } = options;
  await withConnection({ address: `${LOOPBACK}:${String(port)}` }, (connection) =>
    waitUntilUsable({ connection, namespace, searchAttributes, timeoutMs: START_TIMEOUT_MS, signal }),
  );
}

/** SIGTERM lets SQLite finish what it writes; without a file nothing is worth its 3 seconds. */
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

function startFailure(cause: unknown, lastLines: readonly string[]): Error {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const words = lastLines.length === 0 ? 'It printed nothing.' : `Its last lines:\n${lastLines.join('\n')}`;
  return new Error(`The Temporal dev server did not come up: ${reason}. ${words}`, { cause });
}
