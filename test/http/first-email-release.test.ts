import { expect, test } from 'vitest';
import { buildHttpApp } from '../../src/http/app.ts';
import { httpDependencies, runningView } from '../support/http-dependencies.ts';

test('refuses to release an email at the email service, which recognizes a repetition', async () => {
  const token = 'a-token-of-the-backend-long-enough';
  const { views } = httpDependencies();
  const app = buildHttpApp(
    httpDependencies({
      views: { ...views, get: async () => runningView() },
      apiTokens: [{ name: 'backend', token }],
    }),
  );
  const answer = await app.inject({
    ...{ method: 'POST', url: '/onboardings/acme/first-email/release', payload: { by: 'ops', reason: 'r' } },
    headers: { authorization: `Bearer ${token}` },
  });
  expect([answer.statusCode, answer.json()]).toMatchObject([
    409,
    {
      code: 'update_refused',
      detail: expect.stringMatching(/is at the email service, which recognizes a repeated request/) as string,
    },
  ]);
  await app.close();
});
