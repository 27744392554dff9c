import { pino } from 'pino';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { startDnsServer, type DnsServer } from '../../../src/dev/world/dns-server.ts';
import { worldZones } from '../../../src/dev/world/world-zones.ts';
import { startBackground } from '../../../src/email-service/background/background.ts';
import { openStore } from '../../../src/email-service/store/open-store.ts';
import { deliverEmailStart } from '../../../src/email-service/store/outbox.ts';
import { endWithTest } from '../../support/end-with-test.ts';
import { sharedDevServer, type TestServer } from '../../support/temporal.ts';
import { holdWriteLock } from '../../support/write-lock.ts';
import { backgroundOptions } from '../support/background-options.ts';
import { openTestStore, type TestStore } from '../support/test-store.ts';
import { startScriptedSmtpServer, type ScriptedSmtpServer } from '../support/scripted-smtp-server.ts';

const SOON = { timeout: 25_000, interval: 50 };

let server: TestServer;
let prepared: TestStore;
let dns: DnsServer;
let smtp: ScriptedSmtpServer;
let logged: string[];
beforeEach(async () => {
  server = endWithTest(await sharedDevServer());
  prepared = await openTestStore();
  onTestFinished(() => prepared.end());
  dns = endWithTest(await startDnsServer({ zones: worldZones({ tenant: 'acme.test', recipient: 'inbox.test' }) }));
  smtp = endWithTest(await startScriptedSmtpServer());
  logged = [];
});

/** With its own database connection, as a separate process has. */
async function startService(): Promise<{ stop: () => Promise<void> }> {
  const store = await openStore(prepared.databaseUrl);
  const background = await startBackground({
    ...backgroundOptions({ ...prepared, store }, { dns, smtpPort: smtp.port }),
    logger: pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) }),
    temporal: { connectionOptions: { address: server.address }, namespace: server.namespace },
  });
  return {
    stop: async () => {
      await background.stop();
      await store.destroy();
    },
  };
}

test('a message that was accepted while the database was locked is not sent again after a restart', async () => {
  smtp.answer({ message: 'silence' });
  const emailId = await prepared.email();
  await prepared.owe(deliverEmailStart(emailId));
  const first = await startService();
  await expect.poll(() => smtp.messages, SOON).toHaveLength(1);

  // Another write may be under way.
  const release = await vi.waitFor(() => holdWriteLock(prepared.databaseUrl.replace(/^file:/, '')), SOON);
  smtp.say('250 2.0.0 kept');
  smtp.answer({ message: '250 2.0.0 kept again' });
  await expect.poll(() => logged.join(), SOON).toContain('database is locked');
  const stopping = first.stop();
  release();
  await stopping;

  const second = await startService();
  const status = async () =>
    (await prepared.store.selectFrom('emails').select('status').executeTakeFirstOrThrow()).status;
  await expect.poll(status, SOON).toBe('delivered');
  await second.stop();
  expect(smtp.messages).toHaveLength(1);
  expect(await prepared.store.selectFrom('delivery_attempts').select(['number', 'diagnostic']).execute()).toEqual([
    { number: 1, diagnostic: 'kept' },
  ]);
  expect(await prepared.eventTypes()).toEqual(['email.delivered']);
}, 90_000);
