import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { askServer } from '../../src/lib/dns/resolver/ask-server.ts';
import type { SuiteRun } from './suite.ts';

export interface NamedOptions {
  /** On 127.0.0.1; also of the servers that it asks. */
  readonly port: number;
  /** Further statements of `options`. */
  readonly options: string;
  /** The rest of its configuration. */
  readonly sections: readonly string[];
  /** That it knows. @default test */
  readonly zone?: string;
  /** Whether it is a resolver. */
  readonly recursionDesired: boolean;
  /** Of one question whether it answers yet. */
  readonly timeoutMs: number;
}

/** Starts BIND, and resolves once it answers about the zone. */
export async function startNamed(
  { folder, tools, signal }: Pick<SuiteRun, 'folder' | 'tools' | 'signal'>,
  { port, options, sections, zone = 'test', ...question }: NamedOptions,
): Promise<{ stop: () => Promise<void> }> {
  const own = join(folder, `named-${port}`);
  await mkdir(own);
  const configuration = join(own, 'named.conf');
  const statements = [
    `options { directory "${own}"; port ${port}; listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; };`,
    `  pid-file none; session-keyfile none; ${options} };`,
    'controls {};',
    ...sections,
  ];
  await writeFile(configuration, statements.join('\n'));
  const named = spawn(tools.command('named'), ['-g', '-c', configuration], { env: tools.environment, stdio: 'ignore' });
  const exited = once(named, 'exit');
  const stop = async (): Promise<void> => {
    named.kill();
    await exited;
  };
  for (;;) {
    signal.throwIfAborted();
    if (named.exitCode !== null) throw new Error(`named ended with ${String(named.exitCode)}`);
    const answer = await askServer({ address: '127.0.0.1', port }, zone, 'SOA', question);
    if ('rcode' in answer && answer.rcode === 0) return { stop };
    await delay(50, undefined, { signal });
  }
}

/** Of UDP on 127.0.0.1. */
export async function freePort(): Promise<number> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address();
  socket.close();
  await once(socket, 'close');
  return port;
}
