import type { CheckStore, StoredCheck } from '../store/check-store.ts';

export interface CheckRecordDependencies {
  readonly checks: CheckStore;
}

/** What one check of a producer leaves to the next. */
export function checkRecordActivities({ checks }: CheckRecordDependencies) {
  return {
    async recallCheck(producerId: string): Promise<StoredCheck | null> {
      return (await checks.get(producerId)) ?? null;
    },

    /** As `CheckStore.replace`. */
    async rememberCheck({
      stored,
      basedOn,
    }: {
      stored: StoredCheck;
      basedOn: string | null;
    }): Promise<StoredCheck | null> {
      return checks.replace(stored, basedOn);
    },
  };
}
