import type { HostName } from '../../agents-md/code-host.ts';
import type { CheckStore, StoredCheck } from '../../store/agents-md/check-store.ts';
import type { DueProducer } from '../../store/agents-md/producers.ts';
import type { Producers } from '../../store/agents-md/sql-producers.ts';

export interface CatalogueDependencies {
  readonly checks: CheckStore;
  readonly producers: Pick<Producers, 'due' | 'dueHosts' | 'keepDay'>;
}

/** What the sweep reads of the catalogue of producers, and the stored check of a producer, which the next check starts from. */
export function catalogueActivities({ checks, producers }: CatalogueDependencies) {
  return {
    /** Which hosts have producers that are due. Keeps the day's shares of each outcome, too. */
    async dueHosts(dueBy: string): Promise<HostName[]> {
      await producers.keepDay(dueBy.slice(0, 10));
      return producers.dueHosts(dueBy);
    },

    async dueProducers(page: Parameters<Producers['due']>[0]): Promise<DueProducer[]> {
      return producers.due(page);
    },

    async recallCheck(producerId: string): Promise<StoredCheck | null> {
      return (await checks.get(producerId)) ?? null;
    },

    /** See `CheckStore.replace`. */
    async rememberCheck(check: { stored: StoredCheck; basedOn: string | null }): Promise<StoredCheck | null> {
      return checks.replace(check.stored, check.basedOn);
    },
  };
}
