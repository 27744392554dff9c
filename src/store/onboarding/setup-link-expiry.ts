// Without the database: commands that only call the HTTP API say how long a link opens.
import { counted } from '../../lib/counted.ts';
import type { StoredRecord } from './register.ts';

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
