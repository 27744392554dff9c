import { pino } from 'pino';
import { afterEach, beforeEach } from 'vitest';
import { idleBackground } from '../support/idle-background.ts';
import { openTestStore, type TestStore } from '../support/test-store.ts';

export let prepared: TestStore;

/** Opens a store before each test of this file. */
export function useTestStore(): void {
  beforeEach(async () => {
    prepared = await openTestStore();
  });
  afterEach(async () => {
    await prepared.end();
  });
}

/** What the Activities of each Workflow need. */
export const activityParts = () => ({
  store: prepared.store,
  sealer: prepared.sealer,
  logger: pino({ level: 'silent' }),
  beginner: idleBackground,
  unrecorded: new Map(),
  now: () => new Date(),
});
