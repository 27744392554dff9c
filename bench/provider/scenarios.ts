import { recordsOf } from '../../src/conformance/fakes/fake-resend.ts';
import { openFake } from '../../src/conformance/targets/fake-target.ts';
import { startRelay } from '../../src/dev/relay.ts';
import { openDatabase } from '../../src/store/database.ts';
import { createCaller } from '../caller.ts';
import { startInfrastructure } from '../infrastructure.ts';
import { startOrchestrator } from '../onboarding/start-orchestrator.ts';
import type { Bench, Figures, Scenario } from '../scenario.ts';
import { eachAtOnce, endedOf, until } from '../waiting/scenarios.ts';

const REQUESTS_PER_SECOND = 2;

export const providerScenarios: readonly Scenario[] = [
  {
    ...{
      name: 'resend-500',
      table: "An operator's account with two requests a second",
      title: '500 tenants at once at a simulated Resend, their DNS published',
    },
    run: async (bench) => {
      const count = bench.quick ? 4 : 500;
      return { [`${count} at once`]: await onboardAtResend(bench, count) };
    },
  },
];

async function onboardAtResend(bench: Bench, count: number): Promise<Figures> {
  const { closers } = bench;
  const farEnd = await openFake('resend');
  closers.add(() => farEnd.close());
  const relay = await startRelay(farEnd.url);
  closers.add(() => relay.stop());
  const arrivals: number[] = [];
  relay.fault = () => {
    arrivals.push(performance.now());
    return undefined;
  };
  const infrastructure = await startInfrastructure(bench);
  const orchestrator = await startOrchestrator(bench, infrastructure, {
    settings: {
      ...farEnd.settings({ url: relay.url, requestsPerSecond: REQUESTS_PER_SECOND }),
      EMAIL_PROVIDER: 'resend',
      DNS_RESOLVERS: farEnd.dns.address,
      DNS_PORT: String(farEnd.dns.port),
    },
  });
  const caller = createCaller({ url: orchestrator.url, token: orchestrator.apiToken });
  closers.add(() => caller.close());
  const database = await openDatabase(infrastructure.databases.orchestrator);
  closers.add(() => database.destroy());

  const onboard = async (tenants: readonly string[]): Promise<void> => {
    const ended = await endedOf(database);
    for (const tenantId of tenants) await farEnd.publish(`${tenantId}.test`, publishedOf(`${tenantId}.test`));
    await eachAtOnce(tenants, (tenantId) =>
      caller.put(`/onboardings/${tenantId}`, {
        ...{ domain: `${tenantId}.test`, fromAddress: `hello@${tenantId}.test` },
        firstEmail: { recipient: farEnd.recipient(tenantId, 'delivered'), subject: 'Welcome', body: 'It works.' },
      }),
    );
    await until(async () => (await endedOf(database)) >= ended + tenants.length, bench, 2 * idealMsMax(tenants.length));
  };

  // What one costs that shares the account with no other. The Worker has examined the account.
  arrivals.length = 0;
  await onboard(['alone']);
  const ofOne = arrivals.length;
  arrivals.length = 0;
  const begun = performance.now();
  await onboard(Array.from({ length: count }, (_, index) => `tenant-${index}`));
  const tookMs = performance.now() - begun;
  const idealMs = (ofOne * count * 1_000) / REQUESTS_PER_SECOND;
  return {
    minutes: tookMs / 60_000,
    'times the ideal': tookMs / idealMs,
    'requests each': arrivals.length / count,
    'most requests in a second': mostWithin(1_000, arrivals),
    // A process that stalls for half a second sends those of two seconds in one.
    'most in ten seconds': mostWithin(10_000, arrivals),
  };
}

/** More than an onboarding makes. */
const REQUESTS_MAX = 20;
const idealMsMax = (count: number): number => 60_000 + (REQUESTS_MAX * count * 1_000) / REQUESTS_PER_SECOND;

/** What the tenant publishes at this domain. */
const publishedOf = (domain: string) =>
  recordsOf(domain).map(({ type, name, value, priority }) => ({
    ...{ type, name: `${name}.${domain}` },
    value: priority === undefined ? value.replaceAll('"', '') : `${priority} ${value}`,
  }));

/** In any such time, not only in those of a clock. @param arrivals oldest first, in milliseconds */
function mostWithin(spanMs: number, arrivals: readonly number[]): number {
  let first = 0;
  let most = 0;
  for (const [index, at] of arrivals.entries()) {
    while ((arrivals[first] ?? at) <= at - spanMs) first += 1;
    most = Math.max(most, index - first + 1);
  }
  return most;
}
