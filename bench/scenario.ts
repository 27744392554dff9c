import type { Closers } from '../src/lib/closers.ts';
import type { ProductionPrograms } from '../test/deployment/find-production.ts';

/** What one run of a scenario measured: values by the title of their column, which names the unit. */
export type Figures = Readonly<Record<string, number>>;

/** By the title of its line in the table. */
export type Lines = Readonly<Partial<Record<string, Figures>>>;

/** It starts everything that it measures, so that no scenario slows down the next. */
export interface Scenario {
  /** For `--only`. */
  readonly name: string;
  /** The title of its table. */
  readonly table: string;
  /** For `--help`. */
  readonly title: string;
  run(bench: Bench): Promise<Lines>;
}

/** What a run of a scenario is given. */
export interface Bench {
  /** Measures for seconds instead of half a minute: to check that a scenario works, not to compare. */
  readonly quick: boolean;
  /** The package's `bin/sendoff.js`. */
  readonly command: string;
  readonly temporal: TemporalPrograms;
  /** Path of a file in a folder of this run. */
  readonly inside: (name: string) => string;
  /** Stops what the run has started. */
  readonly closers: Closers;
  /** Takes one line about what is being done. */
  readonly report: (line: string) => void;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}

export type TemporalPrograms =
  | { readonly kind: 'dev'; readonly cli: string }
  | { readonly kind: 'postgres'; readonly production: ProductionPrograms };
