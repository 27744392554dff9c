import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  createHttpEmailProvider,
  type HttpEmailProvider,
} from '../../../../src/email-provider/adapters/sendoff/sendoff-provider.ts';
import { exchange, newAgent } from '../../../../src/email-provider/http-exchange.ts';
import { ProviderError, ProviderUnreachable } from '../../../../src/email-provider/provider-error.ts';
import { type Answer, type AnswerServer, jsonAnswer, startAnswerServer } from '../../../support/answer-server.ts';
import { thrown } from '../../../support/thrown.ts';

let server: AnswerServer;
let provider: HttpEmailProvider;
beforeEach(async () => {
  server = await startAnswerServer();
  provider = createHttpEmailProvider({ baseUrl: server.baseUrl, operatorToken: 'operator-secret' });
});
afterEach(async () => {
  await provider.close();
  await server.close();
});

const createSender = () =>
  provider.withKey('so_live_secret').createSender({ fromAddress: 'a@acme.test' }, { idempotencyKey: 'k' });
const getDomain = () => provider.withKey('so_live_secret').getDomain('dom_1');

describe('calls', () => {
  test('POST /api-keys carries the operator token, the key and the body', async () => {
    server.answer = jsonAnswer(201, { id: 'key_1', token: 'so_live_x' });
    const created = await provider.createApiKey({ account: 'acme', name: 'n' }, { idempotencyKey: 'a/b/c' });
    expect(created).toEqual({ id: 'key_1', token: 'so_live_x' });
    expect(server.requests).toMatchObject([
      {
        call: 'POST /api-keys',
        body: '{"account":"acme","name":"n"}',
        headers: { authorization: 'Bearer operator-secret', 'idempotency-key': 'a/b/c' },
      },
    ]);
  });

  test('POST /senders has a name only if the sender has one', async () => {
    server.answer = jsonAnswer(201, { id: 'snd_1' });
    await createSender();
    const named = { fromAddress: 'a@acme.test', name: 'Acme' };
    await provider.withKey('so_live_secret').createSender(named, { idempotencyKey: 'k' });
    expect(server.requests.map(({ body }) => body)).toEqual([
      '{"from_address":"a@acme.test"}',
      '{"from_address":"a@acme.test","name":"Acme"}',
    ]);
  });

  test('POST /emails asks the provider to wait for an outcome, and returns the one of its answer', async () => {
    server.answer = jsonAnswer(201, { id: 'eml_1', status: 'delivered', delivered_at: '2026-01-02T03:04:05Z' });
    const request = { senderId: 'snd_1', recipient: 'b@c.test', subject: 's', body: 'b' };
    const options = { idempotencyKey: 'k', waitSeconds: 2 };
    const email = await provider.withKey('so_live_secret').sendEmail(request, options);
    expect(email).toMatchObject({ id: 'eml_1', status: 'delivered', deliveredAt: '2026-01-02T03:04:05Z' });
    expect(server.requests).toMatchObject([{ call: 'POST /emails', headers: { prefer: 'wait=2' } }]);
  });

  test('a replay without its secret has no token', async () => {
    server.answer = jsonAnswer(201, { id: 'key_1', secret_unavailable: true });
    expect(await provider.createApiKey({ account: 'acme', name: 'n' }, { idempotencyKey: 'k' })).toEqual({
      id: 'key_1',
    });
  });

  test("every later call carries the account's key, and ids are encoded into the path", async () => {
    server.answer = jsonAnswer(200, {
      id: '../x',
      status: 'bounced',
      bounce: {
        ...{ category: 'recipient', permanent_for: 'address', reason: 'no such user' },
        ...{ smtp_code: 550, enhanced_code: '5.1.1' },
      },
      attempts: [],
    });
    const email = await provider.withKey('so_live_secret').getEmail('../x');
    expect(email.bounce).toEqual({
      category: 'recipient',
      permanentFor: 'address',
      reason: 'no such user',
      smtpCode: 550,
      enhancedCode: '5.1.1',
      diagnostic: null,
      remoteMta: null,
    });
    expect(server.requests).toMatchObject([
      { call: 'GET /emails/..%2Fx', headers: { authorization: 'Bearer so_live_secret' } },
    ]);
  });

  test('a provider without POST /domains/{id}/verify is no error; any other refusal of it is', async () => {
    const account = provider.withKey('so_live_secret');
    server.answer = jsonAnswer(404, { code: 'not_found' });
    await account.requestVerification('dom_1', { idempotencyKey: 'k' });
    server.answer = jsonAnswer(403, { code: 'insufficient_scope' });
    expect(await thrown(account.requestVerification('dom_1', { idempotencyKey: 'k' }))).toBeInstanceOf(ProviderError);
  });
});

