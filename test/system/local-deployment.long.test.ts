// Local deployments in the process of the test: what needs no command line of its own process to be shown.
import { randomBytes } from 'node:crypto';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Runtime } from '@temporalio/worker';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createApiClient } from '../../src/cli/api-client.ts';
import { playDemo } from '../../src/cli/local/demo.ts';
import type { DemoReport } from '../../src/cli/local/demo-report.ts';
import { type DemoFailure, demoScenario, type DemoScenario } from '../../src/cli/local/demo-scenarios.ts';
import { type DevEnvironment, startDevEnvironment } from '../../src/dev/dev-environment.ts';
import { domainZone } from '../../src/dev/world/world-zones.ts';
import { temporalCli } from '../support/temporal.ts';
import { addressOf, newDataFolder } from './running-sendoff.ts';
import { expectNothingInClear, messagesInClear, storedInTemporal } from './stored-in-temporal.ts';

const environment = async () => ({ TEMPORAL_CLI_PATH: await temporalCli(), PATH: process.env['PATH'] });
const report = (): void => undefined;

let data: string;
const emptyDataFolder = async (): Promise<void> => {
  data = newDataFolder();
  // Each start installs the Runtime of its process.
  await Runtime.instance().shutdown();
};
const removeDataFolder = (): void => {
  rmSync(data, { recursive: true, force: true });
};

describe('a start', () => {
  beforeEach(emptyDataFolder);
  afterEach(removeDataFolder);

  test.each([
    ['while Temporal starts', /^Starting a Temporal dev server/],
    ['once Temporal is ready', /^Temporal is ready/],
    ['while DNS and mail start', /^Starting a DNS server/],
    ['while the email service starts', /^Starting the email service/],
    ['while the orchestrator starts', /^Starting the orchestrator/],
  ] as const)('that is interrupted %s stops what was started and starts nothing more', async (_name, moment) => {
    const interruption = new AbortController();
    const reason = new Error('interrupted');
    const reported: string[] = [];
    const start = startDevEnvironment({
      dataFolder: data,
      environment: await environment(),
      report: (line) => {
        reported.push(line);
        if (moment.test(line)) interruption.abort(reason);
      },
      signal: interruption.signal,
    });
    await expect(start).rejects.toBe(reason);
    expect(reported.at(-1)).toMatch(moment);
    // The dev server holds its claim for as long as it runs; the address is written when everything runs.
    expect(existsSync(join(data, 'temporal.db.claim'))).toBe(false);
    expect(existsSync(join(data, 'address.json'))).toBe(false);
  });

  test('names a Temporal server that is not there', async () => {
    const away = startDevEnvironment({
      dataFolder: data,
      environment: { TEMPORAL_ADDRESS: '127.0.0.1:1' },
      report,
    });
    await expect(away).rejects.toThrow(/^Cannot use the server 127\.0\.0\.1:1 of TEMPORAL_ADDRESS/);
    expect(existsSync(join(data, 'address.json'))).toBe(false);
  });

  test('names a damaged data folder and what to do, and a file in its place', async () => {
    writeFileSync(join(data, 'kept.json'), '{}');
    await expect(startDevEnvironment({ dataFolder: data, environment: await environment(), report })).rejects.toThrow(
      `Cannot read ${join(data, 'kept.json')}. Delete its folder to start with a new one`,
    );
    const file = join(data, 'kept.json');
    await expect(startDevEnvironment({ dataFolder: file, environment: {}, report })).rejects.toThrow(
      `The data folder ${file} cannot be used: it is a file, not a folder`,
    );
  });
});

const domainAloneKept = [
  ['registerDomain', 'kept'],
  ['registerWebhook', 'undone'],
  ['issueApiKey', 'undone'],
  // sendoff's own.
  ['issueApiKey', 'undone'],
];

const results = ({ undo }: DemoReport) => undo.map(({ step, result }) => [step, result]);

const SENDOFF_PAYLOAD_KEYS = `only:${randomBytes(32).toString('base64')}`;

