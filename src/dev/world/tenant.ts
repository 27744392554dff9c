import { setTimeout as delay } from 'node:timers/promises';
import type { DnsServer } from './dns-server.ts';
import type { ZoneRecord } from './zone-record.ts';

export interface Tenant {
  /** Publishes the records after a delay. Rejects when the signal aborts. */
  publishLater(records: readonly ZoneRecord[], signal?: AbortSignal): Promise<void>;
}

export interface PlayedTenantOptions {
  readonly dns: Pick<DnsServer, 'publish'>;
  readonly publishAfterMs: number;
}

/** A tenant who publishes the records as shown. */
export function createTenant({ dns, publishAfterMs }: PlayedTenantOptions): Tenant {
  return {
    async publishLater(records, signal) {
      await delay(publishAfterMs, undefined, { ...(signal && { signal }) });
      dns.publish(records.map(({ type, name, value }) => ({ type, name, value })));
    },
  };
}
