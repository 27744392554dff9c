// Records an Event History of each kind in a new folder histories/<version> or histories/<version>-<number>; run `npm run record-histories`
// before a release, or after a change to what a Workflow does.
import type { WorkflowHandle } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { announcementWorkflowId, sweepWorkflowId } from '../../src/agents-md/check-ids.ts';
import { type Producer, readProducer } from '../../src/agents-md/producer.ts';
import { startProducersSweep } from '../../src/client/agents-md/producers-schedule.ts';
import { FAST, type ResendRules, startFakeResend } from '../../src/conformance/fakes/fake-resend.ts';
import { createResendAccount } from '../../src/email-provider/adapters/resend/resend-account.ts';
import { checkNowUpdate, extendVerificationUpdate, providerReportedSignal } from '../../src/workflows/messages.ts';
import { searchAttributeKeys } from '../../src/workflows/search-attributes.ts';
import { testNames, withWorkflows } from '../email-service/support/email-service-workflows.ts';
import { withChecks } from '../support/agents-md-environment.ts';
import { timeSkippingServer } from '../support/temporal.ts';
import { addressOf, everyHistory, newDataFolder, startSendoff } from '../system/running-sendoff.ts';
import { type OnboardingEnvironment, withOnboardings } from '../support/onboarding-environment.ts';
import { bounce, failing, notVerified, type Script } from '../support/scripted-provider.ts';
import { historyFolder } from './history-files.ts';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
const folder = newFolder();
mkdirSync(folder);
const write = (name: string, json: string): void => {
  // Histories are committed, so they must not name the machine that recorded them.
  expect(json).not.toContain(process.cwd());
  writeFileSync(join(folder, `${name}.json`), json);
};

/** Histories that are there stay: onboardings wait that began with them. */
function newFolder(): string {
  for (let number = 1; ; number++) {
    const path = join(historyFolder, number === 1 ? version : `${version}-${number}`);
    if (!existsSync(path)) return path;
  }
}

test('records a run of the demo on a real server', async () => {
  const data = newDataFolder();
  const demo = await startSendoff('demo', '--keep', '--data', data);
  await demo.printed(/Still running/);
  const histories = await everyHistory(addressOf(data));
  demo.child.kill('SIGINT');
  await demo.ended;
  rmSync(data, { recursive: true });
  const names = {
    onboarding: 'onboard-tenant-onboarded',
    sendoff: 'sendoff-installation',
    'verify-domain': 'verify-domain',
  };
  for (const [prefix, name] of Object.entries(names)) {
    const found = [...histories].find(([workflowId]) => workflowId.startsWith(`${prefix}/`));
    if (found === undefined) throw new Error(`no history begins with ${prefix}/`);
    write(name, JSON.stringify(JSON.parse(found[1])));
  }
});

test('records the Workflows of an email and of a webhook, which have none in the demo: they succeed at once', async () => {
  const activities = {
    attemptDelivery: async () => ({ outcome: 'delivered' as const }),
    postWebhook: async () => ({ outcome: 'delivered' as const }),
  };
  await withWorkflows(activities, async ({ environment }) => {
    const record = async (name: string, workflowType: string, input: object): Promise<void> => {
      const options = { workflowId: name, taskQueue: testNames.taskQueue, args: [input] };
      const handle = await environment.client.workflow.start(workflowType, options);
      await handle.result();
      write(name, await historyOf(handle));
    };
    await record('deliver-email', 'deliverEmail', { emailId: 'eml_1' });
    await record('deliver-webhook', 'deliverWebhook', { eventId: 'evt_1', webhookId: 'whk_1' });
  });
});

const ends: readonly [string, Partial<Script>][] = [
  ['f1', { verified: () => false }],
  ['f2', { before: failing('createSender', notVerified) }],
  ['at-once', {}],
  ['f3', { outcome: () => ({ status: 'bounced', bounce }) }],
  ['cancelled', { verified: () => false }],
  ['woken', { verified: () => false }],
];

