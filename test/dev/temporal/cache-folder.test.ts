import { expect, test } from 'vitest';
import { cacheFolder } from '../../../src/dev/temporal/cache-folder.ts';

test.each([
  ['linux', {}, '/home/ada', '/home/ada/.cache/sendoff'],
  ['linux', { XDG_CACHE_HOME: '/var/cache/ada' }, '/home/ada', '/var/cache/ada/sendoff'],
  ['linux', { XDG_CACHE_HOME: 'relative' }, '/home/ada', '/home/ada/.cache/sendoff'],
  ['linux', { XDG_CACHE_HOME: '' }, '/home/ada', '/home/ada/.cache/sendoff'],
  ['darwin', {}, '/Users/ada', '/Users/ada/Library/Caches/sendoff'],
  ['win32', { LOCALAPPDATA: 'D:\\Local' }, 'C:\\Users\\ada', 'D:\\Local\\sendoff'],
  ['win32', {}, 'C:\\Users\\ada', 'C:\\Users\\ada\\AppData\\Local\\sendoff'],
] as const)('on %s with %j in %s the cache is %s', (platform, environment, homeFolder, expected) => {
  expect(cacheFolder(environment, platform, homeFolder)).toBe(expected);
});
