// `sendoff dev` with tenants in every state that the setup page has, and what their people do.
import { join } from 'node:path';
import { createApiClient, retryableCodes } from '../../src/cli/api-client.ts';
import { CommandError } from '../../src/cli/command-error.ts';
import { findApi } from '../../src/cli/find-api.ts';
import type { DnsMistake } from '../../src/dev/world/dns-mistake-names.ts';
import { dnsMistakes } from '../../src/dev/world/dns-mistakes.ts';
import { publishForTenant } from '../../src/dev/world/publish-for-tenant.ts';
import { domainZone, RECIPIENT_DOMAIN, WORLD_ZONES, ZONE_FILE } from '../../src/dev/world/world-zones.ts';
import { openZoneStore } from '../../src/dev/world/zone-store.ts';
import { openDatabase } from '../../src/store/database.ts';
import type { DnsRecord } from '../../src/onboarding/dns-record.ts';
import { Stage } from '../../src/onboarding/stage.ts';
import { waitUntil } from '../../src/lib/timing/wait-until.ts';

export interface SetupPageWorld {
  /** Onboards `tenantId` with the domain `<tenantId>.test`, until its records are known. */
  onboard(tenantId: string, options?: OnboardOptions): Promise<readonly DnsRecord[]>;
  /** Enters the tenant's records in place of its earlier ones. @param mistake undefined: as shown */
  publish(tenantId: string, mistake?: DnsMistake): Promise<void>;
  /** Adds TXT records to the tenant's zone. */
  publishTexts(texts: readonly { readonly name: string; readonly value: string }[]): void;
  checkNow(tenantId: string): Promise<void>;
  /** Resolves when a scheduled check has recorded the mistake. */
  scheduledCheck(tenantId: string, mistake: DnsMistake): Promise<void>;
  /** As last recorded. */
  records(tenantId: string): Promise<readonly DnsRecord[]>;
  cancel(tenantId: string): Promise<void>;
  /** Resolves when the onboarding has ended. */
  ended(tenantId: string): Promise<void>;
  /** The address of a new link. */
  link(tenantId: string): Promise<string>;
  /** Moves the end of an ended onboarding so far back that its links have expired. */
  expireLinks(tenantId: string): Promise<void>;
}

interface OnboardOptions {
  readonly verificationWindow?: string;
  /** Whether the server of the first email's recipient is down. */
  readonly recipientIsDown?: boolean;
}

/** False on a busy machine, whose Temporal server may answer too late. */
async function succeeds(call: () => Promise<unknown>): Promise<boolean> {
  try {
    await call();
    return true;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    // A check of its own was earlier, and the onboarding waits no more.
    if (error.code === 'update_refused') return true;
    if ([...retryableCodes, 'no_worker_answered'].includes(error.code)) return false;
    throw error;
  }
}

const domainOf = (tenantId: string): string => `${tenantId}.test`;
/** No server listens at its address. */
const DOWN_DOMAIN = 'down.test';

/** @param data the data folder of a running `sendoff dev` */
export function openSetupPageWorld(data: string): SetupPageWorld {
  const address = findApi(data, {});
  const api = createApiClient(address);
  const zones = openZoneStore(WORLD_ZONES, join(data, ZONE_FILE));
  const until = async (tenantId: string, what: string, holds: () => Promise<boolean>): Promise<void> => {
    if (!(await waitUntil(holds, { timeoutMs: 180_000 }))) throw new Error(`${tenantId}: ${what} did not happen`);
  };
  zones.publish([
    ...domainZone(DOWN_DOMAIN),
    { name: DOWN_DOMAIN, type: 'MX', value: `10 mx.${DOWN_DOMAIN}` },
    { name: `mx.${DOWN_DOMAIN}`, type: 'A', value: '127.0.0.2' },
  ]);
  return {
    async onboard(tenantId, { verificationWindow, recipientIsDown = false } = {}) {
      const domain = domainOf(tenantId);
      const recipient = `ada@${recipientIsDown ? DOWN_DOMAIN : RECIPIENT_DOMAIN}`;
      await api.put({
        ...{ tenantId, domain, fromAddress: `hello@${domain}` },
        firstEmail: { recipient, subject: 'Hello', body: 'It works.' },
        ...(verificationWindow !== undefined && { verificationWindow }),
      });
      let records: readonly DnsRecord[] = [];
      await until(tenantId, 'the registration of its domain', async () => {
        const { onboarding } = await api.get(tenantId);
        ({ records } = onboarding);
        return records.length > 0 && onboarding.stage === Stage.awaitingDomain;
      });
      return records;
    },
    async publish(tenantId, mistake) {
      const { records } = (await api.get(tenantId)).onboarding;
      publishForTenant(zones, { tenantId, domain: domainOf(tenantId), records, mistake });
    },
    publishTexts(texts) {
      zones.publish(texts.map((text) => ({ ...text, type: 'TXT' })));
    },
    checkNow: (tenantId) => until(tenantId, 'a check', () => succeeds(() => api.checkNow(tenantId))),
    scheduledCheck: (tenantId, mistake) =>
      until(tenantId, 'a scheduled check', async () => {
        const { onboarding } = await api.get(tenantId);
        return onboarding.records.some(({ findings }) =>
          findings.some(({ code }) => code === dnsMistakes[mistake].finding),
        );
      }),
    records: async (tenantId) => (await api.get(tenantId)).onboarding.records,
    async cancel(tenantId) {
      await api.cancel(tenantId);
    },
    ended: (tenantId) =>
      until(tenantId, 'the end of its onboarding', async () => (await api.get(tenantId)).outcome !== 'running'),
    async link(tenantId) {
      const answer = await fetch(`${address.url}/onboardings/${tenantId}/setup-link`, {
        method: 'POST',
        headers: { authorization: `Bearer ${address.apiToken}` },
      });
      if (answer.status !== 201) throw new Error(`no setup link: ${answer.status} ${await answer.text()}`);
      return ((await answer.json()) as { url: string }).url;
    },
    async expireLinks(tenantId) {
      const database = await openDatabase(`file:${join(data, 'sendoff.db')}`);
      try {
        const endedAt = '2020-01-01T00:00:00.000Z';
        await database
          .updateTable('onboardings')
          .set({ ended_at: endedAt })
          .where('tenant_id', '=', tenantId)
          .execute();
      } finally {
        await database.destroy();
      }
    },
  };
}
