import { counted } from '../../lib/counted.ts';
import type { StoredRecord } from './register.ts';

/** A link that was created; only its receiver has the token. */
interface NewSetupLink {
  readonly token: string;
  readonly record: StoredRecord;
}

/** The link that a valid token opens. */
export interface OpenedSetupLink {
  /** Names the link in this database; opens nothing. */
  readonly idHash: string;
  readonly record: StoredRecord;
}

/**
 * The links to tenants' setup pages. A link belongs to one onboarding: it opens while that one runs, and for OPEN_AFTER_END,
 * unless it is revoked or another onboarding of the tenant begins.
 */
export interface SetupLinks {
  /** Undefined if the tenant has no onboarding. */
  create(tenantId: string): Promise<NewSetupLink | undefined>;
  /** Revokes every link of the tenant. @returns how many links it revoked */
  revoke(tenantId: string): Promise<number>;
  /** Undefined for a token that opens nothing, whatever the reason: forged, unknown, expired or revoked. */
  open(token: string): Promise<OpenedSetupLink | undefined>;
  /** When the record of each link was last written (RFC 3339 UTC); links that open nothing any more are absent. One query. */
  versions(idHashes: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

const DAY_MS = 86_400_000;
const OPEN_AFTER_END_MS = 7 * DAY_MS;
export const OPEN_AFTER_END = counted(OPEN_AFTER_END_MS / DAY_MS, 'day');

/** When a link stops opening, RFC 3339 UTC; for a running onboarding as if it ended at its deadline, null before it has one. */
export function setupLinkExpiry({ endedAt, onboarding }: Pick<StoredRecord, 'endedAt' | 'onboarding'>): string | null {
  const end = endedAt ?? onboarding.verificationDeadline;
  return end === null ? null : new Date(Date.parse(end) + OPEN_AFTER_END_MS).toISOString();
}

/** Whether a link of the current onboarding opens. */
export const isOpen = (endedAt: string | null, nowMs: number): boolean =>
  endedAt === null || endedAt > openSince(nowMs);

/** Links of onboardings that ended later still open, RFC 3339 UTC. */
export const openSince = (nowMs: number): string => new Date(nowMs - OPEN_AFTER_END_MS).toISOString();
