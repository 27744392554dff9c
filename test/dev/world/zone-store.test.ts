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
