import {
  type Backfill,
  type ScheduleDescription,
  type ScheduleOptions,
  ScheduleOverlapPolicy,
} from '@temporalio/client';
import { createHash } from 'node:crypto';
import { type CheckInput, comparableCheck, summaryOf } from '../../agents-md/check-input.ts';
import { checkScheduleId, checkWorkflowId } from '../../agents-md/check-ids.ts';
import { CHECK_TASK_QUEUE, CHECK_WORKFLOW_TYPE } from '../../workflows/messages.ts';
import { producerKey } from '../../workflows/search-attributes.ts';
import { differingFields } from '../../lib/differing-fields.ts';

/** After a longer outage of Temporal, missed runs are skipped. No period is shorter, so at most one run is made up for. */
const CATCHUP_WINDOW_MS = 3_600_000;

export function checkSchedule(input: CheckInput, everyMs: number) {
  const { producerId } = input;
  const typedSearchAttributes = [{ key: producerKey, value: producerId }];
  return {
    scheduleId: checkScheduleId(producerId),
    spec: {
      intervals: [{ every: everyMs, offset: offsetMs(producerId, everyMs) }] satisfies [object],
      jitter: wholeSeconds(everyMs / 10),
    },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: CATCHUP_WINDOW_MS },
    action: {
      type: 'startWorkflow',
      workflowType: CHECK_WORKFLOW_TYPE,
      // Temporal appends the time of each run.
      workflowId: checkWorkflowId(producerId),
      taskQueue: CHECK_TASK_QUEUE,
      args: [input] satisfies [CheckInput],
      staticSummary: summaryOf(input),
      typedSearchAttributes,
    },
    typedSearchAttributes,
  } satisfies ScheduleOptions;
}

export type CheckSchedule = ReturnType<typeof checkSchedule>;

/**
 * The last run that would have been due before now. As part of the creation it runs exactly once, even with concurrent
 * or crashing callers, and later runs wait for it; they would not wait for a run of the SDK's `triggerImmediately`.
 */
export function firstRun({ spec }: CheckSchedule, nowMs: number): Backfill {
  const [{ every, offset }] = spec.intervals;
  // The range contains exactly one time of the interval, with any jitter.
  const start = Math.floor((nowMs - spec.jitter - offset) / every) * every + offset;
  return { start: new Date(start), end: new Date(start + spec.jitter), overlap: ScheduleOverlapPolicy.SKIP };
}

/** Intervals count from the epoch: without offsets, the whole catalogue would be checked at once. */
function offsetMs(producerId: string, everyMs: number): number {
  const chance = createHash('sha256').update(producerId).digest().readUInt32BE() / 2 ** 32;
  return wholeSeconds(chance * everyMs);
}

const wholeSeconds = (ms: number): number => Math.floor(ms / 1_000) * 1_000;

/** The fields in which a Schedule differs. */
export function changesIn({ action, spec, policies }: ScheduleDescription, wanted: CheckSchedule): string[] {
  const [interval] = spec.intervals ?? [];
  const [wantedInterval] = wanted.spec.intervals;
  const fields = differingFields(comparableCheck(wanted.action.args[0]), comparableCheck(inputOf(action)));
  if (interval?.every !== wantedInterval.every) return [...fields, 'every'];
  const isLaidOutSo =
    interval.offset === wantedInterval.offset &&
    spec.jitter === wanted.spec.jitter &&
    policies.overlap === wanted.policies.overlap &&
    policies.catchupWindow === wanted.policies.catchupWindow &&
    action.taskQueue === wanted.action.taskQueue;
  return isLaidOutSo ? fields : [...fields, 'policies'];
}

/** Empty if another program created the Schedule. */
export const inputOf = ({ args }: ScheduleDescription['action']): Partial<CheckInput> =>
  (args?.[0] ?? {}) as Partial<CheckInput>;
