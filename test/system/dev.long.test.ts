import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { createApiClient } from '../../src/cli/api-client.ts';
import { onboardingExitCodes } from '../../src/cli/exit-codes.ts';
import { findApi } from '../../src/cli/find-api.ts';
import { heldAtProvider } from '../../src/cli/local/held-at-provider.ts';
import type { OnboardingView } from '../../src/client/onboarding/onboarding-view.ts';
import type { SavedSettings } from '../../src/dev/data-folder.ts';
import { publishForTenant } from '../../src/dev/world/publish-for-tenant.ts';
import { WORLD_ZONES, ZONE_FILE } from '../../src/dev/world/world-zones.ts';
import { openZoneStore } from '../../src/dev/world/zone-store.ts';
import { openDatabase } from '../../src/store/database.ts';
import { packagedCommand } from '../support/packaged-command.ts';
import { agentsMdCommands } from './agents-md-commands.ts';
import { localDeployment } from './dev-deployment.ts';
import { addressOf, newDataFolder, sendoff, startSendoffWith, temporal } from './running-sendoff.ts';
import { watchedDomains } from './watched-domains.ts';

describe('a local deployment', () => {
  const { data, tenant, viewOf, waitsForDomain, host, dev, backend } = localDeployment();

  test('notifies the backend of --notify, signed with the secret of the data folder', async () => {
    const received = () => backend().posts.find(({ body }) => body.includes('"globex"') && body.includes('onboarded'));
    await sendoff('onboard', '--no-follow', ...tenant('globex'));
    await waitsForDomain('globex');
    expect((await sendoff('publish', 'globex', '--data', data)).code).toBe(0);
    await expect.poll(received, { timeout: 180_000 }).toMatchObject({ path: '/hooks' });
    const { body = '', headers = {} } = received() ?? {};
    const { notificationSecret = '' } = addressOf(data);
    const verified = new Webhook(notificationSecret).verify(body, headers as Record<string, string>);
    expect(verified).toMatchObject({ type: 'onboarding.onboarded', data: { tenantId: 'globex' } });
    expect(dev().stdout()).toMatch(/Notifications {2}posted, .*sendoff notifications list/);
  });

  test('an operator checks, extends, claims, mutes and restarts with the command line', async () => {
    const api = createApiClient(findApi(data, {}));
    const outcomeOf = async () => (await api.get('soylent')).outcome;
    const run = async (...args: string[]) => {
      const { code, stdout, stderr } = await sendoff(...args, '--data', data);
      expect(code, stderr).toBe(0);
      return stdout;
    };
    await run('onboard', '--no-follow', ...tenant('soylent'));
    await waitsForDomain('soylent');

    const checked = await sendoff('check-now', 'soylent', '--data', data);
    expect(checked.code, checked.stderr).toBe(20);
    expect(checked.stdout).toMatch(/^soylent: not verified yet.*\n[^]*_domainkey\.soylent\.test[^]*last seen: missing/);

    const before = Date.parse((await api.get('soylent')).deadline ?? '');
    const extension = ['--hours', '24', '--reason', 'on holiday', '--json'];
    const { deadline } = JSON.parse(await run('extend', 'soylent', ...extension)) as { deadline: string };
    expect(Date.parse(deadline) - before).toBe(24 * 3_600_000);
    expect((await api.get('soylent')).deadline).toBe(deadline);

    await run('publish', 'soylent');
    await expect.poll(outcomeOf, { timeout: 60_000 }).toBe('onboarded');
    const first = await api.get('soylent');

    const keyFile = join(data, 'soylent.key');
    expect(await run('claim', 'soylent', '--key-file', keyFile, '--by', 'billing')).toBe('');
    const again = await sendoff('claim', 'soylent', '--data', data);
    expect(again).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('by billing') as string });
    const token = readFileSync(keyFile, 'utf8').trim();
    const emails = `${addressOf(data).emailServiceUrl}/emails`;
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const send = (idempotencyKey: string) =>
      fetch(emails, {
        method: 'POST',
        headers: { ...headers, 'idempotency-key': idempotencyKey },
        body: JSON.stringify({
          ...{ sender_id: first.result?.senderId, recipient: 'second@inbox.test' },
          ...{ subject: 'The second email', body: 'Sent with the claimed key.' },
        }),
      });
    const second = await send('second');
    expect(second.status).toBe(202);
    const { id } = (await second.json()) as { id: string };
    const statusOf = async () =>
      ((await (await fetch(`${emails}/${id}`, { headers })).json()) as { status: string }).status;
    await expect.poll(statusOf, { timeout: 30_000 }).toBe('delivered');

    const muted = await run('mute', 'soylent', 'dkim', '--reason', 'Moved to another provider', '--by', 'ada');
    expect(muted).toMatch(/^soylent: dkim is muted\n {2}domain {7}ok since .*\n {2}muted {8}dkim, by ada at .*: Moved/);
    expect(await run('status', 'soylent')).toContain('  muted        dkim, by ada at');
    expect(await run('list', '--search', 'soylent')).toContain('  onboarded, muted dkim  ');
    expect(JSON.parse(await run('unmute', 'soylent', 'dkim', '--json'))).toMatchObject({ state: 'ok', muted: [] });

    await run('restart', 'soylent', '--no-follow', '--subject', 'Hello', '--body', 'It works.');
    expect((await api.get('soylent')).runId).not.toBe(first.runId);
    await expect.poll(outcomeOf, { timeout: 60_000 }).toBe('onboarded');
    const { onboarding, result, apiKey } = await api.get('soylent');
    const { domain, fromAddress, recipient } = first.onboarding;
    expect(onboarding).toMatchObject({ domain, fromAddress, recipient });
    // The domain, the sender and the email are the same; the claimed key stays the tenant's.
    expect(result).toMatchObject({ senderId: first.result?.senderId, emailId: first.result?.emailId });
    expect(apiKey.state).toBe('held');
    expect(apiKey.keyId).not.toBe(first.apiKey.keyId);
    expect((await send('third')).status).toBe(202);
  });

  test('of eight waiting tenants, one request, one command and one query find the three with mistakes, announced once each', async () => {
    const { url, apiToken } = addressOf(data);
    const headers = { authorization: `Bearer ${apiToken}`, 'content-type': 'application/json' };
    const api = async (path: string, init: RequestInit = {}): Promise<unknown> =>
      (await fetch(`${url}${path}`, { ...init, headers })).json();
    const listed = async (query: string) =>
      ((await api(`/onboardings?q=crowd-&limit=100&${query}`)) as { data: OnboardingView[] }).data;
    const idsOf = (views: readonly OnboardingView[]) => views.map(({ tenantId }) => tenantId).sort();
    const ids = Array.from({ length: 8 }, (_, number) => `crowd-${String(number + 10)}`);
    const mistakes = { 'crowd-12': 'host_doubled', 'crowd-15': 'value_truncated', 'crowd-17': 'key_mismatch' } as const;
    const mistaken = Object.keys(mistakes);
    const isMistaken = (tenantId: string): tenantId is keyof typeof mistakes => tenantId in mistakes;

    for (const id of ids) {
      const firstEmail = { recipient: 'ada@inbox.test', subject: 'Hello', body: 'It works.' };
      const body = JSON.stringify({ domain: `${id}.test`, fromAddress: `hello@${id}.test`, firstEmail });
      await api(`/onboardings/${id}`, { method: 'PUT', body });
    }
    const waiting = () => listed('stage=awaitingDomain');
    await expect.poll(async () => (await waiting()).length, { timeout: 60_000 }).toBe(ids.length);
    const zones = openZoneStore(WORLD_ZONES, join(data, ZONE_FILE));
    for (const { tenantId, domain, onboarding } of await waiting()) {
      if (!isMistaken(tenantId)) continue;
      publishForTenant(zones, { tenantId, domain, records: onboarding.records, mistake: mistakes[tenantId] });
    }
    // Every tenant has been checked at least once after the publication, and those with mistakes twice.
    for (const id of [...ids, ...mistaken]) {
      await api(`/onboardings/${id}/check-now`, { method: 'POST', body: '{}' });
    }

    await expect.poll(async () => idsOf(await listed('needs_attention=true')), { timeout: 30_000 }).toEqual(mistaken);
    const command = await sendoff('list', '--needs-attention', '--search', 'crowd-', '--json', '--data', data);
    expect(idsOf((JSON.parse(command.stdout) as { data: OnboardingView[] }).data)).toEqual(mistaken);
    const query = 'ExecutionStatus = "Running" AND SendoffFinding IS NOT NULL AND SendoffTenant STARTS_WITH "crowd-"';
    const inTheUi = async () => {
      const found = await temporal(addressOf(data), 'workflow', 'list', '--query', query, '--output', 'json');
      return (JSON.parse(found) as { execution: { workflowId: string } }[])
        .map(({ execution }) => execution.workflowId.replace('onboarding/', ''))
        .sort();
    };
    await expect.poll(inTheUi, { timeout: 30_000 }).toEqual(mistaken);
    const database = await openDatabase(`file:${join(data, 'sendoff.db')}`);
    const announced = await database
      .selectFrom('onboarding_events')
      .select('tenant_id')
      .where('type', '=', 'onboarding.needs_attention')
      .where('tenant_id', 'like', 'crowd-%')
      .execute()
      .finally(() => database.destroy());
    expect(announced.map((event) => event.tenant_id).sort()).toEqual(mistaken);
  }, 180_000);

  test('undoes what a cancelled onboarding created, and shows it in the status with its own exit code', async () => {
    expect((await sendoff('onboard', '--no-follow', ...tenant('umbrella'))).code).toBe(0);
    await waitsForDomain('umbrella');
    const cancelled = await sendoff('cancel', 'umbrella', '--json', '--data', data);
    expect(cancelled.code, cancelled.stderr).toBe(0);
    const view = JSON.parse(cancelled.stdout) as OnboardingView;
    expect(view).toMatchObject({ outcome: 'cancelled', failure: null, remains: [] });
    expect(view.onboarding.undo.map(({ step, result }) => [step, result])).toEqual([
      ['registerDomain', 'undone'],
      ['registerWebhook', 'undone'],
      ['issueApiKey', 'undone'],
      ['issueApiKey', 'undone'],
    ]);
    expect((await sendoff('status', 'umbrella', '--data', data)).code).toBe(onboardingExitCodes.cancelled);
  });

  test('runs the script of docs/http-api.md in bash: from the start to a second email with the claimed token', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sendoff-script-'));
    for (const name of ['bin', 'data']) mkdirSync(join(folder, name));
    symlinkSync(data, join(folder, 'data', 'dev'));
    const shim = (name: string, command: string): void => {
      writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${command} "$@"\n`, { mode: 0o700 });
    };
    shim('sendoff', `exec '${process.execPath}' '${await packagedCommand()}'`);
    const jq = fileURLToPath(new URL('../support/jq.js', import.meta.url));
    shim('jq', `exec '${process.execPath}' '${jq}'`);
    const page = readFileSync(new URL('../../docs/http-api.md', import.meta.url), 'utf8');
    const [, script = ''] = /^```bash\n([^]*?)^```$/m.exec(page) ?? [];

    const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], {
      cwd: folder,
      env: { ...process.env, PATH: [join(folder, 'bin'), process.env['PATH']].join(delimiter) },
    });
    const lines = stdout.split('\n');
    expect(lines.slice(0, 2)).toEqual([
      '{"outcome":"running","stage":"issuingKey"}',
      'event: onboarding.domain_registered',
    ]);
    // Whether the DMARC policy is listed as well depends on whether a check has run.
    expect(lines).toContainEqual(expect.stringMatching(/^TXT \S+\._domainkey\.mail\.acme\.test v=DKIM1; /));
    expect(lines.slice(-3)).toEqual(['event: onboarding.onboarded', 'delivered', '']);
    const messages = readdirSync(join(data, 'mail')).map((name) => readFileSync(join(data, 'mail', name), 'utf8'));
    expect(messages.filter((text) => text.includes('Subject: Invoice 1'))).toHaveLength(1);
    rmSync(folder, { recursive: true });
  });

  test('lists by ID what a terminated onboarding leaves at the provider', async () => {
    expect((await sendoff('onboard', '--no-follow', ...tenant('tyrell'))).code).toBe(0);
    await waitsForDomain('tyrell');
    await temporal(addressOf(data), 'workflow', 'terminate', '--workflow-id', 'onboarding/tyrell', '--reason', 'test');
    // The sweep records it.
    await expect.poll(async () => (await viewOf('tyrell')).outcome).toBe('terminated');
    const status = await sendoff('status', 'tyrell', '--json', '--data', data);
    expect(status.code).toBe(onboardingExitCodes.terminated);
    const { remains, outcome } = JSON.parse(status.stdout) as OnboardingView;
    expect(outcome).toBe('terminated');
    const { operatorToken } = JSON.parse(readFileSync(join(data, 'kept.json'), 'utf8')) as SavedSettings;
    const held = await heldAtProvider({ url: addressOf(data).emailServiceUrl, operatorToken }, 'tyrell');
    expect(remains).toEqual([
      { step: 'issueApiKey', resourceId: held.issueApiKey[0] },
      { step: 'issueApiKey', resourceId: held.ownKey[0] },
      { step: 'registerWebhook', resourceId: held.registerWebhook[0] },
      { step: 'registerDomain', resourceId: held.registerDomain[0] },
    ]);
    // Three, and sendoff's own key.
    expect(Object.values(held).flat()).toHaveLength(4);
    expect((await sendoff('status', 'tyrell', '--data', data)).stdout).toContain(
      `remains      registerDomain ${held.registerDomain[0] ?? ''}`,
    );
  });

  describe('checks AGENTS.md:', () => {
    agentsMdCommands(data, host);
  });

  describe('watches verified domains:', () => {
    watchedDomains(data);
  });

  test('ends and says so when it has lost its Temporal server; commands print how to start it again', async () => {
    const [, serverPid] = readFileSync(join(data, 'temporal.db.claim'), 'utf8').split('\n');
    process.kill(Number(serverPid), 'SIGKILL');
    expect(await dev().ended).toBe(1);
    expect(dev().stderr()).toContain('The Temporal dev server ended with SIGKILL.');

    const { code, stderr } = await sendoff('list', '--data', data);
    expect(code).toBe(1);
    expect(stderr).toContain(`Cannot reach sendoff: no answer from ${addressOf(data).url}`);
    expect(stderr).toContain(`If it is not running, start it with: sendoff dev --data ${data}\n`);
  });
});

test('a log level that does not exist is refused with those that do', async () => {
  const data = newDataFolder();
  const dev = await startSendoffWith({ LOG_LEVEL: 'verbose' }, 'dev', '--data', data);
  expect(await dev.ended).toBe(1);
  expect(dev.stderr()).toMatch(/LOG_LEVEL must be one of trace, debug, info, warn, error, silent; found "verbose"/);
  rmSync(data, { recursive: true, force: true });
});
