import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClosers } from '../src/lib/closers.ts';
import type { Bench, Figures, Lines, Scenario } from './scenario.ts';

/** The lines of every round, for each scenario by its name. */
export type Results = ReadonlyMap<string, readonly Lines[]>;

export interface RunRoundsOptions extends Omit<Bench, 'inside' | 'closers'> {
  readonly scenarios: readonly Scenario[];
  readonly rounds: number;
}

/**
 * Runs every scenario once in each round, so that a machine that becomes slower slows all of them. A round begins with the
 * scenario after the one that began the last.
 */
export async function runRounds({ scenarios, rounds, ...given }: RunRoundsOptions): Promise<Results> {
  const results = new Map<string, Lines[]>(scenarios.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    const first = round % scenarios.length;
    for (const scenario of [...scenarios.slice(first), ...scenarios.slice(0, first)]) {
      given.signal.throwIfAborted();
      given.report(`Round ${round + 1} of ${rounds}: ${scenario.name}`);
      const lines = await runOnce(scenario, given);
      for (const [title, figures] of Object.entries(lines)) given.report(`  ${title}: ${shownFigures(figures ?? {})}`);
      results.get(scenario.name)?.push(lines);
    }
  }
  return results;
}

async function runOnce(scenario: Scenario, given: Omit<Bench, 'inside' | 'closers'>): Promise<Lines> {
  const folder = mkdtempSync(join(tmpdir(), 'sendoff-bench-'));
  const closers = createClosers();
  try {
    const lines = await scenario.run({ ...given, closers, inside: (name) => join(folder, name) });
    await closers.close();
    rmSync(folder, { recursive: true, force: true });
    return lines;
  } catch (error) {
    await closers.close();
    if (!given.signal.aborted) given.report(`${scenario.name} failed; its logs are in ${folder}`);
    else rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

const shownFigures = (figures: Figures): string =>
  Object.entries(figures)
    .map(([title, value]) => `${title} ${value.toFixed(1)}`)
    .join(', ');
