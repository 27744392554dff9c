// Temporal Core fails a Worker that has polled for a minute in a Namespace that is gone or refuses the credentials, and never lets go of it: such
// a process could neither go on nor end.
import '../../support/quiet-temporal.ts';
import { Client } from '@temporalio/client';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, test } from 'vitest';
import { answersQueries } from '../../../src/client/worker-presence.ts';
import { readConfig } from '../../../src/config.ts';
import { setUpTemporal } from '../../../src/lib/temporal/setup/set-up-temporal.ts';
import { startWorker } from '../../../src/worker.ts';
import { searchAttributeKeys } from '../../../src/workflows/search-attributes.ts';
import { startRefusingProxy } from '../../support/refusing-proxy.ts';
import { devServer, type TestServer } from '../../support/temporal.ts';

const WITHIN = { timeout: 120_000, interval: 1_000 };
/** Longer than Core goes on polling. */
const OUTAGE_MS = 90_000;

let temporal: TestServer;
let folder: string;

beforeAll(async () => {
  temporal = await devServer({ searchAttributes: searchAttributeKeys });
  folder = mkdtempSync(join(tmpdir(), 'sendoff-lost-background-'));
});
afterAll(async () => {
  await temporal.stop();
  rmSync(folder, { recursive: true });
});

const create = (namespace: string, isBackground = true) =>
  setUpTemporal({
    ...{ connection: temporal.environment.connection, address: temporal.address, namespace },
    searchAttributes: isBackground ? [] : searchAttributeKeys,
  });

test.concurrent.for([
  { name: 'denied', state: 'refused', kind: 'namespace_refused' },
  { name: 'deleted', state: 'not_set_up', kind: 'namespace' },
])(
  'while the background Namespace is $name onboardings go on, and its Workers come back with it',
  { timeout: 400_000 },
  async ({ name, state, kind }, { expect }) => {
    const background = `${name}-background`;
    await create(name, false);
    await create(background);
    const proxy = await startRefusingProxy(temporal.address, background);
    const { connection } = temporal.environment;
    const worker = await startWorker(config(name), { connectionOptions: { address: proxy.address }, namespace: name });
    let ended: unknown = 'no';
    worker.run.then(
      () => (ended = 'yes'),
      (error: unknown) => (ended = error),
    );
    const own = new Client({ connection, namespace: name });
    const inBackground = new Client({ connection, namespace: background });
    const ready = async () => {
      const answer = await fetch(`${worker.healthUrl ?? ''}/readyz`);
      return { code: answer.status, ...((await answer.json()) as object) };
    };
    const answers = (client: Client) => answersQueries(client, { timeoutMs: 10_000 });
    try {
      await expect.poll(ready, WITHIN).toMatchObject({ code: 200, temporal: 'ok' });
      if (name === 'deleted') await connection.operatorService.deleteNamespace({ namespace: background });
      else proxy.refuse();
      const missing = [{ kind, name: background, background: true }];
      await expect.poll(ready, WITHIN).toMatchObject({ code: 200, status: 'ok', temporal: state, missing });
      const until = Date.now() + OUTAGE_MS;
      await expect
        .poll(
          async () => {
            expect(await answers(own)).toBe(true);
            expect(ended).toBe('no');
            return Date.now() > until;
          },
          { timeout: OUTAGE_MS + 30_000, interval: 2_000 },
        )
        .toBe(true);
      if (name === 'deleted') await create(background);
      else proxy.permit();
      await expect.poll(() => answers(inBackground), WITHIN).toBe(true);
      await expect.poll(ready, WITHIN).toMatchObject({ code: 200, temporal: 'ok' });
      expect(await answers(own)).toBe(true);
    } finally {
      await worker.stop();
      proxy.stop();
    }
    expect(ended).toBe('yes');
  },
);

test.concurrent.for([
  { name: 'own-denied', state: 'refused', kind: 'namespace_refused' },
  { name: 'own-deleted', state: 'not_set_up', kind: 'namespace' },
])(
  'a Worker outlasts the loss of its own Namespace, $name: it goes on once it can, and ends when it is told to',
  { timeout: 400_000 },
  async ({ name, state, kind }, { expect }) => {
    await create(name, false);
    await create(`${name}-background`);
    const proxy = await startRefusingProxy(temporal.address, name);
    const { connection } = temporal.environment;
    const worker = await startWorker(config(name), { connectionOptions: { address: proxy.address }, namespace: name });
    let ended: unknown = 'no';
    worker.run.then(
      () => (ended = 'yes'),
      (error: unknown) => (ended = error),
    );
    const own = new Client({ connection, namespace: name });
    const ready = async () => {
      const answer = await fetch(`${worker.healthUrl ?? ''}/readyz`);
      return { code: answer.status, ...((await answer.json()) as object) };
    };
    try {
      await expect.poll(ready, WITHIN).toMatchObject({ code: 200, temporal: 'ok' });
      if (name === 'own-deleted') await connection.operatorService.deleteNamespace({ namespace: name });
      else proxy.refuse();
      await expect.poll(ready, WITHIN).toMatchObject({ code: 503, temporal: state, missing: [{ kind, name }] });
      await new Promise((resolve) => setTimeout(resolve, OUTAGE_MS));
      expect(ended).toBe('no');
      if (name === 'own-deleted') {
        await create(name, false);
        const missing = [{ kind: 'other_namespace', name }];
        await expect.poll(ready, WITHIN).toMatchObject({ code: 503, temporal: 'incomplete', missing });
      } else {
        proxy.permit();
        await expect.poll(ready, WITHIN).toMatchObject({ code: 200, temporal: 'ok' });
        expect(await answersQueries(own, { timeoutMs: 10_000 })).toBe(true);
      }
    } finally {
      const stopped = worker.stop().then(() => 'stopped');
      const late = new Promise((resolve) => setTimeout(resolve, 60_000, 'it runs on'));
      expect(await Promise.race([stopped, late])).toBe('stopped');
      proxy.stop();
    }
    expect(ended).toBe('yes');
  },
);

const config = (name: string) =>
  readConfig({
    SENDOFF_API_TOKEN: 'a-token-of-more-than-24-characters',
    SENDOFF_SECRET_KEY: SECRET_KEY,
    SENDOFF_DATABASE_URL: `file:${join(folder, `${name}.db`)}`,
    SENDOFF_PORT: '0',
    SENDOFF_HEALTH_PORT: '0',
    SENDOFF_NOTIFICATION_URL: 'http://127.0.0.1:9',
    SENDOFF_NOTIFICATION_SECRET: `whsec_${randomBytes(32).toString('base64')}`,
    EMAIL_PROVIDER_OPERATOR_TOKEN: 'operator',
    EMAIL_PROVIDER_URL: 'http://127.0.0.1:9',
    DNS_RESOLVERS: '127.0.0.1:9',
  });
const SECRET_KEY = randomBytes(32).toString('base64');
