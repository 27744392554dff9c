// The production topology with every process apart, which no other test starts: roles, load balancers, the Temporal server of
// production and the SQL of PostgreSQL at once.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { findProduction, type ProductionPrograms } from '../deployment/find-production.ts';
import { startProductionInfrastructure } from '../deployment/production-infrastructure.ts';
import { startDeployment } from '../deployment/start-deployment.ts';
import { untilReady } from '../deployment/until-ready.ts';
import { packagedCommand } from '../support/packaged-command.ts';
import { topologyRun } from './topology-run.ts';

/** Compiling the Temporal server takes four minutes on two idle processors, once on a machine. */
const FOUND_WITHIN_MS = 30 * 60_000;

/** Half a minute on an idle machine; nine processes start at once. */
const TIME_LIMIT_MS = 4 * 60_000;

let production: ProductionPrograms | Error;

beforeAll(async () => {
  const report = (line: string): void => void process.stderr.write(`[topology] ${line}\n`);
  production = await findProduction({ report }).catch((error: unknown) => error as Error);
}, FOUND_WITHIN_MS);

test(
  'two servers, two Workers and three email services on PostgreSQL onboard tenants, each with one message',
  async ({ skip }) => {
    if (production instanceof Error) {
      if (process.env['CI'] !== undefined) throw production;
      skip(production.message);
      return;
    }
    const programs = production;
    const folder = mkdtempSync(join(tmpdir(), 'sendoff-topology-'));
    const lines: string[] = [];
    const report = (line: string): void => void lines.push(line);
    const { signal } = new AbortController();
    try {
      const deployment = await startDeployment({
        ...{ folder, command: await packagedCommand(), logLevel: 'error', report, signal },
        startInfrastructure: ({ inside }) =>
          startProductionInfrastructure({ ...programs, inside, durable: false, report }),
      });
      try {
        await untilReady(deployment.programs, signal);
        const result = await topologyRun(deployment, { tenants: 4, restart: false, report, signal });
        expect(result, lines.join('\n')).toMatchObject({
          onboardings: { onboarded: 3, EmailBounced: 1 },
          messages: 3,
          retriedAfter: {},
          faults: [],
          ownEnds: {},
        });
      } finally {
        await deployment.stop();
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  TIME_LIMIT_MS,
);