describe('answers that are no success', () => {
  test.each([
    [429, { 'retry-after': '7' }, { code: 'rate_limited' }, 'transient', 7_000],
    [503, {}, {}, 'transient', undefined],
    [500, {}, { code: 'internal_error' }, 'transient', undefined],
    [409, { 'retry-after': '1' }, { code: 'idempotency_in_progress' }, 'transient', 1_000],
    [409, {}, { code: 'already_exists', existing_id: 'dom_9' }, 'exists', undefined],
    [422, {}, { code: 'domain_not_verified' }, 'notVerified', undefined],
    [401, {}, { code: 'invalid_api_key' }, 'transient', undefined],
  ] as const)('status %i with %j %j means %s', async (status, headers, body, meaning, retryAfterMs) => {
    server.answer = jsonAnswer(status, { ...body, request_id: 'req_1' }, headers);
    const error = (await thrown(createSender())) as ProviderError;
    expect(error).toBeInstanceOf(ProviderError);
    expect(error).toMatchObject({
      httpStatus: status,
      code: 'code' in body ? body.code : 'http_503',
      meaning,
      requestId: 'req_1',
    });
    expect(error.retryAfterMs).toBe(retryAfterMs);
    expect(error.existingId).toBe('existing_id' in body ? body.existing_id : undefined);
    expect(error.message).not.toContain('secret');
  });

  test('an HTML page of a proxy is an error with its status', async () => {
    server.answer = (_request, response) =>
      response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad Gateway</h1>');
    expect(await thrown(getDomain())).toMatchObject({ httpStatus: 502, code: 'http_502', meaning: 'transient' });
  });
});

describe('no usable answer', () => {
  test.each([
    ['a connection that is reset', ((_request, response) => response.destroy()) satisfies Answer],
    [
      'a success that is not JSON',
      ((_request, response) => response.writeHead(200).end('<h1>It works!</h1>')) satisfies Answer,
    ],
    [
      'an answer without an end',
      ((_request, response) => {
        response.writeHead(200);
        const more = (): void => {
          response.write('x'.repeat(65_536), () => {
            // In a later turn: after the caller has left, a write ends at once.
            if (!response.destroyed) setImmediate(more);
          });
        };
        more();
      }) satisfies Answer,
    ],
  ])('%s is ProviderUnreachable, without a secret', async (_name, behaviour: Answer) => {
    server.answer = behaviour;
    const error = await thrown(getDomain());
    expect(error).toBeInstanceOf(ProviderUnreachable);
    expect((error as Error).message).toMatch(/^GET \/domains\/dom_1: no answer, /);
    expect((error as Error).message).not.toContain('so_live_secret');
  });

  test('an answer that trickles is ended after a fixed time, although it is never silent for long', async () => {
    server.answer = (_request, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write(' '), 20);
      response.on('close', () => {
        clearInterval(timer);
      });
    };
    const agent = newAgent();
    const call = { agent, url: server.baseUrl, method: 'GET', headers: {}, credential: undefined } as const;
    const error = await thrown(exchange('GET /', { ...call, urlSetting: 'EMAIL_PROVIDER_URL', timeoutMs: 300 }));
    expect(error).toBeInstanceOf(ProviderUnreachable);
    expect(error).toMatchObject({ mayHaveActed: true, message: expect.stringContaining('300 ms') as string });
    await agent.close();
  });

  test('nobody listens', async () => {
    const nobody = createHttpEmailProvider({ baseUrl: 'http://127.0.0.1:1', operatorToken: 'x' });
    const error = await thrown(nobody.withKey('k').getEmail('eml_1'));
    expect(error).toBeInstanceOf(ProviderUnreachable);
    expect((error as Error).message).toContain('ECONNREFUSED');
    await nobody.close();
  });

  test('a cancelled Activity aborts the request', async () => {
    const aborting = new AbortController();
    server.answer = () => {
      aborting.abort();
    };
    const error = await thrown(provider.withKey('k').getDomain('dom_1', { signal: aborting.signal }));
    expect(error).toBeInstanceOf(ProviderUnreachable);
  });
});
