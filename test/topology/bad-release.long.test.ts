// A release whose Workflow code has changed without `patched`, in the production topology: every gate refuses it, and when it is forced
// through, whoever is on call sees whom it has stopped, and going back heals them.
import { Client, Connection } from '@temporalio/client';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { Worker } from '@temporalio/worker';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect } from 'vitest';
import { parse } from 'yaml';
import type { OnboardingView } from '../../src/client/onboarding/onboarding-view.ts';
import { freePort } from '../../src/dev/temporal/free-port.ts';
import { domainZone, RECIPIENT_DOMAIN } from '../../src/dev/world/world-zones.ts';
import { toZoneRecords } from '../../src/dev/world/zone-record.ts';
import { describeWorkerDeployment } from '../../src/lib/temporal/worker-deployments.ts';
import { reportedAsStuck } from '../../src/lib/temporal/stuck-workflows.ts';
import { onboardingWorkflowId } from '../../src/onboarding/onboarding-ids.ts';
import { providerReportedSignal } from '../../src/workflows/messages.ts';
import { createPatientBackend } from '../crash/patient-backend.ts';
import { hasPrometheus, startPrometheus } from '../deploy/prometheus.ts';
import { BACKGROUND_NAMESPACE, NAMESPACE } from '../deployment/infrastructure.ts';
import { openLog } from '../deployment/open-log.ts';
import { runCommand } from '../deployment/run-command.ts';
import type { Deployment } from '../deployment/start-deployment.ts';
import { bareEnvironment, superviseProcess } from '../deployment/supervised-process.ts';
import { testOnProduction } from '../deployment/test-on-production.ts';
import { untilReady } from '../deployment/until-ready.ts';
import { historyFolder } from '../replay/history-files.ts';
import { addressOf, temporal } from '../system/running-sendoff.ts';
import { brokenPackage } from '../support/releases/broken-package.ts';

const prepareFile = fileURLToPath(new URL('../../deploy/kubernetes/base/prepare.yaml', import.meta.url));
const TIME_LIMIT_MS = 30 * 60_000;
/** Three Workflow Tasks fail within seconds, and the sweep comes every ten; the rest is for a busy machine. */
const SEEN = { timeout: 3 * 60_000, interval: 1_000 };
/** The same by a command, each of which is a process of seconds; on a busy machine a check of doctor may find no time. */
const SAID = { ...SEEN, interval: 5_000 };
/** The rule waits for seconds here: its tests have the whole time. */
const FIRES = { timeout: 5 * 60_000, interval: 2_000 };
/** The server repeats a Workflow Task at the latest after a few seconds more than its time limit. */
const HEALED = { timeout: 14 * 60_000, interval: 2_000 };

const tenants = Array.from({ length: 12 }, (_, index) => `tenant-${index + 1}`);
/** Begins with the bad release, and so cannot continue on the one before. */
const NEWCOMER = 'newcomer';
const workflowIds = tenants.map(onboardingWorkflowId).sort();

const DEPLOYMENT = 'sendoff-worker';
const version = (buildId: string): Readonly<Record<string, string>> => ({
  TEMPORAL_DEPLOYMENT_NAME: DEPLOYMENT,
  TEMPORAL_WORKER_BUILD_ID: buildId,
});

/** What the commands print with --json, each some of it. */
interface Printed {
  readonly error: { readonly code: string; readonly replays: readonly Place[] };
  readonly namespaces: readonly Place[];
  readonly stuck: readonly unknown[];
  readonly checks: readonly { readonly name: string }[];
}
interface Place {
  readonly current: string | null;
  readonly faults: readonly { readonly workflowId: string }[];
}

const namedIn = (places: readonly Place[]): string[] =>
  places.flatMap(({ faults }) => faults.map(({ workflowId }) => workflowId)).sort();

/** The line of what a command printed, as JSON: the result of one that was given --json, also if it has failed. */
const jsonIn = (printed: string): Printed =>
  JSON.parse(printed.split('\n').find((each) => each.startsWith('{')) ?? '') as Printed;

