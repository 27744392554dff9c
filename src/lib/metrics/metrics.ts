// The metrics of this process, which Temporal Core's exporter serves beside its own. Until `exportMetrics`, nothing is measured. A label has
// few values: never a tenant, a domain, an address or an ID.
import type { MetricMeter } from '@temporalio/common';

export type Labels = Readonly<Record<string, string>>;

export interface Counter<Of extends Labels> {
  add(labels: Of): void;
}

export interface Histogram<Of extends Labels> {
  record(value: number, labels: Of): void;
}

export interface Gauge<Of extends Labels> {
  set(value: number, labels: Of): void;
  /** Its source has failed: every value becomes NaN, which no alert mistakes for a number and a graph leaves out. */
  forget(): void;
}

/** A call of the exporter takes 20 µs, which a request must not wait for. */
const COUNTED_EVERY_MS = 1_000;
const SAMPLED_EVERY_MS = 10_000;

let meter: MetricMeter | undefined;
const unopened: ((meter: MetricMeter) => void)[] = [];
const buckets: Record<string, number[]> = {};
const samples = new Set<() => void>();

/** Of the histograms that are defined, for the exporter. */
export const histogramBuckets = (): Record<string, number[]> => ({ ...buckets });

export const areMetricsExported = (): boolean => meter !== undefined;

/** Call it once, with the meter of an exporter. */
export function exportMetrics(to: MetricMeter): void {
  meter = to;
  for (const open of unopened.splice(0)) open(to);
  setInterval(sampleAll, SAMPLED_EVERY_MS).unref();
  sampleAll();
}

/** @param sample sets gauges of the process, every ten seconds. @returns ends that */
export function sampled(sample: () => void): () => void {
  samples.add(sample);
  return () => samples.delete(sample);
}

/** The name ends without `_total`, which the exporter adds. @param known labels whose count is shown from the start, as 0 */
export function counter<Of extends Labels>(name: string, help: string, known: readonly Of[] = []): Counter<Of> {
  const counted = new Map<string, { readonly labels: Of; times: number }>();
  const opened = defined((to) => {
    const made = to.createCounter(name, undefined, help);
    for (const labels of known) made.add(0, labels);
    return made;
  });
  function flush(): void {
    for (const { labels, times } of counted.values()) opened()?.add(times, labels);
    counted.clear();
  }
  return {
    add(labels) {
      if (opened() === undefined) return;
      const key = keyOf(labels);
      const same = counted.get(key);
      if (same !== undefined) {
        same.times += 1;
        return;
      }
      if (counted.size === 0) setTimeout(flush, COUNTED_EVERY_MS).unref();
      counted.set(key, { labels, times: 1 });
    },
  };
}

/** @param upTo the upper bounds of the buckets */
export function histogram<Of extends Labels>(name: string, help: string, upTo: readonly number[]): Histogram<Of> {
  buckets[name] = [...upTo];
  const opened = defined((to) => to.createHistogram(name, 'float', undefined, help));
  return { record: (value, labels) => opened()?.record(value, labels) };
}

export function gauge<Of extends Labels>(name: string, help: string): Gauge<Of> {
  const shown = new Map<string, Of>();
  const opened = defined((to) => to.createGauge(name, 'float', undefined, help));
  return {
    set(value, labels) {
      shown.set(keyOf(labels), labels);
      opened()?.set(value, labels);
    },
    forget() {
      for (const labels of shown.values()) opened()?.set(Number.NaN, labels);
    },
  };
}

/** What gauges are set from. `sweep`: what the sweep of the register records, in the process that has run it. */
type Source = 'process' | 'database' | 'sweep';

const measuredAt = gauge<{ readonly source: Source }>(
  'sendoff_measured_timestamp_seconds',
  'When the gauges of the process or of the database were last set, or the sweep last looked for stuck onboardings.',
);

/** Says that the gauges of a source are true now. */
export const noteMeasured = (source: Source): void => {
  measuredAt.set(Date.now() / 1_000, { source });
};

function sampleAll(): void {
  for (const sample of samples) sample();
  noteMeasured('process');
}

function defined<Instrument>(create: (meter: MetricMeter) => Instrument): () => Instrument | undefined {
  let made: Instrument | undefined;
  const open = (to: MetricMeter): void => void (made = create(to));
  if (meter === undefined) unopened.push(open);
  else open(meter);
  return () => made;
}

const keyOf = (labels: Labels): string => Object.values(labels).join('\0');
