import { openTogether } from '../../src/lib/closers.ts';
import { type DataFolder, openDataFolder } from '../../src/dev/data-folder.ts';
import { localEmailServiceSettings, localOrchestratorSettings } from '../../src/dev/local-settings.ts';
import { startWorld, type World } from '../../src/dev/world/start-world.ts';
import { startBalancer } from './balancer.ts';
import { BACKGROUND_NAMESPACE, EMAIL_SERVICE_NAMESPACE, type Infrastructure, NAMESPACE } from './infrastructure.ts';
import type { Killable, Restartable } from './killable.ts';
import { freePort } from '../../src/dev/temporal/free-port.ts';
import { openLog } from './open-log.ts';
import { runCommand } from './run-command.ts';
import { bareEnvironment, superviseProcess } from './supervised-process.ts';

/** `postgresBackend` is a process of PostgreSQL that serves one connection. */
export const processNames = ['worker', 'server', 'emailService', 'temporal', 'postgres', 'postgresBackend'] as const;
export type ProcessName = (typeof processNames)[number];

export interface Deployment {
  readonly dataFolder: DataFolder;
  /** Name servers and the mailbox at the end: they live in this process and are never killed. */
  readonly world: World;
  /** Empty where the deployment has none. */
  readonly processes: Readonly<Record<ProcessName, readonly Killable[]>>;
  readonly programs: readonly Program[];
  /** Of several servers, the load balancer before them. */
  readonly api: { readonly url: string; readonly apiToken: string };
  /** The same for the email service, with its database. */
  readonly emailService: { readonly url: string; readonly operatorToken: string; readonly databaseUrl: string };
  /** Of each server, past the load balancer. */
  readonly serverUrls: readonly string[];
  readonly temporalAddress: string;
  /** With the database of both programs; on SQLite the orchestrator's file. */
  readonly databaseUrl: string;
  /** The first ones of both programs. */
  readonly settings: Settings;
  /** Runs a command of sendoff with the first settings of both programs, and these. Resolves with what it printed; throws if it fails. */
  readonly run: (args: readonly string[], settings?: Settings) => Promise<string>;
  stop(): Promise<void>;
}

/** A process of sendoff. */
export interface Program extends Restartable {
  /** `worker-1` */
  readonly name: string;
  /** Where it answers HTTP, at least `/livez` and `/readyz`. */
  readonly url: string;
  /** If the deployment is measured. */
  readonly metricsUrl: string | undefined;
  /** On 127.0.0.1, where the deployment is inspected. */
  readonly inspectorPort: number | undefined;
}

export interface DeploymentOptions {
  readonly folder: string;
  /** The package's `bin/sendoff.js`. */
  readonly command: string;
  readonly startInfrastructure: (dataFolder: DataFolder) => Promise<Infrastructure>;
  /** What the processes log to `<name>.log` in the folder. */
  readonly logLevel: string;
  /** Runs each program with Node's inspector, which shows what it holds. */
  readonly inspected?: boolean;
  /** Each program exports its metrics. */
  readonly measured?: boolean;
  /** More settings of both programs. */
  readonly settings?: Settings;
  /** On PostgreSQL. @default true */
  readonly hasTwoOfEach?: boolean;
  readonly report: (line: string) => void;
  /** Aborts the start: what was started is stopped and its reason is thrown. */
  readonly signal: AbortSignal;
}

/**
 * Everything that onboards tenants, each program as a process of its own, under supervision: on SQLite one of each, on
 * PostgreSQL, as a rule, two of each behind load balancers, after `sendoff setup` and `sendoff migrate`.
 */