describe.skipIf(!hasPrometheus)('Workflow code without a patch', () => {
  testOnProduction(
    'is refused by every gate; forced through, all stuck onboardings are in the list, doctor, the metric and the alert, and rollback heals them',
    { timeLimitMs: TIME_LIMIT_MS, measured: true, hasTwoOfEach: false },
    async ({ deployment, signal, report, reported }) => {
      const { dataFolder, programs, processes, settings, api, temporalAddress, world, run } = deployment;
      const folder = dataFolder.path;
      const bad = await brokenPackage(dataFolder.inside('broken-package'));
      const ofBad = (...args: string[]): Promise<string> =>
        runCommand(bad.command, args, { settings: { ...settings, ...version('2') }, folder });
      const ofGood = (...args: string[]): Promise<string> => run(args, version('1'));
      /** Of a command that fails. */
      const failing = (command: Promise<string>): Promise<string> =>
        command.then(
          (printed) => expect.fail(`it has not failed: ${printed}`),
          (error: unknown) => (error as Error).message,
        );
      const stuck = () => onboardings(api, 'stuck=true');

      const connection = await Connection.connect({ address: temporalAddress });
      const { workflow } = new Client({ connection, namespace: NAMESPACE });
      /** As `sendoff deployment status` asks for it, whose process takes a second of a processor. */
      const currentBuild = () =>
        Promise.all(
          [NAMESPACE, BACKGROUND_NAMESPACE].map(
            async (namespace) =>
              (await describeWorkerDeployment(new Client({ connection, namespace }), DEPLOYMENT))?.current,
          ),
        );
      const badMetrics = `127.0.0.1:${await freePort()}`;
      const prometheus = await startPrometheus(dataFolder.inside('prometheus'), [
        ...programs.flatMap(({ metricsUrl }) => (metricsUrl === undefined ? [] : [new URL(metricsUrl).host])),
        badMetrics,
      ]);
      const ends = [() => prometheus.stop(), () => connection.close()];
      try {
        for (const worker of programs.filter(({ name }) => name.startsWith('worker'))) {
          await worker.restart(version('1'));
          await untilReady([worker], signal);
        }
        const promoted = ofGood('deployment', 'promote');
        await expect.poll(currentBuild, SEEN).toEqual(['1', '1']);
        const backend = createPatientBackend(api, signal);
        for (const tenantId of tenants) await backend.start(inputOf(tenantId));
        await expect.poll(() => onboardings(api, 'stage=awaitingDomain'), SEEN).toHaveLength(tenants.length);

        // Every gate refuses it: that of the recorded histories, the replay of open executions, and the promotion.
        const recorded: unknown = JSON.parse(
          readFileSync(join(historyFolder, '0.1.0', 'onboard-tenant-onboarded.json'), 'utf8'),
        );
        await expect(Worker.runReplayHistory({ workflowBundle: { codePath: bad.codePath } }, recorded)).rejects.toThrow(
          /TMPRL1100/,
        );
        const healthPort = await freePort();
        const badWorker = superviseProcess({
          ...{ name: 'the bad Worker', executable: process.execPath, args: [bad.command, 'worker'], folder },
          environment: {
            ...{ ...bareEnvironment(), ...settings, ...version('2') },
            ...{ SENDOFF_HEALTH_PORT: String(healthPort), SENDOFF_METRICS_ADDRESS: badMetrics },
          },
          log: openLog(dataFolder.inside('bad-worker.log')).write,
        });
        ends.unshift(() => badWorker.stop());
        await untilReady(
          [{ name: 'the bad Worker', url: `http://127.0.0.1:${healthPort}`, ownEnds: badWorker.ownEnds }],
          signal,
        );
        let printed = '';
        const inJob = (...args: string[]): Promise<string> =>
          ofBad(...args, '--json').catch((error: unknown) => {
            printed = (error as Error).message;
            throw error;
          });
        expect(await prepared(inJob)).toEqual(['failed: replay']);
        expect(namedIn(jsonIn(printed).namespaces)).toEqual(workflowIds);
        const refused = jsonIn(await failing(ofBad('deployment', 'promote', '--json')));
        expect(refused.error.code).toBe('would_stop');
        expect(namedIn(refused.error.replays)).toEqual(workflowIds);
        expect(await currentBuild()).toEqual(['1', '1']);
        expect(await stuck()).toEqual([]);
        await expect.poll(() => doctorSays(run), SAID).toMatchObject({ state: 'ok' });
        expect(await prepared(ofGood)).toEqual(['replay', 'replay --program email-service', 'migrate', 'setup']);

        // Forced through, once the promotion before has watched for two minutes.
        await promoted;
        const forced = failing(ofBad('deployment', 'promote', '--force', '--json'));
        await expect.poll(currentBuild, SEEN).toEqual(['2', '2']);
        const { namespaces: shownBuilds } = jsonIn(await ofGood('deployment', 'status', '--json'));
        expect(shownBuilds.map(({ current }) => current)).toEqual(['2', '2']);
        const movedAt = Date.now();
        const since = (what: string): void => {
          report(`${what} ${((Date.now() - movedAt) / 1_000).toFixed(0)} s after the move`);
        };
        for (const tenantId of tenants)
          await workflow
            .getHandle(onboardingWorkflowId(tenantId))
            .signal(providerReportedSignal, { eventId: tenantId, type: 'domain.verified' });
        await backend.start(inputOf(NEWCOMER));
        const shown = async (): Promise<string[]> => (await stuck()).map(({ tenantId }) => tenantId).sort();
        await expect.poll(shown, SEEN).toEqual([...tenants].sort());
        since('GET /onboardings?stuck=true has all');
        for (const view of await stuck()) {
          expect(view.stuck?.message).toMatch(/TMPRL1100|[Nn]ondeterminism/);
          expect(Math.abs(Date.parse(view.stuck?.since ?? '') - movedAt)).toBeLessThan(60_000);
        }
        const listed = await run(['list', '--stuck', '--data', folder]);
        for (const tenantId of tenants) expect(listed).toMatch(new RegExp(`^${tenantId} .*Z +\\d{4}.*Z +stuck$`, 'm'));
        expect(await run(['status', 'tenant-7', '--data', folder])).toMatch(
          /Nothing has proceeded since [^]*\[TMPRL1100\]/,
        );
        await expect.poll(() => stuckGauge(deployment), SEEN).toBe(tenants.length);
        since('the metric has all');

        // The server itself reports them, and that is what the sweep and doctor ask for.
        const reports = () =>
          reportedAsStuck(new Client({ connection, namespace: NAMESPACE }), { query: ALL, limit: 100 });
        await expect.poll(async () => (await reports())?.sort(), SEEN).toEqual(workflowIds);
        await expect
          .poll(() => doctorSays(run), SAID)
          .toMatchObject({
            state: 'problem',
            found: expect.stringMatching(
              new RegExp(`^those of ${tenants.length} onboardings fail, since .*Z: .*, …\\. The first: .*TMPRL1100`),
            ) as string,
          });
        since('doctor names all');

        const described = await workflow.getHandle(onboardingWorkflowId('tenant-1')).describe();
        expect(described.typedSearchAttributes.get(reportedProblems)).toEqual(
          expect.arrayContaining(['category=WorkflowTaskFailed']),
        );
        expect(jsonIn(await forced).stuck).not.toEqual([]);

        const alerts = async () =>
          (await prometheus.alerts('SendoffStuck')).map(({ labels, state, value, annotations }) => ({
            ...{ cause: labels['cause'], state, value: Number(value), runbook: annotations['runbook_url'] },
          }));
        const runbook = expect.stringMatching(/#a-bad-release$/) as string;
        await expect
          .poll(alerts, FIRES)
          .toContainEqual(expect.objectContaining({ cause: 'nondeterminism', state: 'firing', runbook }));
        since('SendoffStuck (nondeterminism) fires');
        await expect
          .poll(alerts, FIRES)
          .toContainEqual({ cause: 'stuck', state: 'firing', value: tenants.length, runbook });
        since('SendoffStuck (stuck) fires');

        // Back: the one that began since would stop, so nothing is changed until it is forced.
        await expect.poll(async () => (await backend.view(NEWCOMER)).onboarding.stage, SEEN).toBe('awaitingDomain');
        const warned = jsonIn(await failing(ofGood('deployment', 'rollback', '--json')));
        expect(namedIn(warned.error.replays)).toEqual([onboardingWorkflowId(NEWCOMER)]);
        expect(await currentBuild()).toEqual(['2', '2']);
        const backAt = Date.now();
        const back = ofGood('deployment', 'rollback', '--force', '--json').catch((error: unknown) => String(error));
        await expect.poll(currentBuild, SEEN).toEqual(['1', '1']);
        for (const tenantId of [...tenants, NEWCOMER]) {
          const { domain, onboarding } = await backend.view(tenantId);
          world.dns.publish([...domainZone(domain), ...toZoneRecords(onboarding.records)]);
        }
        expect(await back).toContain('"buildId":"1"');
        await badWorker.stop();
        await temporal(
          addressOf(folder),
          ...['workflow', 'reset', '--workflow-id', onboardingWorkflowId(NEWCOMER)],
          ...['--type', 'FirstWorkflowTask', '--reason', 'bad release'],
        );
        await expect
          .poll(async () => (await onboardings(api, 'outcome=onboarded')).length, HEALED)
          .toBe(tenants.length + 1);
        report(`all are onboarded ${((Date.now() - backAt) / 1_000).toFixed(0)} s after the rollback`);
        expect(
          world.mail
            .received()
            .map(({ to }) => to[0])
            .sort(),
        ).toEqual([...tenants, NEWCOMER].map((tenantId) => `${tenantId}@${RECIPIENT_DOMAIN}`).sort());

        // No screen says that one is stuck.
        expect(await stuck()).toEqual([]);
        expect(await run(['list', '--stuck', '--data', folder])).toContain('No onboarding meets these conditions.');
        await expect.poll(() => doctorSays(run), SAID).toMatchObject({ state: 'ok' });
        await expect.poll(() => stuckGauge(deployment), SEEN).toBe(0);
        expect(await reports()).toEqual([]);
        await expect.poll(alerts, FIRES).not.toContainEqual(expect.objectContaining({ cause: 'stuck' }));
        for (const { ownEnds } of [...programs, ...processes.temporal]) expect(ownEnds, reported()).toEqual([]);
      } finally {
        for (const end of ends) await end();
      }
    },
  );
});

const reportedProblems = defineSearchAttributeKey('TemporalReportedProblems', SearchAttributeType.KEYWORD_LIST);
const ALL = "WorkflowType = 'onboardTenant'";

const inputOf = (tenantId: string) => ({
  ...{ tenantId, domain: `${tenantId}.test`, fromAddress: `hello@${tenantId}.test` },
  firstEmail: { recipient: `${tenantId}@${RECIPIENT_DOMAIN}`, subject: `Welcome, ${tenantId}`, body: 'It works.' },
});

async function onboardings({ url, apiToken }: Deployment['api'], query: string): Promise<readonly OnboardingView[]> {
  const answer = await fetch(`${url}/onboardings?limit=100&${query}`, {
    headers: { authorization: `Bearer ${apiToken}` },
  });
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { data: readonly OnboardingView[] }).data;
}

