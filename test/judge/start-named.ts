import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { askServer } from '../../src/lib/dns/resolver/ask-server.ts';
import type { SuiteRun } from './suite.ts';

export interface NamedOptions {
  /** The path of its configuration. */
  readonly configuration: string;
  /** On 127.0.0.1, as in the configuration. */
  readonly port: number;
  /** That it knows. @default test */
  readonly zone?: string;
  /** Whether it is a resolver. */
  readonly recursionDesired: boolean;
  /** Of one question whether it answers yet. */
  readonly timeoutMs: number;
}

/** Starts BIND, and resolves once it answers about the zone. */
export async function startNamed(
  { tools, signal }: Pick<SuiteRun, 'tools' | 'signal'>,
  { configuration, port, zone = 'test', ...question }: NamedOptions,
): Promise<{ stop: () => Promise<void> }> {
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
