// A real server and real time: the provider takes a request and does not answer.
import { expect, test } from 'vitest';
import { inputOf, manyOnboardings } from '../../support/onboarding-environment.ts';

/** A person or a script waits for the answer; the provider's client gives up after ten seconds and is then called again. */
const SECONDS_MAX = 15;

const unwatched = async (): Promise<void> => undefined;

test('checkNow at a provider that does not answer says within seconds that the check has begun; repeated requests join it, and the record shows its result', async () => {
  const silent = new Set<string>();
  const released: (() => void)[] = [];
  const before = async (call: string, tenantId: string): Promise<void> => {
    if (call === 'getDomain' && silent.has(tenantId)) await new Promise<void>((resolve) => released.push(resolve));
  };
  await manyOnboardings({ verified: () => false, before }, async ({ start, onboardings, register, history }) => {
    const handle = await start(inputOf('silent'));
    const checkedAt = async () => (await register.get('silent'))?.checkedAt ?? null;
    await expect.poll(checkedAt, { timeout: 20_000 }).not.toBeNull();
    const before = await checkedAt();
    silent.add('silent');
    // Another two minutes would begin another check.
    await expect.poll(() => Date.now() % 120_000, { timeout: 40_000 }).toBeLessThan(90_000);
    for (let press = 0; press < 2; press += 1) {
      const since = performance.now();
      expect(await onboardings.checkNow('silent', unwatched)).toEqual({ kind: 'begun' });
      expect(performance.now() - since).toBeLessThan(SECONDS_MAX * 1_000);
    }
    const { json } = await history(handle);
    expect(json.match(/EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_ACCEPTED/g)).toHaveLength(1);

    silent.clear();
    for (const release of released) release();
    await expect.poll(checkedAt, { timeout: 10_000 }).not.toBe(before);
    expect(await onboardings.checkNow('silent', unwatched)).toMatchObject({
      kind: 'done',
      result: { verified: false, records: [{ findings: [{ code: 'not_published' }] }] },
    });
    await handle.terminate();
  });
});
