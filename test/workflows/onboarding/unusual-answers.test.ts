import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createHttpEmailProvider } from '../../../src/email-provider/adapters/sendoff/sendoff-provider.ts';
import { startSevenEndpoints } from '../../support/seven-endpoints.ts';
import { usual, wrongEnds } from './unusual-behaviours.ts';

// All of them are in unusual-answers.long.test.ts.
test.each([
  'statuses in capitals',
  'gzip that was not asked for',
  'emails without content',
  '429 without Retry-After, for a while',
  'a permanent redirect of each GET',
  '429 with a Retry-After of 31 years, for a while',
])(
  'a provider of %s: the tenant ends as it should within minutes, with one email at most and one webhook at most',
  async (name) => {
    expect(await wrongEnds([name])).toEqual([]);
  },
);

test.each([301, 302, 303, 307, 308])(
  'a redirect (%i) to another origin is not followed, so that no credential gets there',
  async (status) => {
    const requests: unknown[] = [];
    const other = createServer(({ headers }, response) => {
      requests.push(headers);
      response.writeHead(200).end('{}');
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    const far = await startSevenEndpoints();
    const provider = createHttpEmailProvider({ baseUrl: far.baseUrl, operatorToken: 'operator' });
    far.add('acme', usual, (_call, _answer, { request }) => ({
      status,
      headers: { location: `http://127.0.0.1:${port}${request.url ?? ''}` },
      body: '',
    }));
    await expect(provider.withKey('token-of-acme').getDomain('domain/1')).rejects.toThrow(
      `a redirect to another origin, http://127.0.0.1:${port}. Set EMAIL_PROVIDER_URL to it if it is the provider`,
    );
    expect(requests).toEqual([]);
    await provider.close();
    await far.close();
    other.close();
  },
);
