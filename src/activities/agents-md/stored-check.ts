import type { CheckStore, StoredCheck } from '../../store/agents-md/check-store.ts';

export interface StoredCheckDependencies {
  readonly checks: CheckStore;
}

/** The stored check of a producer, which the next check starts from. */
export function storedCheckActivities({ checks }: StoredCheckDependencies) {
  return {
    async recallCheck(producerId: string): Promise<StoredCheck | null> {
      return (await checks.get(producerId)) ?? null;
    },

    /** See `CheckStore.replace`. */
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
