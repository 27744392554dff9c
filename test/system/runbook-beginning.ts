import { expect, test } from 'vitest';
import { commandsOf, follow, run, statusOf, waitsForDomain } from './runbook-world.ts';

/** The story of the page as far as a first day goes: each test continues where the one before has ended. */
export function tellRunbookBeginning(): void {
  test('first start: setup, the programs, and doctor finds no problem', async () => {
    await follow(['sendoff setup', 'sendoff email-service', 'sendoff worker', 'sendoff server']);
    const { code, output } = await run(commandsOf('Runbook')[0] ?? '');
    expect(code, output).toBe(0);
    expect(output).toMatch(/^0 problems, 1 warning$/m);
  });

  test('the wrong domain: undoes the onboarding and starts it with the right one', async () => {
    const commands = commandsOf('The wrong domain');
    await follow([commands[1] ?? ''], { 'mail.acme.com': 'mail.amce.com' });
    await waitsForDomain();
    const differing = await run(commands[1] ?? '');
    expect(differing.output).toMatch(/onboarding_differs: .*domain/);
    await follow(commands);
    await waitsForDomain();
    expect((await statusOf()).onboarding.records.every(({ name }) => name.endsWith('mail.acme.com'))).toBe(true);
  });

  test('stuck: status and dns check show what is missing, and check now does not wait for the next check', async () => {
    const [status = '', dnsCheck = '', checkNow = '', list = ''] = commandsOf('An onboarding is stuck');
    const shown = await run(status);
    expect(shown.code).toBe(0);
    expect(shown.output).toMatch(/^acme.*: running, stage awaitingDomain/);
    expect(shown.output).toContain('_domainkey.mail.acme.com');
    const checked = await run(dnsCheck);
    expect(checked.code).toBe(1);
    expect(checked.output).toContain('mail.acme.com');
    const now = await run(checkNow);
    expect(now.code, now.output).toBe(20);
    expect(now.output).toContain('acme: not verified yet');
    await follow([list]);
  });

  test('more time: the deadline is a day later', async () => {
    const deadline = async (): Promise<number> => Date.parse((await statusOf()).onboarding.verificationDeadline ?? '');
    const before = await deadline();
    await follow(commandsOf('The tenant needs more time'));
    await expect.poll(async () => (await deadline()) - before).toBe(24 * 3_600_000);
  });
}
