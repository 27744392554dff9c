import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createHttpEmailProvider,
  type HttpEmailProvider,
} from '../../src/email-provider/adapters/sendoff/sendoff-provider.ts';
import { countCalls } from '../../src/email-provider/count-calls.ts';
import { operatorAccounts } from '../../src/operator-accounts.ts';
import { createClosers } from '../../src/lib/closers.ts';

/** What the provider answers to the next request; undefined: it never does. */
let answer: [status: number, body: object] | undefined;
let server: Server;
let url: string;
let provider: HttpEmailProvider;
const counted: string[] = [];
const count = (call: string, meaning: string): void => void counted.push(`${call} ${meaning}`);

beforeAll(async () => {
  server = createServer((_request, response) => {
    if (answer === undefined) return;
    response.writeHead(answer[0], { 'content-type': 'application/json' }).end(JSON.stringify(answer[1]));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  provider = createHttpEmailProvider({ baseUrl: url, operatorToken: 'operator' });
});
afterAll(async () => {
  await provider.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

test.each<[string, typeof answer, string]>([
  ['a success', [200, { id: 'dom_1', status: 'pending', records: [] }], 'getDomain ok'],
  ['an answer of the contract', [404, { code: 'not_found' }], 'getDomain gone'],
  ['an error of the server', [503, {}], 'getDomain transient'],
  ['a refused credential', [401, { code: 'invalid_api_key' }], 'getDomain credentialRefused'],
  ['no answer of the contract', [200, { id: 'dom_1' }], 'getDomain unreachable'],
])('%s is counted by its meaning', async (_name, given, expected) => {
  answer = given;
  counted.length = 0;
  await countCalls(provider, count)
    .withKey('secret')
    .getDomain('dom_1')
    .catch(() => undefined);
  expect(counted).toEqual([expected]);
});

test('a call that its caller aborts says nothing of the provider', async () => {
  answer = undefined;
  counted.length = 0;
  const controller = new AbortController();
  const call = countCalls(provider, count).withKey('secret').getDomain('dom_1', { signal: controller.signal });
  controller.abort();
  await expect(call).rejects.toThrow('no answer');
  expect(counted).toEqual(['getDomain aborted']);
});

test('the parts of an account are counted by their path, and what it lacks is still absent', async () => {
  const closers = createClosers();
  const { postmark } = operatorAccounts(closers, {
    postmark: { accountToken: 'token', baseUrl: url, requestsPerSecond: 100 },
  });
  if (postmark === undefined) throw new Error('no account');
  const account = countCalls(postmark, count);
  answer = [401, { ErrorCode: 10, Message: 'no' }];
  counted.length = 0;
  await account.accounts?.find({ mark: 'so-1' }).catch(() => undefined);
  expect(counted).toEqual(['accounts.find credentialRefused']);
  expect(account.facts).toBe(postmark.facts);
  expect('requestVerification' in account).toBe('requestVerification' in postmark);
  await closers.close();
});
