import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { packagedModule } from '../support/packaged-command.ts';

const program = `
  import { untilInterrupted } from ${JSON.stringify(await packagedModule('cli/until-interrupted.js'))};
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
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
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
