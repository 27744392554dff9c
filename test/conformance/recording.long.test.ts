// A recording of a run, with a simulation in the provider's place: it holds nothing of the account, and shows where the provider answers otherwise.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FAKE_KEY } from '../../src/conformance/fakes/fake-resend.ts';
import { readRecording } from '../../src/conformance/recording.ts';
import { folder, printed, resend, run, useLiveRuns } from './live-runs.ts';

useLiveRuns();

test('a recorded run against an account holds no credential, address, domain or id, and shows what has changed', async () => {
  const file = join(folder, 'recording.jsonl');
  resend.domains.push({ id: 'own', name: 'customer.example', status: 'verified' });
  await run({ provider: 'resend', live: true, domain: 'customer.example', yes: true, record: file });
  const text = readFileSync(file, 'utf8');
  const { provider, target, exchanges } = readRecording(file);
  expect([provider, target]).toEqual(['resend', 'live']);
  expect(exchanges.length).toBeGreaterThan(3);
  expect(exchanges.map(({ operation }) => operation)).toContain('POST /domains');
  for (const secret of [FAKE_KEY, 'customer', '@', 'so-', ...resend.keys.map(({ token }) => token)])
    expect(text).not.toContain(secret);
  expect(text).not.toMatch(/[0-9a-f]{8}/);
  expect(await run({ replay: file })).toBe(0);
  expect(printed).toMatch(/^resend, live, .*: \d+ exchanges; 0 differences from the simulation\n$/);

  // As if the provider had changed.
  const answered = readFileSync(file, 'utf8');
  const changes: [string, string][] = [
    ['"status":"not_started"', '"status":"verifying"'],
    ['"region":', '"zone":"string(4)","region":'],
    ['"ttl":"string(4)",', ''],
  ];
  for (const [from] of changes) expect(answered).toContain(from);
  writeFileSync(
    file,
    changes.reduce((text, [from, to]) => text.replaceAll(from, to), answered),
  );
  expect(await run({ replay: file })).toBe(1);
  expect(printed).toContain('POST /domains 201: zone is not in the simulation');
  expect(printed).toContain('POST /domains 201: records[].ttl is in the simulation alone');
  expect(printed).toContain('POST /domains 201: status = verifying is a value that the simulation never gives');
});
