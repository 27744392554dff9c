import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { CheckInput } from '../../src/agents-md/check-input.ts';
import type { ProducerView } from '../../src/client/agents-md/producer-views.ts';
import { type CodeHostServer, startCodeHost } from '../../src/dev/code-host/start-code-host.ts';
import { sendoff, startSendoff } from './running-sendoff.ts';

const TEXT = 'How to build and test this. '.repeat(10);
/** A third of them has a file; the last five share the repositories of the first five. */
const producers: readonly CheckInput[] = Array.from({ length: 17 }, (_, at) => ({
  producerId: `p${at}`,
  organization: `org${at % 12}`,
  primaryRepository: 'main',
}));

/** Answers as one code host, on this machine. */
export const startCheckedHost = (): Promise<CodeHostServer> =>
  startCodeHost({
    repositories: Array.from({ length: 12 }, (_, at) => ({
      organization: `org${at}`,
      name: 'main',
      stars: 1,
      files: at % 3 === 0 ? { 'AGENTS.md': TEXT } : {},
    })),
    throttles: [{ organization: 'org4', times: 1, retryAfterSeconds: 1 }],
  });

/** Of a local deployment that checks this host. */
export const checkSettings = (host: CodeHostServer): NodeJS.ProcessEnv => ({
  AGENTS_MD_CONTACT: 'ops@example.com',
  AGENTS_MD_HOST_URLS: JSON.stringify({ 'github.com': host.urls }),
  AGENTS_MD_REQUESTS_PER_SECOND: '5',
});

/** Tests of a running local deployment. */
export function agentsMdCommands(data: string, host: () => CodeHostServer): void {
  const command = (...args: string[]) => sendoff('agents-md', ...args, '--data', data);
  const check = ['agents-md', 'check', '--all', '--data', data];

  test('an imported catalogue is checked; a command that was killed follows the same checks when run again', async () => {
    const file = join(data, 'producers.jsonl');
    writeFileSync(file, producers.map((producer) => JSON.stringify(producer)).join('\n'));
    expect((await command('producers', 'import', file)).stdout).toMatch(/^added +17 /m);
    const killed = await startSendoff(...check);
    await killed.printed(/\/17 /);
    killed.child.kill('SIGKILL');
    await killed.ended;

    const again = await sendoff(...check);
    expect(again.code, again.stderr).toBe(2);
    expect(again.stdout).toBe('17 producers: 6 pass, 11 fail\n');
    const report = JSON.parse((await command('report', '--format', 'json')).stdout) as { producers: ProducerView[] };
    expect(report.producers.map(({ producerId, latest }) => `${producerId} ${latest?.outcome ?? ''}`).sort()).toEqual(
      producers.map(({ producerId }, at) => `${producerId} ${(at % 12) % 3 === 0 ? 'pass' : 'fail'}`).sort(),
    );
    expect(
      new Set(
        host()
          .requests()
          .map(({ path }) => path),
      ).size,
    ).toBe(20);
  }, 120_000);

  test('a producer is added and checked at once, listed, paused, resumed and removed', async () => {
    const added = await command('producers', 'add', 'weekly', '--org', 'org0', '--repo', 'main', '--label', 'one');
    expect(added.stdout).toContain('Added  weekly: github.com/org0/main every 7d');
    await expect.poll(async () => (await command('show', 'weekly')).code, { timeout: 30_000 }).toBe(0);
    const list = ['producers', 'list', '--label', 'one'];
    expect((await command(...list)).stdout).toMatch(/^weekly +github\.com\/org0\/main +7d +pass +content_found/m);
    expect((await command('producers', 'pause', 'weekly')).stdout).toContain('next check paused');
    expect((await command('producers', 'resume', 'weekly')).stdout).toContain('next check 20');
    expect((await command('producers', 'remove', 'weekly')).code).toBe(0);
    expect((await command(...list)).stdout).toBe('No producers.\n');
  }, 120_000);
}
