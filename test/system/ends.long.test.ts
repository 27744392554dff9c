import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { startSendoffWith } from './running-sendoff.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let temporary: string;
beforeEach(() => {
  temporary = temporaryFolder();
});

describe('the demo that is interrupted', () => {
  // test/system/local-deployment.long.test.ts interrupts each step of the start.
  test.each([
    ['SIGINT', 130, /Starting a Temporal dev server/],
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

test('a start that fails reports the reason and exits, as JSON with --json, and leaves nothing behind', async () => {
  const demo = await startSendoffWith({ TEMPORAL_CLI_PATH: '/nonexistent', TMPDIR: temporary }, 'demo', '--json');
  expect(await demo.ended).toBe(1);
  expect(demo.stderr()).toMatch(/TEMPORAL_CLI_PATH/);
  expect(demo.stderr()).not.toMatch(/^ +at /m);
  expect(JSON.parse(demo.stdout())).toMatchObject({ error: { code: 'command_failed' } });
  expect(readdirSync(temporary).filter((name) => name.startsWith('sendoff-demo-'))).toEqual([]);
});