// test/system/failing-demo.long.test.ts runs the one with a proxy, F2, as a command.
describe.concurrent('the demo is as expected, and if it fails reports the typed failure and the undo', () => {
  let dev: DevEnvironment;
  beforeAll(async () => {
    await emptyDataFolder();
    const settings = { ...(await environment()), SENDOFF_PAYLOAD_KEYS };
    dev = await startDevEnvironment({ dataFolder: data, environment: settings, report });
  });
  afterAll(async () => {
    await dev.stop();
    removeDataFolder();
  });

  /** The scenario for this tenant, because several run in one deployment. */
  function scenarioOf(how: DemoFailure | undefined, tenantId: string): DemoScenario {
    const scenario = demoScenario(how);
    const domain = `${tenantId}.test`;
    return { ...scenario, input: { ...scenario.input, tenantId, domain, fromAddress: `hello@${domain}` } };
  }

  async function played(how?: DemoFailure): Promise<DemoReport> {
    const scenario = scenarioOf(how, how?.toLowerCase() ?? 'good');
    dev.world.dns.publish(domainZone(scenario.input.domain));
    const { report, isExpected } = await playDemo(dev, scenario, AbortSignal.timeout(100_000));
    expect(isExpected, JSON.stringify(report)).toBe(true);
    return report;
  }

  test('F1, because the host was doubled: keeps the domain only', async () => {
    const report = await played('F1');
    expect(report).toMatchObject({
      outcome: 'DomainVerificationTimedOut',
      exit: 'F1',
      details: { stage: 'awaitingDomain', conclusive: true, domainId: report.domainId },
      heldAtProvider: {
        ownKey: [],
        issueApiKey: [],
        registerWebhook: [],
        registerDomain: [report.domainId],
        createSender: [],
      },
      received: [],
    });
    expect(results(report)).toEqual(domainAloneKept);
    const details = report.details as unknown as {
      records: {
        purpose: string;
        name: string;
        host: string;
        findings: { code: string; name: string; fix: string }[];
      }[];
    };
    for (const purpose of ['dkim', 'spf']) {
      const record = details.records.find((one) => one.purpose === purpose);
      const finding = record?.findings.find(({ code }) => code === 'host_doubled');
      expect(finding?.name).toBe(`${record?.name ?? ''}.f1.test`);
      expect(finding?.fix).toContain(record?.host);
    }
  });

  test('F3, because the receiver rejects the recipient: keeps everything', async () => {
    const report = await played('F3');
    expect(report).toMatchObject({
      outcome: 'EmailBounced',
      exit: 'F3',
      details: {
        stage: 'awaitingDelivery',
        recipient: 'nobody@inbox.test',
        reason: expect.stringContaining('nobody@inbox.test does not exist') as string,
        category: 'recipient',
        smtpCode: 550,
        enhancedCode: '5.1.1',
      },
      heldAtProvider: { registerDomain: [report.domainId], createSender: [report.senderId] },
      received: [],
    });
    expect(results(report).map(([, result]) => result)).toEqual(['kept', 'kept', 'kept', 'kept', 'kept', 'kept']);
  });

  test('cancel: undoes everything', async () => {
    const report = await played('cancel');
    expect(report).toMatchObject({
      outcome: 'cancelled',
      exit: null,
      details: null,
      heldAtProvider: { ownKey: [], issueApiKey: [], registerWebhook: [], registerDomain: [], createSender: [] },
      received: [],
    });
    expect(results(report)).toEqual([
      ['registerDomain', 'undone'],
      ['registerWebhook', 'undone'],
      ['issueApiKey', 'undone'],
      ['issueApiKey', 'undone'],
    ]);
  });

  test('refuses other options for the same onboarding, naming what differs and what to do', async () => {
    const api = createApiClient({ url: dev.apiUrl, apiToken: dev.folder.saved.apiToken });
    await api.put(scenarioOf('F1', 'other').input);
    const other = playDemo(dev, scenarioOf(undefined, 'other'), AbortSignal.timeout(100_000));
    await expect(other).rejects.toThrow(
      new RegExp(
        `^${data} already holds .* it differs in verificationWindow[^]*` +
          'Use the options of the first run, or another data folder with --data DIR$',
      ),
    );
  });

  // The mailbox is empty until the others have ended.
  describe('and', { concurrent: false }, () => {
    test('sends an email that passes every check of its receiver, as the README shows', async () => {
      expect((await played()).received).toMatchObject([{ dkim: 'pass', spf: 'pass', dmarc: 'pass' }]);
    });

    test('with encrypted payloads, Temporal has nothing in clear of these ends but what docs/operating.md names', async () => {
      const stored = await storedInTemporal(addressOf(data));
      expect(stored.types).toContain('onboardTenant');
      expectNothingInClear(stored);
      // What is in clear is found.
      for (const says of ['f1.test was not verified', 'nobody@inbox.test bounced'])
        expect(messagesInClear(stored).join('\n')).toContain(says);
    });
  });
});
