import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { addressOf, startSendoffWith } from './running-sendoff.ts';
import { storedInTemporal } from './stored-in-temporal.ts';

/** A demo with encrypted payloads, to its end and Ctrl-C: what it printed, what Temporal stored, and its folders that are left. */
export async function encryptedDemo(...args: string[]) {
  const temporary = temporaryFolder();
  const folders = (): string[] => readdirSync(temporary).filter((name) => name.startsWith('sendoff-demo-'));
  const environment = { TMPDIR: temporary, SENDOFF_PAYLOAD_KEYS: `only:${randomBytes(32).toString('base64')}` };
  const demo = await startSendoffWith(environment, ...args, '--json', '--keep');
  try {
    await demo.printed(/Still running/);
    const stored = await storedInTemporal(addressOf(join(temporary, folders()[0] ?? '')));
    demo.child.kill('SIGINT');
    const code = await demo.ended;
    return { code, stored, stdout: demo.stdout(), stderr: demo.stderr(), left: folders() };
  } finally {
    demo.child.kill('SIGKILL');
  }
}
