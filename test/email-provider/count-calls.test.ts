import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  createHttpEmailProvider,
  type HttpEmailProvider,
} from '../../src/email-provider/adapters/sendoff/sendoff-provider.ts';
import { countCalls } from '../../src/email-provider/count-calls.ts';
import { operatorAccounts } from '../../src/operator-accounts.ts';
import { createClosers } from '../../src/lib/closers.ts';
import { type AnswerServer, jsonAnswer, startAnswerServer } from '../support/answer-server.ts';

let server: AnswerServer;
let provider: HttpEmailProvider;
const counted: string[] = [];
const count = (call: string, meaning: string): void => void counted.push(`${call} ${meaning}`);

beforeAll(async () => {
  server = await startAnswerServer();
  provider = createHttpEmailProvider({ baseUrl: server.baseUrl, operatorToken: 'operator' });
});
beforeEach(() => {
  counted.length = 0;
});
afterAll(async () => {
  await provider.close();
  await server.close();
});

test.each<[string, [status: number, body: object], string]>([
  ['a success', [200, { id: 'dom_1', status: 'pending', records: [] }], 'getDomain ok'],
  ['an answer of the contract', [404, { code: 'not_found' }], 'getDomain gone'],
  ['an error of the server', [503, {}], 'getDomain transient'],
  ['a refused credential', [401, { code: 'invalid_api_key' }], 'getDomain credentialRefused'],
  ['no answer of the contract', [200, { id: 'dom_1' }], 'getDomain unreachable'],
])('%s is counted by its meaning', async (_name, given, expected) => {
  server.answer = jsonAnswer(...given);
  await countCalls(provider, count)
    .withKey('secret')
    .getDomain('dom_1')
    .catch(() => undefined);
  expect(counted).toEqual([expected]);
});

test('a call that its caller aborts says nothing of the provider', async () => {
  server.answer = () => undefined;
  const controller = new AbortController();
  const call = countCalls(provider, count).withKey('secret').getDomain('dom_1', { signal: controller.signal });
  controller.abort();
  await expect(call).rejects.toThrow('no answer');
  expect(counted).toEqual(['getDomain aborted']);
});

test('the parts of an account are counted by their path, and what it lacks is still absent', async () => {
  const closers = createClosers();
  const { postmark } = operatorAccounts(closers, {
    postmark: { accountToken: 'token', baseUrl: server.baseUrl, requestsPerSecond: 100 },
  });
  if (postmark === undefined) throw new Error('no account');
  const account = countCalls(postmark, count);
  server.answer = jsonAnswer(401, { ErrorCode: 10, Message: 'no' });
  await account.accounts?.find({ mark: 'so-1' }).catch(() => undefined);
  expect(counted).toEqual(['accounts.find credentialRefused']);
  expect(account.facts).toBe(postmark.facts);
  expect('requestVerification' in account).toBe('requestVerification' in postmark);
  await closers.close();
});
