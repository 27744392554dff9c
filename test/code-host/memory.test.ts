import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PlaceFetcher } from '../../src/code-host/fetch-place.ts';
import { fetcherOf, firstLook } from '../support/place-fetcher.ts';

let host: ChildProcess;
let fetcher: PlaceFetcher;

beforeAll(async () => {
  // In a process of its own, so that what it holds is not counted.
  host = fork(new URL('./hostile-host.ts', import.meta.url), { execArgv: ['--import', 'tsx'] });
  const [url] = (await once(host, 'message')) as [string];
  fetcher = fetcherOf({ web: url, raw: url, api: url }, { timeoutMs: 1_000 });
});

afterAll(async () => {
  await fetcher.close();
  host.kill();
  await once(host, 'exit');
});

test('reads twenty concurrent hostile bodies in less than 100 MB', async () => {
  const ask = (repository: string): Promise<unknown> =>
    fetcher
      .fetchPlace(firstLook(repository, 'hostile'), new AbortController().signal)
      // A body that never ends is no answer.
      .catch((error: unknown) => error);
  const every = (): Promise<unknown[]> =>
    Promise.all(
      ['ten-gigabytes', 'endless', 'bomb', 'dripping'].flatMap((name) => Array<string>(5).fill(name)).map(ask),
    );
  const idle = process.memoryUsage().rss;
  let most = 0;
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss);
  }, 10);
  for (let round = 0; round < 3; round++) await every();
  clearInterval(watch);
  expect(most).toBeGreaterThan(0);
  expect((most - idle) / 1_000_000).toBeLessThan(100);
});
