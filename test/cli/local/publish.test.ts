import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { publish } from '../../../src/cli/local/publish.ts';
import type { ZoneRecord } from '../../../src/dev/world/zone-record.ts';
import { type ScriptedApi, startScriptedApi } from '../scripted-api.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let api: ScriptedApi;
let data: string;
let out: string;
beforeEach(async () => {
  api = await startScriptedApi();
  data = temporaryFolder();
  writeFileSync(join(data, 'address.json'), JSON.stringify({ url: api.url, apiToken: 'token' }));
  out = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => ((out += String(text)), true));
});
afterEach(() => {
  vi.restoreAllMocks();
});

const spf = {
  purpose: 'spf',
  type: 'TXT',
  name: 'bounce.acme.test',
  host: 'bounce',
  value: 'v=spf1 -all',
  required: true,
  status: 'missing',
  found: [],
  findings: [],
};

const publishedTexts = (): string[] =>
  (JSON.parse(readFileSync(join(data, 'zone.json'), 'utf8')) as ZoneRecord[])
    .filter(({ type }) => type === 'TXT')
    .map(({ name, value }) => `${name} ${value}`);

test('publishes the records of a tenant, also in place of a mistake', async () => {
  const onboarding = { domain: 'acme.test', records: [spf] };
  api.answer('GET /onboardings/acme', { status: 200, body: { workflowId: 'onboarding/acme', onboarding } });
  expect(await publish('acme', { data, mistake: 'host_doubled' })).toBe(0);
  expect(out).toContain('Published as a tenant who enters full names in a form that appends the zone:');
  expect(out).toContain('TXT  bounce.acme.test.acme.test');
  expect(publishedTexts()).toContain('bounce.acme.test.acme.test v=spf1 -all');

  expect(await publish('acme', { data })).toBe(0);
  expect(out).toContain('Published:\n  TXT  bounce.acme.test');
  expect(publishedTexts()).toContain('bounce.acme.test v=spf1 -all');
  expect(publishedTexts()).not.toContain('bounce.acme.test.acme.test v=spf1 -all');
});

test('fails for an onboarding that has no records yet', async () => {
  const onboarding = { domain: 'acme.test', records: [] };
  api.answer('GET /onboardings/acme', { status: 200, body: { workflowId: 'onboarding/acme', onboarding } });
  await expect(publish('acme', { data })).rejects.toThrow('onboarding/acme has no DNS records yet');
});
