import { setTimeout as delay } from 'node:timers/promises';
import type { DnsServer } from './dns-server.ts';
import type { ZoneRecord } from './zone-record.ts';

export interface Tenant {
  /** Publishes the records as they are shown, some time later. Resolves when that is done; rejects when the signal aborts. */
  publishLater(records: readonly ZoneRecord[], signal?: AbortSignal): Promise<void>;
}

export interface TenantOptions {
  readonly dns: Pick<DnsServer, 'publish'>;
  /** How long it takes to find the password of the DNS provider. */
  readonly publishAfterMs: number;
}

/** A tenant who does as the setup page says. */
export function createTenant({ dns, publishAfterMs }: TenantOptions): Tenant {
  return {
    async publishLater(records, signal) {
      await delay(publishAfterMs, undefined, { ...(signal && { signal }) });
      dns.publish(records.map(({ type, name, value }) => ({ type, name, value })));
    },
  };
}
