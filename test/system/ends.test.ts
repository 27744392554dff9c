import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { newDataFolder, startSendoffWith } from './running-sendoff.ts';

let temporary: string;
beforeEach(() => {
  temporary = mkdtempSync(join(tmpdir(), 'sendoff-ends-'));
});
afterEach(() => {
  rmSync(temporary, { recursive: true, force: true });
});

describe('the demo that is interrupted', () => {
  test.each([
    ['SIGINT', 130, /Starting a Temporal dev server/],
    ['SIGINT', 130, /Starting the (email service|orchestrator)/],
    ['SIGTERM', 143, /Wait until the domain is verified[\s\S]*_domainkey/],
  ] as const)('by %s ends with %i and leaves nothing behind (at %s)', async (signal, code, at) => {
    const demo = await startSendoffWith({ TMPDIR: temporary }, 'demo');
    await demo.printed(at);
    demo.child.kill(signal);
    expect(await demo.ended, demo.stderr()).toBe(code);
    expect(readdirSync(temporary).filter((name) => name.startsWith('sendoff-demo-'))).toEqual([]);
  });
});

test('sendoff dev that is interrupted while it starts stops its parts before it ends', async () => {
  const data = join(temporary, 'data');
  const dev = await startSendoffWith({}, 'dev', '--data', data);
  await dev.printed(/Starting the email service/);
  expect(existsSync(join(data, 'temporal.db.claim'))).toBe(true);
  dev.child.kill('SIGTERM');
  expect(await dev.ended, dev.stderr()).toBe(143);
  expect(existsSync(join(data, 'temporal.db.claim'))).toBe(false);
});

describe('a start that fails', () => {
  test.each([
    ['a Temporal CLI that is not there', { TEMPORAL_CLI_PATH: '/nonexistent' }, /TEMPORAL_CLI_PATH/],
    [
      'a Temporal server that is not there',
      { TEMPORAL_ADDRESS: '127.0.0.1:1' },
      /Cannot use the server 127\.0\.0\.1:1 of TEMPORAL_ADDRESS/,
    ],
  ])('%s: reports it and exits, as JSON with --json', async (_name, environment, message) => {
    const demo = await startSendoffWith({ ...environment, TMPDIR: temporary }, 'demo', '--json');
    expect(await demo.ended).toBe(1);
    expect(demo.stderr()).toMatch(message);
    expect(demo.stderr()).not.toMatch(/^ +at /m);
    expect(JSON.parse(demo.stdout())).toMatchObject({ error: { code: 'command_failed' } });
    expect(readdirSync(temporary).filter((name) => name.startsWith('sendoff-demo-'))).toEqual([]);
  });

  test('names a damaged data folder and what to do', async () => {
    const data = newDataFolder();
    mkdirSync(data, { recursive: true });
    writeFileSync(join(data, 'kept.json'), '{}');
    const demo = await startSendoffWith({}, 'demo', '--data', data);
    expect(await demo.ended).toBe(1);
    expect(demo.stderr()).toContain(
      `Cannot read ${join(data, 'kept.json')}. Delete its folder to start with a new one`,
    );
    rmSync(data, { recursive: true, force: true });
  });

  test('names all missing settings of a program', async () => {
    const worker = await startSendoffWith({}, 'worker');
    expect(await worker.ended).toBe(1);
    expect(worker.stderr()).toContain('SENDOFF_API_TOKEN is not set.');
    expect(worker.stderr()).toContain('EMAIL_PROVIDER_OPERATOR_TOKEN is not set.');
  });

  test('reaches the domain wait on the data folder of a start that was killed with SIGKILL', async () => {
    const data = newDataFolder();
    const killed = await startSendoffWith({}, 'demo', '--data', data);
    await killed.printed(/Starting the email service/);
    killed.child.kill('SIGKILL');
    await killed.ended;
    const again = await startSendoffWith({}, 'demo', '--data', data);
    await again.printed(/Wait until the domain is verified[\s\S]*_domainkey/);
    again.child.kill('SIGINT');
    expect(await again.ended, again.stderr()).toBe(130);
    rmSync(data, { recursive: true, force: true });
  });
});
