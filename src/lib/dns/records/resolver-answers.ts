import type { CollectedRecord } from '../collect/collected-record.ts';
import { judgeValues } from './compare-record.ts';
import type { CachedAnswer, CachedDenial, CachedRecord } from '../resolver/ask-caches.ts';

/** A resolver's answer that differs from those of all the zone's servers. */
export type Disagreement = (CachedRecord | CachedDenial) & {
  /** The resolver may have asked before the record was right. */
  readonly mayBeRemembered: boolean;
};

export function disagreements(record: CollectedRecord): readonly Disagreement[] {
  return (record.caches ?? []).flatMap((answer): Disagreement[] => {
    if (!disagrees(record, answer)) return [];
    return [{ ...answer, mayBeRemembered: mayBeRemembered(record, answer) }];
  });
}

export function disagrees(
  { expected, at }: CollectedRecord,
  answer: CachedAnswer,
): answer is CachedRecord | CachedDenial {
  if (answer.kind !== 'found') return answer.kind === 'denied';
  if (judgeValues(expected, answer.values) === 'found') return false;
  return !at.answers.some((ours) => ours.kind === 'found' && areSame(ours.values, answer.values));
}

/** TTLs are whole seconds, and the check takes a part of one. */
const JUST_NOW_SECONDS = 1;

/** Not if it asked just now, nor after an earlier check had found the record. */
function mayBeRemembered({ expected, at }: CollectedRecord, answer: CachedRecord | CachedDenial): boolean {
  const ttls = at.answers.flatMap((ours) => (ours.kind === 'found' ? [ours.ttlSeconds] : []));
  // The TTL of the earlier record is not known; it rarely changes with the value.
  const age = answer.kind === 'denied' ? answer.ageSeconds : Math.min(...ttls) - answer.secondsLeft;
  if (age === undefined || age < 0) return true;
  return age > JUST_NOW_SECONDS && age >= (expected.foundSecondsAgo ?? 0);
}

const areSame = (left: readonly string[], right: readonly string[]): boolean =>
  left.length === right.length && left.every((value) => right.includes(value));
