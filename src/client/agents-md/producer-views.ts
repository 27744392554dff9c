import type { ProducerRecord } from '../../store/agents-md/producers.ts';

/** A producer as the API shows it. */
export type ProducerView = Omit<ProducerRecord, 'everyMs'> & { readonly every: string };

export const producerViewOf = ({ everyMs, ...record }: ProducerRecord): ProducerView => ({
  ...record,
  every: shownPeriod(everyMs),
});

const UNITS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 } as const;

/** `7d`, `36h`, `90m`: in the largest unit without a fraction. */
export function shownPeriod(ms: number): string {
  const unit = (['d', 'h', 'm'] as const).find((name) => ms >= UNITS[name] && ms % UNITS[name] === 0) ?? 's';
  return `${ms / UNITS[unit]}${unit}`;
}
