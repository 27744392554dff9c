import { join } from 'node:path';
import { createApiClient } from '../api-client.ts';
import { CommandError } from '../command-error.ts';
import { findApi } from '../find-api.ts';
import { shellWord } from '../shell-word.ts';
import { recordsToPublish } from '../onboarding/show-onboarding.ts';
import type { DnsMistake } from '../../dev/world/dns-mistake-names.ts';
import { dnsMistakes } from '../../dev/world/dns-mistakes.ts';
import { publishForTenant } from '../../dev/world/publish-for-tenant.ts';
import { WORLD_ZONES, ZONE_FILE } from '../../dev/world/world-zones.ts';
import type { ZoneRecord } from '../../dev/world/zone-record.ts';
import { openZoneStore } from '../../dev/world/zone-store.ts';

/**
 * Publishes a tenant's DNS records in the zone file of the DNS server of `sendoff dev`, in place of earlier ones. Resolves with
 * the exit code.
 */
export async function publish(
  tenantId: string,
  { data, mistake }: { data: string; mistake?: DnsMistake },
): Promise<number> {
  // SENDOFF_URL is ignored: only a local deployment has a zone file.
  const view = await createApiClient(findApi(data, {})).get(tenantId);
  const { domain, records } = view.onboarding;
  if (records.length === 0) {
    throw new CommandError(
      `${view.workflowId} has no DNS records yet. Show it with: sendoff status ${shellWord(tenantId)} --data ${shellWord(data)}`,
    );
  }
  const zones = openZoneStore(WORLD_ZONES, join(data, ZONE_FILE));
  const entered = publishForTenant(zones, { tenantId, domain, records, mistake });
  process.stdout.write(
    mistake === undefined ? `Published:\n${recordsToPublish(records)}\n` : `${showMistake(mistake, entered)}\n`,
  );
  return 0;
}

function showMistake(mistake: DnsMistake, entered: readonly ZoneRecord[]): string {
  const lines = entered.map(({ type, name, value }) => `  ${type.padEnd(4)} ${name}\n       ${value}`);
  return [
    `Published as a tenant who ${dnsMistakes[mistake].meaning}:`,
    ...(lines.length === 0 ? ['  nothing'] : lines),
  ].join('\n');
}
