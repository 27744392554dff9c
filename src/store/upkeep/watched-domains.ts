import type { DomainWatch } from '../../onboarding/domain-watch.ts';

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

/** The watch of a tenant's domain as the API shows it. */
export type DomainWatchView = Omit<WatchedDomain, 'tenantId' | 'attemptId' | 'domainId'>;

export const domainWatchOf = (watched: WatchedDomain | undefined): DomainWatchView | null => {
  if (watched === undefined) return null;
  const { tenantId, attemptId, domainId, ...view } = watched;
  return view;
};
