import { createWriteStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openTogether } from '../../src/lib/closers.ts';
import { openDataFolder } from '../../src/dev/data-folder.ts';
import { localEmailServiceSettings, localOrchestratorSettings } from '../../src/dev/local-settings.ts';
import { startWorld, type World } from '../../src/dev/world/start-world.ts';
import { searchAttributeKeys } from '../../src/workflows/search-attributes.ts';
import type { ProcessName } from './crash-plan.ts';
import type { Killable } from './killable.ts';
import { lastingPort } from './lasting-port.ts';
import { superviseProgram } from './supervised-program.ts';
import { superviseTemporal } from './supervised-temporal.ts';

export interface Deployment {
  /** Name servers and the mailbox at the end: they live in this process and are never killed. */
  readonly world: World;
  readonly processes: Readonly<Record<ProcessName, Killable>>;
  readonly api: { readonly url: string; readonly apiToken: string };
  readonly emailService: { readonly url: string; readonly operatorToken: string; readonly databaseUrl: string };
  stop(): Promise<void>;
}

export interface DeploymentOptions {
  readonly folder: string;
  /** The package's `bin/sendoff.js`. */
  readonly command: string;
  readonly temporalCli: string;
  /** What the processes log to `<name>.log` in the folder. */
  readonly logLevel: string;
  readonly report: (line: string) => void;
}

const NAMESPACE = 'sendoff';
const EMAIL_SERVICE_NAMESPACE = 'sendoff-email-service';

/** Everything that onboards tenants, each program as a process of its own, under supervision. */
export const startDeployment = ({
  folder,
  command,
  temporalCli,
  logLevel,
  report,
}: DeploymentOptions): Promise<Deployment> =>
  openTogether(async (closers) => {
    const dataFolder = await openDataFolder(folder, lastingPort);
    const { saved, inside } = dataFolder;
    const keep = <Part extends { stop(): Promise<void> }>(part: Part): Part => {
      closers.add(() => part.stop());
      return part;
    };
    const world = keep(await startWorld({ inside }));
    report('Starting Temporal');
    const temporal = keep(
      await superviseTemporal({
        executable: temporalCli,
        dataFile: inside('temporal.db'),
        namespace: NAMESPACE,
        otherNamespaces: [EMAIL_SERVICE_NAMESPACE],
        searchAttributes: searchAttributeKeys,
        port: await lastingPort(),
        uiPort: await lastingPort(),
        log: keep(openLog(inside('temporal.log'))).write,
      }),
    );
    const shared = {
      TEMPORAL_ADDRESS: temporal.address,
      TEMPORAL_NAMESPACE: NAMESPACE,
      EMAIL_SERVICE_TEMPORAL_NAMESPACE: EMAIL_SERVICE_NAMESPACE,
      LOG_LEVEL: logLevel,
    };
    const emailServicePort = await lastingPort();
    const emailService = {
      ...shared,
      ...localEmailServiceSettings(dataFolder, world, { port: emailServicePort }),
    };
    const emailServiceUrl = `http://127.0.0.1:${emailServicePort}`;
    const orchestrator = {
      ...shared,
      ...localOrchestratorSettings(dataFolder, world, { port: saved.serverPort, providerUrl: emailServiceUrl }),
    };
    const supervise = async (
      subcommand: 'worker' | 'server' | 'email-service',
      settings: Readonly<Record<string, string>>,
    ): Promise<Killable> => {
      const own = inside(subcommand);
      await mkdir(own, { recursive: true });
      await writeFile(join(own, '.env'), envFile(settings), { mode: 0o600 });
      const log = keep(openLog(inside(`${subcommand}.log`))).write;
      return keep(superviseProgram({ command, subcommand, folder: own, log }));
    };
    report('Starting email service, worker and server');
    const processes = {
      temporal,
      emailService: await supervise('email-service', emailService),
      worker: await supervise('worker', orchestrator),
      server: await supervise('server', orchestrator),
    };
    return {
      world,
      processes,
      api: { url: orchestrator.SENDOFF_PUBLIC_URL, apiToken: saved.apiToken },
      emailService: {
        url: emailServiceUrl,
        operatorToken: saved.operatorToken,
        databaseUrl: emailService.EMAIL_SERVICE_DATABASE_URL,
      },
      stop: closers.close,
    };
  });

/** Appends lines to a file; what comes after its end is dropped. */
function openLog(file: string): { readonly write: (line: string) => void; stop(): Promise<void> } {
  const stream = createWriteStream(file, { flags: 'a' });
  stream.on('error', () => undefined);
  return {
    write: (line) => {
      if (stream.writable) stream.write(`${line}\n`);
    },
    stop: () =>
      new Promise((resolve) => {
        stream.end(resolve);
      }),
  };
}

const envFile = (settings: Readonly<Record<string, string>>): string =>
  Object.entries(settings)
    .map(([name, value]) => `${name}="${value}"\n`)
    .join('');
