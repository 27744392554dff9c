import { beforeEach, describe, expect, test } from 'vitest';
import { createProgressBar, type ProgressBar } from '../../../src/cli/agents-md/progress-bar.ts';

let written: string;
let nowMs: number;
beforeEach(() => {
  written = '';
  nowMs = 0;
});

const stream = (changes: { isTTY?: boolean; columns?: number } = {}) => ({
  write: (text: string) => (written += text),
  ...changes,
});
const progressOn = (changes: { isTTY?: boolean; columns?: number } = {}) =>
  createProgressBar(stream(changes), () => nowMs);

function shown(progress: ProgressBar, atMs: number, done: number, total = 1_000): string {
  nowMs = atMs;
  written = '';
  progress.show({ total, answered: done, outcomes: { pass: done, partial: 0, fail: 0, inconclusive: 0 } });
  return written;
}

describe('the estimate', () => {
  test('is missing until there are enough samples', () => {
    const progress = progressOn({ isTTY: true, columns: 200 });
    expect(shown(progress, 0, 0)).toContain('estimating');
    expect(shown(progress, 4_000, 4)).toContain('estimating');
  });

  test('uses only checks finished since the command started', () => {
    const progress = progressOn({ isTTY: true, columns: 200 });
    shown(progress, 0, 900);
    expect(shown(progress, 10_000, 910)).toContain('910/1000  pass 910  10s  about 1m30s left');
  });

  test('uses the last two minutes, so that a rate limit shows', () => {
    const progress = progressOn({ isTTY: true, columns: 200 });
    for (let second = 0; second <= 100; second++) shown(progress, second * 1_000, second);
    expect(shown(progress, 100_000, 100)).toContain('about 15m00s left');
    expect(shown(progress, 215_000, 100)).toMatch(/about \d+h\d\dm left/);
    expect(shown(progress, 330_000, 100)).toContain('nothing finished for 1m55s');
  });

  test('is missing once it has proved wrong', () => {
    const progress = progressOn({ isTTY: true, columns: 200 });
    for (let second = 0; second <= 100; second++) shown(progress, second * 1_000, second, 101);
    expect(shown(progress, 104_000, 100, 101)).toContain('about 1s left');
    expect(shown(progress, 106_000, 100, 101)).toContain('nothing finished for 6s');
  });

  test('is missing at the end', () => {
    expect(shown(progressOn({ isTTY: true, columns: 200 }), 1_000, 5, 5)).toMatch(/5\/5 {2}pass 5 {2}1s$/);
  });
});

test('draws one bar that fits the terminal and can be removed', () => {
  const progress = progressOn({ isTTY: true, columns: 40 });
  const drawn = shown(progress, 0, 500);
  expect(drawn.startsWith('\r\u001b[2K████████████░░░░░░░░░░░░  500/1000')).toBe(true);
  expect(drawn.replace('\r\u001b[2K', '')).toHaveLength(39);
  written = '';
  progress.clear();
  expect(written).toBe('\r\u001b[2K');
});

test('prints a line every 15 seconds, and a last one, outside a terminal', () => {
  const progress = progressOn();
  expect(shown(progress, 0, 0)).toBe('0/1000  0s  estimating\n');
  expect(shown(progress, 14_000, 10)).toBe('');
  expect(shown(progress, 15_000, 15)).toContain('15/1000');
  expect(shown(progress, 16_000, 1_000)).toContain('1000/1000');
  expect(shown(progress, 40_000, 1_000)).toBe('');
  written = '';
  progress.clear();
  expect(written).toBe('');
});
