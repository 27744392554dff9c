import type { DomainWatch, MutedRecord } from '../../onboarding/domain-watch.ts';

/** The domain of a tenant whose onboarding succeeded. */
export interface WatchedDomain extends DomainWatch {
  readonly tenantId: string;
  /** A new onboarding begins a new watch. */
  readonly attemptId: string;
  readonly domainId: string;
  /** RFC 3339 UTC; null once the domain is gone. */
  readonly nextCheckAt: string | null;
}

/** A place in the order in which domains fall due. */
export interface WatchPosition {
  readonly nextCheckAt: string;
  readonly tenantId: string;
}

export interface WatchedDomains {
  /** Undefined unless the tenant's latest onboarding succeeded. */
  get(tenantId: string): Promise<WatchedDomain | undefined>;
  /** Those of these tenants that are watched, by tenant. */
  getAll(tenantIds: readonly string[]): Promise<ReadonlyMap<string, WatchedDomain>>;
  /** @param page.dueBy RFC 3339 UTC; `after`: the last of the previous page */
  due(page: { dueBy: string; after: WatchPosition | null; limit: number }): Promise<WatchPosition[]>;
  /** See `muteRecord`. Undefined if the tenant's domain is not watched. */
  mute(tenantId: string, record: MutedRecord): Promise<WatchedDomain | undefined>;
  /** The domain is due at once. Undefined if the tenant's domain is not watched. */
  unmute(tenantId: string, purpose: string, at: string): Promise<WatchedDomain | undefined>;
}

/** The watch of a tenant's domain as the API shows it. */
export type DomainWatchView = Omit<WatchedDomain, 'tenantId' | 'attemptId' | 'domainId'>;

export const domainWatchOf = (watched: WatchedDomain | undefined): DomainWatchView | null => {
  if (watched === undefined) return null;
  const { tenantId, attemptId, domainId, ...view } = watched;
  return view;
};
