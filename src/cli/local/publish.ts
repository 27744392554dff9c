import { join } from 'node:path';
import { createApiClient } from '../api-client.ts';
import { CommandError } from '../command-error.ts';
import { findApi } from '../find-api.ts';
import { recordsToPublish } from '../onboarding/show-onboarding.ts';
import { publishForTenant } from '../../dev/world/publish-for-tenant.ts';
import { WORLD_ZONES, ZONE_FILE } from '../../dev/world/start-world.ts';
import { openZoneStore } from '../../dev/world/zone-store.ts';

/** Adds a tenant's DNS records to the zone file of the DNS server of `sendoff dev`. Resolves with the exit code. */
export async function publish(tenantId: string, dataFolder: string): Promise<number> {
  // SENDOFF_URL is ignored: only a local deployment has a zone file.
  const view = await createApiClient(findApi(dataFolder, {})).get(tenantId);
  const { domain, records } = view.onboarding ?? { domain: '', records: [] };
  if (records.length === 0) {
    throw new CommandError(
      `${view.workflowId} has no DNS records yet. Show it with: npx sendoff status ${tenantId} --data ${dataFolder}`,
    );
  }
  publishForTenant(openZoneStore(WORLD_ZONES, join(dataFolder, ZONE_FILE)), { tenantId, domain, records });
  process.stdout.write(`Published:\n${recordsToPublish(records)}\n`);
  return 0;
}
