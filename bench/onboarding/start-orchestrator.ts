import { randomBytes } from 'node:crypto';
import { freePort } from '../../src/dev/temporal/free-port.ts';
import { NAMESPACE } from '../../test/deployment/infrastructure.ts';
import type { Infrastructure } from '../infrastructure.ts';
import type { Bench } from '../scenario.ts';
import { type RunningProcess, startProcess } from '../start-process.ts';

export interface Orchestrator {
  readonly url: string;
  readonly apiToken: string;
  /** Of its secret store: 32 bytes in base64. */
  readonly secretKey: string;
  readonly processes: readonly RunningProcess[];
  /** Another Worker on the same database. */
  startWorker(name: string): Promise<RunningProcess>;
}

export interface OrchestratorOptions {
  /** Of a provider of our own API. @default `settings` name another one */
  readonly providerUrl?: string;
  /** In addition, as an operator would give them. */
  readonly settings?: Readonly<Record<string, string>>;
  /** @default both */
  readonly programs?: readonly ('server' | 'worker')[];
}

/** `sendoff server` and `sendoff worker`, with the settings that an operator would give them. */
export async function startOrchestrator(
  bench: Bench,
  { temporalAddress, databases }: Infrastructure,
  { providerUrl, settings: given, programs = ['worker', 'server'] }: OrchestratorOptions,
): Promise<Orchestrator> {
  const apiToken = randomBytes(32).toString('base64url');
  const secretKey = randomBytes(32).toString('base64');
  const [port, healthPort] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  const settings = {
    TEMPORAL_ADDRESS: temporalAddress,
    TEMPORAL_NAMESPACE: NAMESPACE,
    SENDOFF_API_TOKEN: apiToken,
    SENDOFF_SECRET_KEY: secretKey,
    SENDOFF_DATABASE_URL: databases.orchestrator,
    SENDOFF_PORT: String(port),
    SENDOFF_PUBLIC_URL: url,
    ...(providerUrl !== undefined && { EMAIL_PROVIDER_URL: providerUrl, EMAIL_PROVIDER_OPERATOR_TOKEN: 'operator' }),
    // The tenants' domains are reserved names.
    ALLOW_PRIVATE_ADDRESSES: 'true',
    LOG_LEVEL: 'warn',
    ...given,
  };
  const start = (name: string, program: string, itsPort: number): Promise<RunningProcess> =>
    startProcess(
      {
        name,
        args: [bench.command, program],
        settings: { ...settings, SENDOFF_HEALTH_PORT: String(itsPort) },
        url: `http://127.0.0.1:${itsPort}`,
      },
      bench,
    );
  const ports = { worker: healthPort, server: port };
  const processes = await Promise.all(programs.map((program) => start(program, program, ports[program])));
  return { url, apiToken, secretKey, processes, startWorker: async (name) => start(name, 'worker', await freePort()) };
}