export const startDeployment = (options: DeploymentOptions): Promise<Deployment> =>
  openTogether(async (closers) => {
    const { folder, command, startInfrastructure, logLevel, report, signal } = options;
    const { inspected = false, measured = false, settings: more } = options;
    const dataFolder = await openDataFolder(folder, freePort);
    const { saved, inside } = dataFolder;
    const keep = <Part extends { stop(): Promise<void> }>(part: Part): Part => {
      closers.add(() => part.stop());
      signal.throwIfAborted();
      return part;
    };
    const world = keep(await startWorld({ inside }));
    const infrastructure = keep(await startInfrastructure(dataFolder));
    const { temporal, databases, isShared } = infrastructure;
    const hasTwoOfEach = isShared && options.hasTwoOfEach !== false;
    const emailServicePort = await freePort();
    const shared = {
      TEMPORAL_ADDRESS: temporal.address,
      TEMPORAL_NAMESPACE: NAMESPACE,
      EMAIL_SERVICE_TEMPORAL_NAMESPACE: EMAIL_SERVICE_NAMESPACE,
      LOG_LEVEL: logLevel,
      // Callers hold connections through the balancer: each is closed with an answer before the program ends.
      SHUTDOWN_DELAY_SECONDS: isShared ? '3' : '0',
    };
    const emailServiceSettings = {
      ...{ ...shared, ...localEmailServiceSettings(dataFolder, world, { port: emailServicePort }) },
      EMAIL_SERVICE_DATABASE_URL: databases.emailService,
      ...more,
    };
    const emailServiceUrl = `http://127.0.0.1:${emailServicePort}`;
    const orchestratorSettings = {
      ...shared,
      ...localOrchestratorSettings(dataFolder, world, { port: saved.serverPort, providerUrl: emailServiceUrl }),
      SENDOFF_DATABASE_URL: databases.orchestrator,
      ...more,
    };
    const all = { ...emailServiceSettings, ...orchestratorSettings };
    if (isShared) {
      report('Running sendoff setup: Namespaces and Search Attributes');
      await runCommand(command, ['setup'], { settings: all, folder, attemptsWithinMs: TEMPORAL_ANSWERS_WITHIN_MS });
      report('Running sendoff migrate: the databases of both programs');
      await runCommand(command, ['migrate'], { settings: all, folder });
    }

    const programs: Program[] = [];
    const start = async (name: string, args: readonly string[], settings: Settings, port: number): Promise<Program> => {
      const inspectorPort = inspected ? await freePort() : undefined;
      const metricsAddress = measured ? `127.0.0.1:${await freePort()}` : undefined;
      const supervised = superviseProcess({
        name: `sendoff ${name}`,
        ...{ executable: process.execPath, args: [command, ...args], folder },
        environment: {
          ...{ ...bareEnvironment(), ...settings },
          ...(metricsAddress !== undefined && {
            ...{ SENDOFF_METRICS_ADDRESS: metricsAddress, EMAIL_SERVICE_METRICS_ADDRESS: metricsAddress },
          }),
          ...(inspectorPort !== undefined && { NODE_OPTIONS: `--inspect=127.0.0.1:${inspectorPort}` }),
        },
        log: keep(openLog(inside(`${name}.log`))).write,
      });
      const program = {
        ...{ ...supervised, name, inspectorPort },
        url: `http://127.0.0.1:${port}`,
        metricsUrl: metricsAddress && `http://${metricsAddress}/metrics`,
      };
      programs.push(program);
      return keep(program);
    };
    /** One for each name; behind a balancer on the common port if they are several. */
    const startListening = async (
      common: number,
      names: readonly string[],
      startOne: (name: string, port: number) => Promise<Program>,
    ): Promise<readonly Program[]> => {
      const ports = hasTwoOfEach ? await Promise.all(names.map(freePort)) : [common];
      if (hasTwoOfEach) keep(await startBalancer(common, ports));
      return Promise.all(names.map((name, index) => startOne(name, ports[index] ?? common)));
    };

    report('Starting the email service, the Workers and the servers');
    const emailServices = await startListening(
      emailServicePort,
      hasTwoOfEach ? ['email-service-http', 'email-service-all'] : ['email-service'],
      (name, port) =>
        start(
          name,
          ['email-service', ...(name.endsWith('-http') ? ['--role', 'http'] : [])],
          { ...emailServiceSettings, EMAIL_SERVICE_PORT: String(port) },
          port,
        ),
    );
    const emailWorkers: Program[] = [];
    if (hasTwoOfEach) {
      const port = await freePort();
      const settings = { ...emailServiceSettings, EMAIL_SERVICE_HEALTH_PORT: String(port) };
      emailWorkers.push(await start('email-service-worker', ['email-service', '--role', 'worker'], settings, port));
    }
    const workers: Program[] = [];
    for (const name of hasTwoOfEach ? ['worker-1', 'worker-2'] : ['worker']) {
      const port = await freePort();
      workers.push(await start(name, ['worker'], { ...orchestratorSettings, SENDOFF_HEALTH_PORT: String(port) }, port));
    }
    const servers = await startListening(
      saved.serverPort,
      hasTwoOfEach ? ['server-1', 'server-2'] : ['server'],
      (name, port) => start(name, ['server'], { ...orchestratorSettings, SENDOFF_PORT: String(port) }, port),
    );
    const api = { url: orchestratorSettings.SENDOFF_PUBLIC_URL, apiToken: saved.apiToken };
    dataFolder.writeAddress({
      ...api,
      emailServiceUrl,
      dnsServer: world.dns.address,
      temporalAddress: temporal.address,
      temporalNamespace: NAMESPACE,
      emailServiceNamespace: EMAIL_SERVICE_NAMESPACE,
      backgroundNamespace: BACKGROUND_NAMESPACE,
    });
    return {
      dataFolder,
      world,
      programs,
      processes: {
        worker: workers,
        server: servers,
        emailService: [...emailServices, ...emailWorkers],
        temporal: [temporal],
        postgres: infrastructure.postgres,
        postgresBackend: infrastructure.postgresBackends,
      },
      api,
      emailService: {
        ...{ url: emailServiceUrl, operatorToken: saved.operatorToken },
        databaseUrl: databases.emailService,
      },
      serverUrls: servers.map(({ url }) => url),
      temporalAddress: temporal.address,
      databaseUrl: databases.orchestrator,
      settings: all,
      run: (args, settings = {}) => runCommand(command, args, { settings: { ...all, ...settings }, folder }),
      stop: closers.close,
    };
  });

type Settings = Readonly<Record<string, string>>;

const TEMPORAL_ANSWERS_WITHIN_MS = 60_000;
