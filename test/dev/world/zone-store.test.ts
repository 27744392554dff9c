import { fork } from 'node:child_process';
import { once } from 'node:events';
import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openZoneStore } from '../../../src/dev/world/zone-store.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

test('what another process publishes in the same tick of the clock is read', async () => {
  const file = join(temporaryFolder(), 'zones.json');
  const [server, command] = [openZoneStore([], file), openZoneStore([], file)];
  const tick = new Date();
  const publish = async (value: string) => {
    command.publish([{ type: 'TXT', name: 'acme.test', value }]);
    await utimes(file, tick, tick);
  };
  await publish('one');
  expect(server.all()).toMatchObject([{ value: 'one' }]);
  await publish('two');
  expect(server.all()).toMatchObject([{ value: 'one' }, { value: 'two' }]);
  command.withdraw('acme.test', 'TXT');
  await publish('six');
  expect(server.all()).toMatchObject([{ value: 'six' }]);
});

test('two processes that publish at the same time lose nothing', async () => {
  const file = join(temporaryFolder(), 'zones.json');
  const processes = ['acme.test', 'blue.test'].map((name) =>
    fork(new URL('./publishing-process.ts', import.meta.url), [file, name], { execArgv: ['--import', 'tsx'] }),
  );
  await Promise.all(processes.map((one) => once(one, 'message')));
  const ended = Promise.all(processes.map((one) => once(one, 'exit')));
  for (const one of processes) one.send('publish');
  expect(await ended).toEqual([
    [0, null],
    [0, null],
  ]);
  expect(openZoneStore([], file).all()).toHaveLength(100);
});
