import { join } from 'node:path';
import { createApiClient } from '../api-client.ts';
import { CommandError } from '../command-error.ts';
import { findApi } from '../find-api.ts';
import { recordsToPublish } from '../onboarding/show-onboarding.ts';
import { publishForTenant } from '../../dev/world/publish-for-tenant.ts';
import { WORLD_ZONES, ZONE_FILE } from '../../dev/world/start-world.ts';
import { toZoneRecords } from '../../dev/world/zone-record.ts';
import { openZoneStore } from '../../dev/world/zone-store.ts';

/** Plays the tenant: puts its DNS records into the zone file that the DNS server of `sendoff dev` reads. Resolves with the exit code. */
export async function publish(tenantId: string, dataFolder: string): Promise<number> {
  // Only the set-up of the data folder has a zone that could be written; SENDOFF_URL may point elsewhere.
  const view = await createApiClient(findApi(dataFolder, {})).get(tenantId);
  const { domain, records } = view.onboarding ?? { domain: '', records: [] };
  if (records.length === 0) {
    throw new CommandError(
      `${view.workflowId} has no DNS records yet; see: npx sendoff status ${tenantId} --data ${dataFolder}`,
    );
  }
  publishForTenant(openZoneStore(WORLD_ZONES, join(dataFolder, ZONE_FILE)), domain, toZoneRecords(records));
  process.stdout.write(`Published:\n${recordsToPublish(records)}\n`);
  return 0;
}
