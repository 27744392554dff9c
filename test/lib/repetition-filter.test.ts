import type { LogEntry } from '@temporalio/worker';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createRepetitionFilter } from '../../src/lib/repetition-filter.ts';
import { logTo } from '../../src/lib/temporal/temporal-runtime.ts';

test('the first line passes, and then one line a minute with the number of those left out', () => {
  let now = 0;
  const filter = createRepetitionFilter(() => now);
  const answers = Array.from({ length: 125 }, (_, second) => {
    now = second * 1_000;
    return filter('away');
  });
  expect(answers.filter((answer) => answer !== undefined)).toEqual([0, 59, 59]);
  expect(filter('another')).toBe(0);
});

test('thousands of different lines are not remembered', () => {
  const filter = createRepetitionFilter(() => 0);
  for (let index = 0; index < 5_000; index++) expect(filter(String(index))).toBe(0);
});

test('retries of the SDK during an outage are a line a minute for each call, with the cause; other lines all pass', () => {
  const lines: Record<string, unknown>[] = [];
  let now = 0;
  const log = logTo(
    pino({ level: 'debug' }, { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) }),
    () => now,
  );
  const entry = (message: string, meta: NonNullable<LogEntry['meta']>): LogEntry => ({
    level: 'WARN',
    message,
    meta,
    timestampNanos: 0n,
  });
  for (let second = 0; second < 100; second++) {
    now = second * 1_000;
    for (const call of ['poll_workflow_task_queue', 'poll_activity_task_queue']) {
      const message = `gRPC call ${call} retried ${String(second + 6)} times`;
      log(entry(message, { sdkComponent: 'core', error: 'transport error' }));
    }
    log(entry('a check was ended from outside', { sdkComponent: 'workflow' }));
  }
  const core = lines.filter(({ sdkComponent }) => sdkComponent === 'core');
  expect(core.map(({ msg, leftOut, error }) => [msg, leftOut, error])).toEqual([
    ['gRPC call poll_workflow_task_queue retried 6 times', undefined, 'transport error'],
    ['gRPC call poll_activity_task_queue retried 6 times', undefined, 'transport error'],
    ['gRPC call poll_workflow_task_queue retried 66 times', 59, 'transport error'],
    ['gRPC call poll_activity_task_queue retried 66 times', 59, 'transport error'],
  ]);
  expect(lines.length - core.length).toBe(100);
});

test('a Workflow Task that fails is logged for each execution', () => {
  const lines: Record<string, unknown>[] = [];
  const log = logTo(
    pino({ level: 'debug' }, { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) }),
    () => 0,
  );
  for (const runId of ['run-1', 'run-2', 'run-1', 'run-3'])
    log({
      ...{ level: 'WARN', message: 'Failing workflow task', timestampNanos: 0n },
      meta: { sdkComponent: 'core', run_id: runId, failure: '[TMPRL1100] Nondeterminism error' },
    });
  expect(lines.map(({ run_id }) => run_id)).toEqual(['run-1', 'run-2', 'run-3']);
});
