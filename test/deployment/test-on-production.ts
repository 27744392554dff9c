import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject, test } from 'vitest';
import { LIGHT_GO } from '../support/light-go.ts';
import { packagedCommand } from '../support/packaged-command.ts';
import { startProductionInfrastructure } from './production-infrastructure.ts';
import { type Deployment, type DeploymentOptions, startDeployment } from './start-deployment.ts';
import { untilReady } from './until-ready.ts';

export interface OnProduction {
  readonly deployment: Deployment;
  readonly signal: AbortSignal;
  readonly report: (line: string) => void;
  /** What was reported, for a failure. */
  readonly reported: () => string;
}

interface ProductionTest extends Pick<DeploymentOptions, 'hasTwoOfEach' | 'measured' | 'settings'> {
  readonly timeLimitMs: number;
}

/** A test on the topology of production, which waits until all programs are ready; skipped where that cannot be had, unless CI is set. */
export function testOnProduction(
  name: string,
  { timeLimitMs, ...options }: ProductionTest,
  run: (started: OnProduction) => Promise<void>,
): void {
  test(
    name,
    async ({ skip }) => {
      const production = inject('production');
      if ('failure' in production) {
        if (process.env['CI'] !== undefined) throw new Error(production.failure);
        skip(production.failure);
        return;
      }
      const folder = mkdtempSync(join(tmpdir(), 'sendoff-production-'));
      const lines: string[] = [];
      const report = (line: string): void => void lines.push(line);
      const { signal } = new AbortController();
      try {
        const deployment = await startDeployment({
          ...{ folder, command: await packagedCommand(), logLevel: 'error', ...options, report, signal },
          startInfrastructure: ({ inside }) =>
            startProductionInfrastructure({ ...production, inside, durable: false, environment: LIGHT_GO, report }),
        });
        try {
          await untilReady(deployment.programs, signal);
          await run({ deployment, signal, report, reported: () => lines.join('\n') });
        } finally {
          await deployment.stop();
        }
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
    timeLimitMs,
  );
}
