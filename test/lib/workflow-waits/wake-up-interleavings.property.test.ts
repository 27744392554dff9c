import { expect, test } from 'vitest';
import { seededChances } from '../../support/seeded-chances.ts';
import { simulateWait, type Simulated } from './simulate-wait.ts';

// SEED=<number> runs a single interleaving.
const INTERLEAVINGS = 10_000;
const only = process.env['SEED'];
const seeds = only === undefined ? Array.from({ length: INTERLEAVINGS }, (_, index) => index + 1) : [Number(only)];

/** The rules that an interleaving breaks. */
function faultsOf(run: Simulated): string[] {
  const faults: string[] = [];
  const expectThat = (holds: boolean, rule: string): void => {
    if (!holds) faults.push(rule);
  };
  const { endings, signals, rounds, verifiedAt, endedAt, deadlineAtEnd } = run;
  expectThat(endings.length === 1, `one transition, not ${endings.length} (${endings.join(', ')})`);
  const [ending] = endings;
  if (run.answeredAt !== undefined) {
    expectThat(ending === 'answered' && endedAt <= run.answeredAt + run.checkMsMax, 'the first answer ends the wait');
  }
  if (ending === 'expired') {
    expectThat(endedAt <= run.expiresBy, 'a deadline that has passed is noticed at once');
    expectThat(endedAt >= deadlineAtEnd, 'nothing expires before its deadline');
    expectThat(verifiedAt > deadlineAtEnd - run.pollGapMs, 'an answer that polling must have seen is not lost');
  }
  if (ending === 'answered') {
    expectThat(verifiedAt <= endedAt, 'no wait ends with an answer before there is one');
    expectThat(endedAt <= verifiedAt + run.pollGapMs, `the answer is found within the schedule`);
  }
  if (run.expectedFailure && run.answeredAt === undefined)
    expectThat(ending === 'failed', 'a failure that is not retryable ends the wait');
  else expectThat(ending !== 'failed', 'a retryable failure does not end the wait');
  expectThat(signals <= run.signalsMax, `at most ${run.signalsMax} Signals, not ${signals}`);
  expectThat(rounds <= run.roundsMax, `at most ${run.roundsMax} rounds, not ${rounds}`);
  for (const lagMs of run.legitLagsMs) {
    expectThat(
      lagMs <= run.legitLagMaxMs,
      `a wake-up outside a storm is noticed within ${run.legitLagMaxMs} ms, not ${lagMs}`,
    );
  }
  expectThat(run.doubledSignals === 0, `no webhook becomes two Signals, not ${run.doubledSignals}`);
  return faults;
}

test(`ends once, loses nothing and stays bounded in ${seeds.length} interleavings of webhooks, polls and moved deadlines`, async () => {
  const kinds = new Map<string, number>();
  for (const seed of seeds) {
    const run = await simulateWait(seededChances(seed));
    const faults = faultsOf(run);
    if (faults.length > 0) expect(faults, `SEED=${seed}\n${run.log.slice(-40).join('\n')}`).toEqual([]);
    for (const kind of [...run.endings, ...run.met]) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  if (only !== undefined) return;
  // Each kind of event must happen often enough to be tested.
  for (const kind of [
    'answered',
    'failed',
    'expired',
    'storm',
    'answerInFlight',
    'checked: answered',
    'checked: notYet',
    'checked: unanswered',
    'deadlineMoved',
    'doubled',
    'late',
    'early',
  ]) {
    expect(kinds.get(kind) ?? 0, kind).toBeGreaterThan(100);
  }
});
