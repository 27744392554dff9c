import type { ProducerRecord } from '../../store/agents-md/producers.ts';
import { shownPeriod } from './period.ts';

/** A producer as the API shows it. */
export type ProducerView = Omit<ProducerRecord, 'everyMs'> & { readonly every: string };

export const producerViewOf = ({ everyMs, ...record }: ProducerRecord): ProducerView => ({
  ...record,
  every: shownPeriod(everyMs),
});
