import type { HostName } from '../../agents-md/code-host.ts';
import type { DueProducer, Producers } from '../../store/agents-md/producers.ts';

export interface DueProducersDependencies {
  readonly producers: Pick<Producers, 'due' | 'dueHosts' | 'keepDay'>;
}

/** For the sweep of the catalogue. */
export function dueProducersActivities({ producers }: DueProducersDependencies) {
  return {
    /** Which hosts have producers that are due. Keeps the day's shares of each outcome, too. */
    async dueHosts(dueBy: string): Promise<HostName[]> {
      await producers.keepDay(dueBy.slice(0, 10));
      return producers.dueHosts(dueBy);
    },

    async dueProducers(page: Parameters<Producers['due']>[0]): Promise<DueProducer[]> {
      return producers.due(page);
    },
  };
}
