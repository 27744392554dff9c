import { expect, test } from 'vitest';
import { buildHttpApp } from '../../src/http/app.ts';
import { httpDependencies, runningView } from '../support/http-dependencies.ts';
import { request } from '../support/http-requests.ts';

test('refuses to release an email at the email service, which recognizes a repetition', async () => {
  const { views } = httpDependencies();
  const app = buildHttpApp(httpDependencies({ views: { ...views, get: async () => runningView() } }));
  const answer = await request(app, 'POST', '/onboardings/acme/first-email/release', { by: 'ops', reason: 'r' });
  expect([answer.statusCode, answer.json()]).toMatchObject([
    409,
    {
      code: 'update_refused',
      detail: expect.stringMatching(/is at the email service, which recognizes a repeated request/) as string,
    },
  ]);
  await app.close();
});
