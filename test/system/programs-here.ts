// Whole programs in the process of the test, with a Temporal server, DNS and mail of this machine.
import { rmSync } from 'node:fs';
import { expect } from 'vitest';
import type { SendoffClient } from '../../src/api-client/sendoff-client.ts';
import { type DataFolder, openDataFolder } from '../../src/dev/data-folder.ts';
import { freePort } from '../../src/dev/temporal/free-port.ts';
import { startWorld, type World } from '../../src/dev/world/start-world.ts';
import { domainZone } from '../../src/dev/world/world-zones.ts';
import { toZoneRecords } from '../../src/dev/world/zone-record.ts';
import type { Closers } from '../../src/lib/closers.ts';
import type { TemporalConfig } from '../../src/lib/temporal/temporal-config.ts';
import { devServer, type TestServer } from '../support/temporal.ts';
import { newDataFolder } from './running-sendoff.ts';

export interface Surroundings {
  readonly path: string;
  readonly folder: DataFolder;
  readonly temporal: TestServer;
  /** Of the programs. */
  readonly at: TemporalConfig;
  readonly world: World;
}

/** What programs need to start; `closers` end it. */
export async function startSurroundings(
  closers: Closers,
  server: Parameters<typeof devServer>[0],
): Promise<Surroundings> {
  const path = newDataFolder();
  closers.add(() => {
    rmSync(path, { recursive: true });
  });
  const temporal = await devServer(server);
  closers.add(() => temporal.stop());
  const folder = await openDataFolder(path, freePort);
  const world = await startWorld(folder);
  closers.add(() => world.stop());
  const at = { connectionOptions: { address: temporal.address }, namespace: temporal.namespace };
  return { path, folder, temporal, at, world };
}

export const startOnboarding = (client: SendoffClient, tenantId: string) =>
  client.PUT('/onboardings/{tenantId}', {
    params: { path: { tenantId } },
    body: {
      domain: `${tenantId}.test`,
      fromAddress: `hello@${tenantId}.test`,
      firstEmail: { recipient: `${tenantId}@inbox.test`, subject: 'Welcome', body: 'It works.' },
    },
  });

export const viewOf = async (client: SendoffClient, tenantId: string) =>
  (await client.GET('/onboardings/{tenantId}', { params: { path: { tenantId } } })).data;

/** Publishes the tenant's records as soon as they are shown. */
export async function publishRecords(
  client: SendoffClient,
  { dns }: Pick<World, 'dns'>,
  tenantId: string,
): Promise<void> {
  const recordsOf = async () => (await viewOf(client, tenantId)).onboarding.records;
  await expect.poll(async () => (await recordsOf()).length, { timeout: 240_000, interval: 200 }).toBeGreaterThan(0);
  dns.publish([...domainZone(`${tenantId}.test`), ...toZoneRecords(await recordsOf())]);
}
