import { durationMs, DURATION_FORMS } from '../lib/duration.ts';
import { isObject, shown } from '../lib/json-value.ts';
import { withJitter } from '../lib/timing/with-jitter.ts';
import { type CheckInput, type CheckInputFault, checkInputFaults } from './check-input.ts';

/** A producer of the catalogue: where its file is, and how often it is checked. */
export interface Producer extends CheckInput {
  /** Whole seconds. */
  readonly everyMs: number;
  readonly paused: boolean;
  /** Sorted, without repetition. */
  readonly labels: readonly string[];
}

export const PRODUCERS_MAX = 50_000;
/** A request may name as many; a label names more. */
export const NAMED_PRODUCERS_MAX = 5_000;
export const LABELS_MAX = 20;
export const LABEL = /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,63}$/;
export const LABEL_RULE = '1 to 64 of A-Z a-z 0-9 . _ : / -, the first a letter or digit';
const EVERY_DEFAULT = '7d';
const EVERY_MS_MIN = 3_600_000;
const EVERY_MS_MAX = 365 * 86_400_000;
/** After a check that the host did not answer. */
const AGAIN_MS = 3_600_000;

/** Reads an entry as the API and the lines of a file have it: `every` is a duration. */
export function readProducer(value: unknown): Producer | CheckInputFault[] {
  if (!isObject(value)) return [{ field: '', problem: `must be an object; found ${shown(value)}` }];
  const { every = EVERY_DEFAULT, paused = false, labels = [], ...input } = value;
  const everyMs = Math.round((typeof every === 'string' ? (durationMs(every) ?? 0) : 0) / 1_000) * 1_000;
  const faults = [...checkInputFaults(input)];
  const check = (field: string, holds: boolean, expected: string): void => {
    if (!holds) faults.push({ field, problem: `must be ${expected}; found ${shown(value[field])}` });
  };
  check(
    'every',
    everyMs >= EVERY_MS_MIN && everyMs <= EVERY_MS_MAX,
    `a duration from 1h to 365d, written as ${DURATION_FORMS}`,
  );
  check('paused', typeof paused === 'boolean', 'true or false');
  const isLabel = (label: unknown): label is string => typeof label === 'string' && LABEL.test(label);
  const areLabels = Array.isArray(labels) && labels.length <= LABELS_MAX && labels.every(isLabel);
  check('labels', areLabels, `a list of at most ${LABELS_MAX} labels, each ${LABEL_RULE}`);
  if (faults.length > 0 || !areLabels) return faults;
  const own = [...new Set(labels)].toSorted();
  return { ...(input as unknown as CheckInput), everyMs, paused: paused === true, labels: own };
}

/**
 * When a producer is due after a check. The first result is followed by any share of the interval, so that producers that were
 * imported together spread over it.
 *
 * @param random 0 to 1, as from Math.random
 */
export function nextCheckMs(
  everyMs: number,
  { isConclusive, isFirst }: { isConclusive: boolean; isFirst: boolean },
  random: number,
): number {
  if (!isConclusive) return withJitter(Math.min(everyMs, AGAIN_MS), random);
  return isFirst ? Math.round(everyMs * random) : withJitter(everyMs, random);
}
