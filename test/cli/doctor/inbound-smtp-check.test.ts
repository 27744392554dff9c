import { createHash } from 'node:crypto';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { probeFault } from '../../../src/cli/doctor/checks/inbound-smtp-check.ts';
import { returnPathOf } from '../../../src/email-service/delivery/return-path.ts';
import { type RunningInbound, startInbound } from '../../../src/email-service/inbound/start-inbound.ts';
import { newId } from '../../../src/email-service/resources/resource-ids.ts';
import { createSealer } from '../../../src/lib/sealing.ts';
import { idleBackground } from '../../email-service/support/idle-background.ts';
import { startScriptedSmtpServer } from '../../email-service/support/scripted-smtp-server.ts';
import { openTestStore, type TestStore } from '../../email-service/support/test-store.ts';

const HOSTNAME = 'mail.sendoff.test';

let prepared: TestStore;
let inbound: RunningInbound;
beforeEach(async () => {
  prepared = await openTestStore();
  inbound = await startInbound(
    {
      ...{ store: prepared.store, sealer: prepared.sealer, beginner: idleBackground, pauseBounceRate: undefined },
      ...{ logger: pino({ level: 'silent' }), now: () => new Date() },
    },
    { host: '127.0.0.1', port: 0, hostname: HOSTNAME },
  );
});
afterEach(async () => {
  await inbound.stop();
  await prepared.end();
});

const probe = (port: number, sealer = prepared.sealer) =>
  probeFault(
    { host: HOSTNAME, address: '127.0.0.1', port, security: 'none' },
    returnPathOf(sealer, { id: newId('eml'), return_path_domain: HOSTNAME }),
    AbortSignal.timeout(10_000),
  );

test('recognizes the listener of this service, and changes nothing', async () => {
  expect(await probe(inbound.port)).toBeUndefined();
  expect(await prepared.events()).toEqual([]);
});

test('finds a listener with another key', async () => {
  const other = createSealer([createHash('sha256').update('other').digest()]);
  expect(await probe(inbound.port, other)).toMatchObject({
    state: 'problem',
    found: expect.stringContaining("does not know this service's return paths") as string,
  });
});

test('finds another mail server in its place', async () => {
  const server = await startScriptedSmtpServer();
  try {
    const fault = await probe(server.port);
    expect(fault).toMatchObject({
      state: 'problem',
      found: expect.stringContaining('is another mail server, which replied 250') as string,
    });
    expect(server.commands.filter((command) => command.startsWith('DATA'))).toEqual([]);
  } finally {
    await server.stop();
  }
});

test('finds that nothing listens', async () => {
  expect(await probe(1)).toMatchObject({
    state: 'problem',
    found: expect.stringContaining('ECONNREFUSED') as string,
  });
});
