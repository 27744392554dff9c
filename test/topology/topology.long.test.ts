// The production topology with every process apart, which no other test starts: roles, load balancers, the Temporal server of
// production and the SQL of PostgreSQL at once.
import { expect } from 'vitest';
import { testOnProduction } from '../deployment/test-on-production.ts';
import { topologyRun } from './topology-run.ts';

testOnProduction(
  'two servers, two Workers and three email services on PostgreSQL onboard tenants, each with one message',
  // Half a minute on an idle machine; nine processes start at once.
  { timeLimitMs: 4 * 60_000 },
  async ({ deployment, signal, report, reported }) => {
    const result = await topologyRun(deployment, { tenants: 4, restart: false, report, signal });
    expect(result, reported()).toMatchObject({
      onboardings: { onboarded: 3, EmailBounced: 1 },
      messages: 3,
      retriedAfter: {},
      faults: [],
      ownEnds: {},
    });
  },
);
