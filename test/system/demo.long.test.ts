import { beforeAll, describe, expect, test } from 'vitest';
import type { DemoReport } from '../../src/cli/local/demo-report.ts';
import { addressOf, type RunningSendoff, startSendoff, startSendoffFromSources } from './running-sendoff.ts';
import { folderOfFile } from '../support/temporary-folder.ts';

/** One story on one data folder: each start continues where the one before was killed or has ended. */
describe('the demo with a data folder', () => {
  const data = folderOfFile();
  let waiting: RunningSendoff;
  let runId: string;

  beforeAll(async () => {
    const killed = await startSendoff('demo', '--data', data);
    await killed.printed(/Starting the email service/);
    killed.child.kill('SIGKILL');
    await killed.ended;

    waiting = await startSendoff('demo', '--data', data);
    await waiting.printed(/Wait until the domain is verified[\s\S]*_domainkey[\s\S]*Attempt 1/);
    runId = await runIdInDomainWait(data);
    waiting.child.kill('SIGKILL');
    await waiting.ended;
  }, 240_000);

  test('reaches the domain wait after a SIGKILL during its first start, and shows what to publish and what is missing', () => {
    const shown = waiting.stderr();
    for (const part of [
      'Create an API key',
      'TXT  bounce.acme.test (host bounce in zone acme.test)',
      'Domain is pending.',
    ]) {
      expect(shown).toContain(part);
    }
  });

  test('continues the same onboarding in a clone after a SIGKILL in the domain wait, to one message', async () => {
    const demo = await startSendoffFromSources('demo', '--json', '--data', data);
    expect(await demo.ended, demo.stderr()).toBe(0);
    const report = JSON.parse(demo.stdout()) as DemoReport;
    expect(report).toMatchObject({ outcome: 'onboarded', runId });
    expect(report.received).toHaveLength(1);
  });

  test('shows its end when it is run again with the same options, without a link to what has stopped', async () => {
    const again = await startSendoff('demo', '--data', data);
    expect(await again.ended, again.stderr()).toBe(0);
    expect(again.stdout()).not.toContain('http://');
    expect(again.stdout()).toContain('With --keep it runs until Ctrl-C');
  });
});

async function runIdInDomainWait(data: string): Promise<string> {
  const { url, apiToken } = addressOf(data);
  const answer = await fetch(`${url}/onboardings/acme`, { headers: { authorization: `Bearer ${apiToken}` } });
  const view = (await answer.json()) as { runId: string; onboarding: { stage: string } };
  expect(view.onboarding.stage).toBe('awaitingDomain');
  return view.runId;
}
