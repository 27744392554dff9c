import { format } from 'prettier';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../support/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.end());

interface Description {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}
const operatorOnly = [
  'get /accounts',
  'put /accounts/{account}/limits',
  'post /accounts/{account}/pause',
  'post /accounts/{account}/resume',
];

interface Operation {
  readonly operationId?: string;
  readonly security?: unknown;
  readonly parameters?: readonly { name: string; in: string; required?: boolean }[];
  readonly responses: Readonly<Record<string, { readonly content?: object }>>;
}

describe('/openapi.json', () => {
  // `npm run record-openapi` writes the file.
  test('equals src/email-service/http/openapi.json', async () => {
    const description = await format((await api.get('/openapi.json')).body, { parser: 'json', printWidth: 120 });
    const committed = new URL('../../../src/email-service/http/openapi.json', import.meta.url);
    await expect(description).toMatchFileSnapshot(fileURLToPath(committed));
  });

  test('describes every call once', async () => {
    const { openapi, paths } = (await api.get('/openapi.json')).json<Description>();
    expect(openapi).toBe('3.1.0');
    expect(
      Object.entries(paths)
        .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`))
        .sort(),
    ).toEqual([
      'delete /api-keys/{id}',
      'delete /domains/{id}',
      'delete /senders/{id}',
      'delete /suppressions/{address}',
      'delete /webhooks/{id}',
      'get /accounts',
      'get /accounts/{account}',
      'get /api-keys',
      'get /domains',
      'get /domains/{id}',
      'get /emails',
      'get /emails/{id}',
      'get /erasures',
      'get /events',
      'get /livez',
      'get /readyz',
      'get /senders',
      'get /suppressions',
      'get /suppressions/{address}',
      'get /webhooks',
      'patch /domains/{id}',
      'patch /emails/{id}',
      'patch /senders/{id}',
      'post /accounts/{account}/pause',
      'post /accounts/{account}/resume',
      'post /api-keys',
      'post /domains',
      'post /domains/{id}/rotate-dkim',
      'post /domains/{id}/verify',
      'post /emails',
      'post /emails/batch',
      'post /emails/{id}/cancel',
      'post /erasures',
      'post /senders',
      'post /suppressions',
      'post /webhooks',
      'put /accounts/{account}/limits',
      'put /suppressions/{address}',
    ]);
  });

  test('names one scope, or the operator token, for every call', async () => {
    const { paths } = (await api.get('/openapi.json')).json<Description>();
    for (const [path, methods] of Object.entries(paths)) {
      for (const [method, { security }] of Object.entries(methods)) {
        const isOpen = ['/livez', '/readyz'].includes(path);
        const scope = expect.stringMatching(/^(?:send|read|manage)$/) as string;
        const withKey = expect.arrayContaining([{ apiKey: [scope] }]) as unknown;
        const withoutKey = isOpen ? [] : [{ operator: [] }];
        const isOperators = operatorOnly.includes(`${method} ${path}`);
        expect([method, path, security]).toEqual([method, path, isOpen || isOperators ? withoutKey : withKey]);
      }
    }
  });

  test('requires an Idempotency-Key for POST /emails, alone and in a batch, and accepts it on every other POST', async () => {
    const { paths } = (await api.get('/openapi.json')).json<Description>();
    const required = Object.entries(paths).flatMap(([path, { post }]) =>
      post === undefined
        ? []
        : [[path, post.parameters?.find(({ name }) => name === 'Idempotency-Key')?.required === true]],
    );
    expect(Object.fromEntries(required)).toEqual({
      '/accounts/{account}/pause': false,
      '/accounts/{account}/resume': false,
      '/api-keys': false,
      '/domains': false,
      '/domains/{id}/rotate-dkim': false,
      '/domains/{id}/verify': false,
      '/emails': true,
      '/emails/batch': true,
      '/emails/{id}/cancel': false,
      '/erasures': false,
      '/senders': false,
      '/suppressions': false,
      '/webhooks': false,
    });
    for (const [, { post }] of Object.entries(paths)) {
      if (post !== undefined) expect(post.parameters?.map(({ name }) => name)).toContain('Idempotency-Key');
    }
  });

  test('declares every error as problem+json', async () => {
    const { paths } = (await api.get('/openapi.json')).json<Description>();
    for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
      for (const [status, { content }] of Object.entries(operation.responses)) {
        if (Number(status) >= 400) expect(Object.keys(content ?? {})).toEqual(['application/problem+json']);
      }
    }
  });
});