test.each(ends)('records an onboarding that ends as %s on the time-skipping server', async (end, script) => {
  await withOnboardings(script, async ({ start, sleep, history, scripted }) => {
    const handle = await start();
    if (end === 'woken') {
      await sleep('10 hours');
      // Without an answer, also in the second look; then with one.
      await handle.signal(providerReportedSignal, { eventId: 'evt_1', type: 'domain.verified' });
      await sleep('2 minutes');
      scripted.script.verified = () => true;
      await handle.signal(providerReportedSignal, { eventId: 'evt_2', type: 'domain.verified' });
    }
    if (end === 'cancelled') {
      await sleep('10 hours');
      await handle.cancel();
    }
    await handle.result().catch(() => undefined);
    write(`onboard-tenant-${end}`, (await history(handle)).json);
  });
});

/** At an operator's account each step is a regular Activity on the Task Queue of the provider. */
const endsAtResend: readonly [string, { rules?: Partial<ResendRules>; dns?: Script['dns'] }][] = [
  ['onboarded', {}],
  ['f1', { rules: { isPublished: () => false }, dns: () => 'missing' }],
  ['f3', { rules: { lastEvent: () => 'bounced' } }],
  ['cancelled', { dns: () => 'missing' }],
];

test.each(endsAtResend)(
  'records an onboarding at Resend that ends as %s',
  async (end, { rules, dns = () => 'published' }) => {
    const fake = await startFakeResend(rules);
    const account = createResendAccount({ baseUrl: fake.baseUrl, ...FAST });
    const record = async ({ start, sleep, history }: OnboardingEnvironment): Promise<void> => {
      const handle = await start();
      if (end === 'cancelled') {
        await sleep('1 hour');
        await handle.executeUpdate(checkNowUpdate);
        await handle.cancel();
      }
      await handle.result().catch(() => undefined);
      write(`onboard-tenant-resend-${end}`, (await history(handle)).json);
    };
    await withOnboardings({ dns }, record, { accounts: { resend: account } });
    await account.close();
    await fake.close();
  },
);

test('records an onboarding with DNS mistakes that change, checkNow and an extended window', async () => {
  let code = 'host_doubled';
  const record = () =>
    ({
      status: 'wrong',
      findings: [{ code, name: 'k1._domainkey.acme.test', found: [], fix: `Correct ${code}` }],
    }) as const;
  await withOnboardings({ verified: () => false, record }, async ({ start, sleep, scripted, history }) => {
    const handle = await start();
    await sleep('1 hour');
    await handle.executeUpdate(checkNowUpdate);
    code = 'value_truncated';
    await sleep('1 hour');
    await handle.executeUpdate(extendVerificationUpdate, { args: [{ hours: 24, by: 'ops', reason: 'asked for it' }] });
    await sleep('1 hour');
    scripted.script.verified = () => true;
    await handle.result();
    write('onboard-tenant-mistaken-extended', (await history(handle)).json);
  });
});

const historyOf = async (handle: WorkflowHandle): Promise<string> =>
  JSON.stringify(JSON.parse(historyToJSON(await handle.fetchHistory())));

test('records an AGENTS.md check with a second check and a changed outcome, and a sweep', async () => {
  await withChecks(
    async ({ host, producers, start, server: { environment } }) => {
      const acme = { producerId: 'acme', organization: 'acme', primaryRepository: 'acme' };
      host.serve('/acme/acme/HEAD/AGENTS.md', 'How to build, test and change this project. '.repeat(10));
      const { result: before } = await (await start(acme)).result();
      host.serve('/acme/acme/HEAD/AGENTS.md', 404);
      const check = await start(acme);
      await check.result();
      write('check-agents-md', await historyOf(check));
      const announcementId = announcementWorkflowId('acme', before.checkedAt, 'fail');
      const announcement = environment.client.workflow.getHandle(announcementId);
      await announcement.result();
      write('announce-outcome-change', await historyOf(announcement));
      await producers.put([readProducer({ ...acme, producerId: 'other' }) as Producer], {
        at: new Date().toISOString(),
      });
      const sweep = await startProducersSweep(environment.client);
      await sweep.result();
      write('check-producers', await historyOf(sweep));
      const ofHost = environment.client.workflow.getHandle(sweepWorkflowId('github.com'));
      await ofHost.result();
      write('check-producers-of-host', await historyOf(ofHost));
    },
    { startServer: () => timeSkippingServer(searchAttributeKeys) },
  );
});
