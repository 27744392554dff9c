// Which Temporal server a test gets. TEMPORAL_ADDRESS is not read: a test must never touch a server that a developer uses.
import './quiet-temporal.ts';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import type { SearchAttribute } from '../../src/lib/temporal/setup/search-attribute.ts';
import { startDevServer } from '../../src/dev/temporal/start-dev-server.ts';
import { searchAttributeKeys } from '../../src/workflows/search-attributes.ts';
import { findCli, findTimeSkippingServer } from './find-temporal-servers.ts';
import type { Found, FoundProgram, FoundServers } from './find-temporal-servers.ts';
import { LIGHT_GO } from './light-go.ts';
import { type TimeSkippingServer, timeSkippingServerAt } from './time-skipping-server.ts';

export interface TestServer {
  /** Its nativeConnection is for Workers. */
  readonly environment: Pick<
    TestWorkflowEnvironment,
    'client' | 'connection' | 'currentTimeMs' | 'nativeConnection' | 'sleep'
  >;
  /** Of the gRPC frontend, `host:port`: for a second client, the CLI or another process. */
  readonly address: string;
  /** To be passed to every Client and Worker; none of them takes it from the connection. */
  readonly namespace: string;
  /** Closes the environment and ends the server. */
  readonly stop: () => Promise<void>;
}

export interface DevServerForTestOptions {
  readonly searchAttributes: readonly SearchAttribute[];
  /** @default 'default' */
  readonly namespace?: string;
  /** Namespaces without Search Attributes. @default none */
  readonly otherNamespaces?: readonly string[];
  /** Given by tests that start again on what an earlier server has kept. @default all is in memory */
  readonly dataFile?: string;
}

/** All of them take less than half a server's start. */
const NAMESPACES_PER_SERVER = 40;

/** With Namespaces that no test has used. They end with this process. */
let shared: { readonly address: string; readonly namespaces: string[] } | undefined;

/**
 * A real server in real time, with everything the time-skipping one lacks: Schedules, lists, resets, pausing. The tests of a
 * process share it; each call returns another Namespace, with the orchestrator's Search Attributes. Throws when none can be had.
 */
export async function sharedDevServer(): Promise<TestServer> {
  let namespace = shared?.namespaces.pop();
  if (shared === undefined || namespace === undefined) {
    namespace = `test-${randomUUID()}`;
    const otherNamespaces = Array.from({ length: NAMESPACES_PER_SERVER - 1 }, () => `test-${randomUUID()}`);
    const options = { namespace, otherNamespaces, searchAttributes: searchAttributeKeys, environment: LIGHT_GO };
    const { address } = await startDevServer({ executable: await temporalCli(), ...options });
    shared = { address, namespaces: otherNamespaces };
  }
  const { address } = shared;
  const environment = await TestWorkflowEnvironment.createFromExistingServer({ address, namespace });
  return { environment, address, namespace, stop: () => environment.teardown() };
}

/** Like sharedDevServer, for one test file: with other Search Attributes, or a server that a test ends or starts again. */
export async function devServer(options: DevServerForTestOptions): Promise<TestServer> {
  const { namespace = 'default' } = options;
  const executable = await temporalCli();
  const server = await startDevServer({ executable, ...options, namespace, environment: LIGHT_GO });
  const { address } = server;
  const environment = await TestWorkflowEnvironment.createFromExistingServer({ address, namespace });
  const stop = async (): Promise<void> => {
    await environment.teardown();
    await server.stop();
  };
  return { environment, address, namespace, stop };
}

/**
 * A server on which time jumps to the next Timer while a result is awaited. Its clock may be years ahead, and may jump
 * years once a Workflow has ended. Throws when none can be had.
 */
export async function timeSkippingServer(searchAttributes: readonly SearchAttribute[]): Promise<TimeSkippingServer> {
  return timeSkippingServerAt(program(await foundTestServer()), searchAttributes);
}

/** Path of the executable that timeSkippingServer runs. */
export async function timeSkippingServerPath(): Promise<string> {
  return program(await foundTestServer()).path;
}

async function foundTestServer(): Promise<Found> {
  return provided('testServer') ?? (await findTimeSkippingServer());
}

/** Path of the Temporal CLI that devServer runs; for what only the CLI does, such as `temporal workflow show`. */
export async function temporalCli(): Promise<string> {
  return program(provided('cli') ?? (await findCli())).path;
}

/** Undefined where vitest runs without this project's globalSetup. */
function provided(server: keyof FoundServers): Found | undefined {
  return inject('temporalServers')?.[server];
}

function program(found: Found): FoundProgram {
  if ('failure' in found) throw new Error(found.failure);
  return found;
}
