import type { ConnectionOptions } from '@temporalio/client';
import { setUpNamespaces } from '../../lib/temporal/setup/set-up-temporal.ts';
import { findTemporalCli } from './find-temporal-cli.ts';
import type { ReportLine } from './run-command.ts';
import { type DevServer, startDevServer, type StartDevServerOptions } from './start-dev-server.ts';
import { withConnection } from '../../lib/temporal/with-connection.ts';

export interface StartTemporalOptions extends Pick<
  StartDevServerOptions,
  'dataFile' | 'namespace' | 'otherNamespaces' | 'searchAttributes' | 'log'
> {
  /** Read: PATH, TEMPORAL_CLI_PATH, and TEMPORAL_ADDRESS: if set, this server is used and none is started. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** TLS and API key for TEMPORAL_ADDRESS, as `readTemporalConfig` returns them. @default neither */
  readonly connectionOptions?: ConnectionOptions | undefined;
  /** As returned by `cacheFolder`. */
  readonly cacheFolder: string;
  readonly report: ReportLine;
  /** Ends the start, including a download or build; its reason is thrown. */
  readonly signal?: AbortSignal | undefined;
}

export interface RunningTemporal extends Pick<DevServer, 'address' | 'namespace' | 'run'> {
  /** Undefined for the server of TEMPORAL_ADDRESS, whose UI is unknown. */
  readonly uiUrl: string | undefined;
  /** Ends the dev server, but not the server of TEMPORAL_ADDRESS. */
  readonly stop: () => Promise<void>;
}

/** Provides a Temporal server with these Namespaces, the first one with these Search Attributes. */
export async function startTemporal(options: StartTemporalOptions): Promise<RunningTemporal> {
  const address = options.environment['TEMPORAL_ADDRESS'];
  return address === undefined || address === '' ? await startOwn(options) : await useRunning(address, options);
}

async function startOwn(options: StartTemporalOptions): Promise<RunningTemporal> {
  const { environment, cacheFolder, namespace, otherNamespaces, searchAttributes, report, signal } = options;
  const { TEMPORAL_CLI_PATH: temporalCliPath, PATH: path = '' } = environment;
  const cliPath = await findTemporalCli({ temporalCliPath, path, cacheFolder, report, signal });
  signal?.throwIfAborted();
  report(`Starting a Temporal dev server with ${cliPath}`);
  const { dataFile, log } = options;
  const server = await startDevServer({
    executable: cliPath,
    ...{ dataFile, namespace, otherNamespaces, searchAttributes, log, signal },
  });
  report(`Temporal is ready at ${server.address}, its UI at ${server.uiUrl}`);
  return server;
}

async function useRunning(address: string, options: StartTemporalOptions): Promise<RunningTemporal> {
  const { connectionOptions, namespace, otherNamespaces, searchAttributes, report, signal } = options;
  report(`Using the Temporal server at ${address} (TEMPORAL_ADDRESS)`);
  try {
    await withConnection({ ...connectionOptions, address }, (connection) =>
      setUpNamespaces({ connection, address, namespace, otherNamespaces, searchAttributes, signal }),
    );
  } catch (error) {
    signal?.throwIfAborted();
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`Cannot use the server ${address} of TEMPORAL_ADDRESS: ${reason}`, { cause: error });
  }
  const run = new Promise<never>(() => undefined);
  return { address, namespace, uiUrl: undefined, run, stop: () => Promise.resolve() };
}
