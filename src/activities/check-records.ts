import type { PreviousCheck } from '../agents-md/check-result.ts';
import type { CheckStore } from '../check-store/check-store.ts';

export interface CheckRecordDependencies {
  readonly checks: CheckStore;
}

/** What one check of a producer leaves to the next. */
export function checkRecordActivities({ checks }: CheckRecordDependencies) {
  return {
    async recallCheck(producerId: string): Promise<PreviousCheck | null> {
      return (await checks.get(producerId)) ?? null;
    },

    async rememberCheck(check: PreviousCheck): Promise<void> {
      await checks.put(check);
    },
  };
}
