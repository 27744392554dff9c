import { expect, test } from 'vitest';
import { newDataFolder, startSendoff } from './running-sendoff.ts';

test('a demo on the data of another one says what differs and what to do; with the same options it shows its end', async () => {
  const data = newDataFolder();
  const first = await startSendoff('demo', '--data', data);
  expect(await first.ended).toBe(0);

  const other = await startSendoff('demo', '--data', data, '--fail', 'F1');
  expect(await other.ended).toBe(1);
  expect(other.stderr()).toContain('it differs in verificationWindow');
  expect(other.stderr()).toContain(
    'Run the demo with the options of its first run, or with another folder: --data DIR',
  );

  const again = await startSendoff('demo', '--data', data);
  expect(await again.ended).toBe(0);
}, 180_000);
