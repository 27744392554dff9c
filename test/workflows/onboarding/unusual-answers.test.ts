import { expect, test } from 'vitest';
import { createHttpEmailProvider } from '../../../src/email-provider/adapters/sendoff/sendoff-provider.ts';
import { jsonAnswer, startAnswerServer } from '../../support/answer-server.ts';
import { startSevenEndpoints } from '../../support/seven-endpoints.ts';
import { quick, usual, wrongEnds } from './unusual-behaviours.ts';

// The others are in unusual-answers.long.test.ts.
test.each(quick)(
  'a provider of %s: the tenant ends as it should within minutes, with one email at most and one webhook at most',
  async (name) => {
    expect(await wrongEnds([name])).toEqual([]);
  },
);

test.each([301, 302, 303, 307, 308])(
  'a redirect (%i) to another origin is not followed, so that no credential gets there',
  async (status) => {
    const other = await startAnswerServer(jsonAnswer(200, {}));
    const far = await startSevenEndpoints();
    const provider = createHttpEmailProvider({ baseUrl: far.baseUrl, operatorToken: 'operator' });
    far.add('acme', usual, (_call, _answer, { request }) => ({
      status,
      headers: { location: other.baseUrl + (request.url ?? '') },
      body: '',
    }));
    await expect(provider.withKey('token-of-acme').getDomain('domain/1')).rejects.toThrow(
      `a redirect to another origin, ${other.baseUrl}. Set EMAIL_PROVIDER_URL to it if it is the provider`,
    );
    expect(other.requests).toEqual([]);
    await provider.close();
    await far.close();
    await other.close();
  },
);
