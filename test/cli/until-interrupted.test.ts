import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const program = `
  import { untilInterrupted } from ${JSON.stringify(new URL('../../src/cli/until-interrupted.ts', import.meta.url))};
  setInterval(() => undefined, 1_000);
  const interrupted = untilInterrupted();
  console.log('ready');
  console.log(await interrupted);
`;

test.each([
  ['SIGINT', '130', 'SIGTERM'],
  ['SIGTERM', '143', 'SIGINT'],
  ['SIGINT', '130', 'SIGINT'],
] as const)('%s resolves with %s, and a %s after it ends the process at once', async (first, code, second) => {
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', program], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const ended = once(child, 'exit');
    const printed = child.stdout.setEncoding('utf8')[Symbol.asyncIterator]();
    expect(await printed.next()).toMatchObject({ value: 'ready\n' });
    child.kill(first);
    expect(await printed.next()).toMatchObject({ value: `${code}\n` });
    child.kill(second);
    expect(await ended).toEqual([null, second]);
  } finally {
    child.kill('SIGKILL');
  }
});
