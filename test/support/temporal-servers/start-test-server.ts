import { Connection } from '@temporalio/client';
import { freePort, portAnswers } from '../../../src/dev/temporal/free-port.ts';
import { killTied, spawnTied, type TiedProcess } from '../../../src/dev/temporal/spawn-tied.ts';
import type { SearchAttribute } from '../../../src/lib/temporal/setup/search-attribute.ts';
import { setUpTemporal } from '../../../src/lib/temporal/setup/set-up-temporal.ts';
import { waitUntil } from '../../../src/lib/timing/wait-until.ts';

/** A free port may be taken before the server has it. */
const START_ATTEMPTS_MAX = 3;
const STARTS_WITHIN_MS = 60_000;

export interface StartTestServerOptions {
  readonly path: string;
  /** @default none */
  readonly jvmOptions?: readonly string[];
  readonly searchAttributes: readonly SearchAttribute[];
}

/** Throws when it ends while it starts. */
export async function startTestServer({
  path,
  jvmOptions = [],
  searchAttributes,
}: StartTestServerOptions): Promise<{ readonly address: string; readonly child: TiedProcess }> {
  // A path in an option may have spaces.
  const javaOptions = [process.env['JDK_JAVA_OPTIONS'] ?? '', ...jvmOptions.map((option) => `"${option}"`)].join(' ');
  const environment = { ...process.env, JDK_JAVA_OPTIONS: javaOptions };
  for (let attempt = 1; attempt <= START_ATTEMPTS_MAX; attempt++) {
    const port = await freePort();
    const child = spawnTied({ executable: path, args: [String(port)], environment });
    child.stdout.resume();
    child.stderr.resume();
    const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
    await waitUntil(async () => hasEnded() || (await portAnswers(port)), {
      timeoutMs: STARTS_WITHIN_MS,
      intervalMs: 50,
    });
    if (hasEnded()) {
      killTied(child);
      continue;
    }
    const address = `127.0.0.1:${port}`;
    const connection = await Connection.connect({ address });
    await setUpTemporal({ connection, address, namespace: 'default', searchAttributes });
    await connection.close();
    return { address, child };
  }
  throw new Error(`${path} ended ${START_ATTEMPTS_MAX} times while it started`);
}