/** Runs what the Job of deploy/kubernetes runs before a rollout, until one fails. */
async function prepared(command: (...args: string[]) => Promise<string>): Promise<string[]> {
  const job = parse(readFileSync(prepareFile, 'utf8'), { merge: true }) as {
    spec: { template: { spec: Record<'initContainers' | 'containers', readonly { readonly args: string[] }[]> } };
  };
  const { initContainers, containers } = job.spec.template.spec;
  const ran: string[] = [];
  for (const { args } of [...initContainers, ...containers]) {
    const name = args.join(' ');
    const succeeded = await command(...args).then(
      () => true,
      () => false,
    );
    if (!succeeded) return [...ran, `failed: ${name}`];
    ran.push(name);
  }
  return ran;
}

/** What doctor says of Workflow Tasks, whatever else it finds in this deployment. */
async function doctorSays(run: Deployment['run']): Promise<unknown> {
  const printed = await run(['doctor', '--json']).catch((error: unknown) => (error as Error).message);
  const { checks } = jsonIn(printed);
  return checks.find(({ name }) => name === 'Workflow Tasks');
}

/** As the alert reads it: the most that a process exports. */
async function stuckGauge({ programs }: Deployment): Promise<number> {
  const texts = await Promise.all(
    programs
      .filter(({ name }) => name.startsWith('worker'))
      .map(({ metricsUrl = '' }) => fetch(metricsUrl).then((answer) => answer.text())),
  );
  return Math.max(...texts.map((text) => Number(/^sendoff_onboardings_stuck\{.*\} (\d+)$/m.exec(text)?.[1])));
}
