// The short form of `npm run test:crash -- --kills 100`.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startEmbeddedInfrastructure } from '../deployment/embedded-infrastructure.ts';
import { LIGHT_GO } from '../support/light-go.ts';
import { packagedCommand } from '../support/packaged-command.ts';
import { temporalCli } from '../support/temporal.ts';
import { shownReport } from './crash-report.ts';
import { crashRun } from './crash-run.ts';

/** The waiting after the last kill may take six and a half minutes; as a rule all is over within one and a half. */
const TIME_LIMIT_MS = 9 * 60_000;

test(
  'every onboarding ends while every process is killed at random moments: each good tenant has one message, and every leftover is listed',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sendoff-crash-'));
    const lines: string[] = [];
    const cli = await temporalCli();
    try {
      const report = await crashRun({
        ...{ database: 'sqlite', seed: 1, kills: 6, onboardings: 10, folder, logLevel: 'error' },
        command: await packagedCommand(),
        startInfrastructure: ({ inside }) =>
          startEmbeddedInfrastructure({ inside, temporalCli: cli, environment: LIGHT_GO }),
        report: (line) => lines.push(line),
        signal: new AbortController().signal,
      });
      const all = [...lines, shownReport(report)].join('\n');
      expect(report.faults, all).toEqual([]);
      expect(
        Object.values(report.kills).every((count) => count > 0),
        all,
      ).toBe(true);
      expect(Object.values(report.onboardings).reduce((sum, count) => sum + count, 0)).toBe(10);
      expect(report.onboardings, all).toMatchObject({ DomainVerificationTimedOut: 2, EmailBounced: 1 });
      expect(report.messages, all).toBeGreaterThanOrEqual(5);
      expect(report.emails, all).toBeGreaterThanOrEqual(8);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  TIME_LIMIT_MS,
);
