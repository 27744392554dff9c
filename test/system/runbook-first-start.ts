import { expect, test } from 'vitest';
import { commandsOf, follow, run } from './runbook-world.ts';

/** The tests of the page after it continue where it has ended. */
export function tellFirstStart(): void {
  test('first start: setup, the programs, and doctor finds no problem', async () => {
    await follow(['sendoff setup', 'sendoff email-service', 'sendoff worker', 'sendoff server']);
    const { code, output } = await run(commandsOf('Runbook')[0] ?? '');
    expect(code, output).toBe(0);
    expect(output).toMatch(/^0 problems, 1 warning$/m);
  });
}
