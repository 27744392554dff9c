import type { OnboardingEventType } from '../../onboarding/onboarding-events.ts';

export const notificationStatuses = ['pending', 'delivered', 'failed'] as const;
/** `failed`: given up. */
export type NotificationStatus = (typeof notificationStatuses)[number];

/** An event that the backend is notified of. Times are RFC 3339 UTC. */
export interface StoredNotification {
  /** `evt_…`, the `webhook-id` of every delivery. */
  readonly id: string;
  /** Its place in the register's order of events. */
  readonly position: number;
  readonly tenantId: string;
  readonly type: OnboardingEventType;
  /** When it happened. */
  readonly at: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly status: NotificationStatus;
  /** Since it happened or was last replayed. */
  readonly attempts: number;
  readonly lastAttemptAt: string | null;
  /** Error of the last attempt that was not accepted. */
  readonly lastError: string | null;
  readonly deliveredAt: string | null;
  readonly replayedAt: string | null;
}

interface NotificationFilter {
  readonly tenantId?: string | undefined;
  readonly status?: NotificationStatus | undefined;
  readonly type?: OnboardingEventType | undefined;
}

export interface NotificationQueue {
  /** The tenant's next one to deliver: in the order of the events, replayed ones last. */
  next(tenantId: string): Promise<StoredNotification | undefined>;
  /** Counts an attempt that is about to begin. @returns the attempts so far, 1 for the first */
  beginAttempt(id: string, at: string): Promise<number>;
  /** @param error null if the attempt was accepted */
  endAttempt(id: string, status: NotificationStatus, error: string | null, at: string): Promise<void>;
  /** Tenants with a pending notification, in the order of their IDs. */
  readonly tenants: (page: { after: string; limit: number }) => Promise<string[]>;
  /** When the oldest pending one happened, without those that were replayed. */
  oldestPending(): Promise<string | undefined>;
  get(id: string): Promise<StoredNotification | undefined>;
  /** The latest first. @param page.before a position */
  list(filter: NotificationFilter, page: { limit: number; before?: number | undefined }): Promise<StoredNotification[]>;
  /** Delivers it again, after the tenant's pending ones. A pending one does not change. */
  replay(id: string, at: string): Promise<StoredNotification | undefined>;
}
