import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { CheckInput } from '../../src/agents-md/check-input.ts';
import type { CheckResult } from '../../src/agents-md/check-result.ts';
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
  const file = join(data, 'producers.jsonl');
  const check = ['agents-md', 'check', '--file', file, '--data', data];

  test('a command that was killed during its batch shows every result when run again, and repeats no request', async () => {
    writeFileSync(file, producers.map((producer) => JSON.stringify(producer)).join('\n'));
    const killed = await startSendoff(...check);
    await killed.printed(/^p\d+ +(pass|fail)/m);
    killed.child.kill('SIGKILL');
    await killed.ended;
    expect(killed.stdout().trimEnd().split('\n').length).toBeLessThan(producers.length);

    const again = await sendoff(...check, '--json');
    expect(again.code, again.stderr).toBe(2);
    expect(again.stderr).toContain('Resuming batch');
    expect(again.stderr).toContain('17 producers: 6 pass, 11 fail');
    const results = again.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as CheckResult);
    expect(results.map(({ subject, outcome }) => `${subject.producerId} ${outcome ?? ''}`).sort()).toEqual(
      producers.map(({ producerId }, at) => `${producerId} ${(at % 12) % 3 === 0 ? 'pass' : 'fail'}`).sort(),
    );
    const answered = host()
      .requests()
      .filter(({ status }) => status !== 429);
    expect(new Set(answered.map(({ path }) => path)).size).toBe(answered.length);
    // Twelve repositories, and the fallback of the eight without a file.
    expect(answered).toHaveLength(20);

    const shown = await sendoff(...check);
    expect(shown.code).toBe(2);
    expect(shown.stdout.trimEnd().split('\n')).toHaveLength(producers.length);
    expect(
      host()
        .requests()
        .filter(({ status }) => status !== 429),
    ).toHaveLength(20);
  }, 120_000);

  test('a Schedule checks at once, can be listed, paused, resumed and deleted, and leaves its result', async () => {
    const command = (...args: string[]) => sendoff('agents-md', ...args, '--data', data);
    const scheduled = await command('schedule', 'weekly', '--org', 'org0', '--repo', 'main', '--every', '7d');
    expect(scheduled.stdout).toContain('Created  weekly: github.com/org0/main every 7d');
    const again = await command('schedule', 'weekly', '--org', 'org0', '--repo', 'main', '--every', '7d');
    expect(again.stdout).toContain('Changed  weekly: github.com/org0/main every 7d');
    expect((await command('list')).stdout).toMatch(/^weekly +github\.com\/org0\/main +7d +active/m);
    expect((await command('pause', 'weekly', '--note', 'they move')).stdout).toContain('Note      they move');
    expect((await command('resume', 'weekly')).stdout).toContain('every 7d, active');
    await expect.poll(async () => (await command('show', 'weekly')).code, { timeout: 30_000 }).toBe(0);
    expect((await command('delete', 'weekly')).code).toBe(0);
    expect((await command('list')).stdout).toBe('No Schedules.\n');
    const shown = await command('show', 'weekly');
    expect(shown.stdout).toContain('weekly: pass (content_found)');
  }, 120_000);
}
