import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { onboard, type OnboardOptions } from '../../src/cli/onboarding/commands.ts';
import { type ScriptedApi, startScriptedApi } from './scripted-api.ts';

let api: ScriptedApi;
beforeEach(async () => {
  api = await startScriptedApi();
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await api.stop();
});

const options: OnboardOptions = {
  tenant: 'acme',
  domain: 'acme.test',
  from: 'hello@acme.test',
  to: 'ada@inbox.test',
  subject: 'Welcome',
  body: 'It works.',
  follow: false,
  json: true,
  data: '/nonexistent',
};
const view = { tenantId: 'acme', workflowId: 'onboarding/acme', outcome: 'running', uiUrl: null };

test('onboard starts with PUT, and with --restart on purpose anew', async () => {
  api.answer('PUT /onboardings/acme', { status: 200, body: view });
  api.answer('POST /onboardings/acme/restart', { status: 201, body: view });
  expect(await onboard(options, api.environment)).toBe(0);
  expect(await onboard({ ...options, restart: true }, api.environment)).toBe(0);
  expect(api.calls()).toEqual(['PUT /onboardings/acme', 'POST /onboardings/acme/restart']);
  const [put, restart] = api.requests;
  expect(restart?.body).toEqual(put?.body);
});
