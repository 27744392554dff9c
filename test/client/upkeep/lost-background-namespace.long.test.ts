// Temporal Core fails a Worker that has polled for a minute in a Namespace that is gone or refuses the credentials, and never lets go of it: such
// a process could neither go on nor end.
import '../../support/quiet-temporal.ts';
import { Client } from '@temporalio/client';
import { afterAll, beforeAll, test } from 'vitest';
import { answersQueries } from '../../../src/client/worker-presence.ts';
import { setUpTemporal } from '../../../src/lib/temporal/setup/set-up-temporal.ts';
import { searchAttributeKeys } from '../../../src/workflows/search-attributes.ts';
import { databaseFiles } from '../../support/database-files.ts';
import { startRefusingProxy } from '../../support/refusing-proxy.ts';
import { notifying, settingsOf, start } from '../../support/start-program.ts';
import { devServer, type TestServer } from '../../support/temporal.ts';

const WITHIN = { timeout: 120_000, interval: 1_000 };
/** Longer than Core goes on polling. */
const OUTAGE_MS = 90_000;

let temporal: TestServer;
const { urlOf, remove } = databaseFiles();

beforeAll(async () => {
  temporal = await devServer({ searchAttributes: searchAttributeKeys });
});
afterAll(async () => {
  await temporal.stop();
  remove();
});

const create = (namespace: string, isBackground = true) =>
  setUpTemporal({
    ...{ connection: temporal.environment.connection, address: temporal.address, namespace },
    searchAttributes: isBackground ? [] : searchAttributeKeys,
  });

/** A Worker behind a proxy that can refuse one of its two Namespaces. */
async function startBehindProxy(name: string, refused: string) {
  await create(name, false);
  await create(`${name}-background`);
  const proxy = await startRefusingProxy(temporal.address, refused);
  const settings = settingsOf(urlOf(name), { SENDOFF_HEALTH_PORT: '0', ...notifying('http://127.0.0.1:9') });
  const worker = await start.worker(settings, { address: proxy.address, namespace: name });
  let ended: unknown = 'no';
  worker.run.then(
    () => (ended = 'yes'),
    (error: unknown) => (ended = error),
  );
  const ready = async () => {
    const answer = await fetch(`${worker.healthUrl ?? ''}/readyz`);
    return { code: answer.status, ...((await answer.json()) as object) };
  };
  return { proxy, worker, ready, ended: () => ended };
}

test.concurrent.for([
  { name: 'denied', state: 'refused', kind: 'namespace_refused' },
  { name: 'deleted', state: 'not_set_up', kind: 'namespace' },
])(
  'while the background Namespace is $name onboardings go on, and its Workers come back with it',
  { timeout: 400_000 },
  async ({ name, state, kind }, { expect }) => {
    const background = `${name}-background`;
    const { proxy, worker, ready, ended } = await startBehindProxy(name, background);
    const { connection } = temporal.environment;
    const own = new Client({ connection, namespace: name });
    const inBackground = new Client({ connection, namespace: background });
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
            expect(ended()).toBe('no');
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
    expect(ended()).toBe('yes');
  },
);

test.concurrent.for([
  { name: 'own-denied', state: 'refused', kind: 'namespace_refused' },
  { name: 'own-deleted', state: 'not_set_up', kind: 'namespace' },
])(
  'a Worker outlasts the loss of its own Namespace, $name: it goes on once it can, and ends when it is told to',
  { timeout: 400_000 },
  async ({ name, state, kind }, { expect }) => {
    const { proxy, worker, ready, ended } = await startBehindProxy(name, name);
    const { connection } = temporal.environment;
    const own = new Client({ connection, namespace: name });
    try {
      await expect.poll(ready, WITHIN).toMatchObject({ code: 200, temporal: 'ok' });
      if (name === 'own-deleted') await connection.operatorService.deleteNamespace({ namespace: name });
      else proxy.refuse();
      await expect.poll(ready, WITHIN).toMatchObject({ code: 503, temporal: state, missing: [{ kind, name }] });
      await new Promise((resolve) => setTimeout(resolve, OUTAGE_MS));
      expect(ended()).toBe('no');
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
    expect(ended()).toBe('yes');
  },
);
