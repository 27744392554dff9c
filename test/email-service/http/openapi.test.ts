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
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}
const operatorOnly = [
  'get /accounts',
  'put /accounts/{account}/limits',
  'post /accounts/{account}/pause',
  'post /accounts/{account}/resume',
];

interface Operation {
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
    const keys = Object.entries(paths).flatMap(([path, { post }]) =>
      post === undefined ? [] : [{ path, key: post.parameters?.find(({ name }) => name === 'Idempotency-Key') }],
    );
    expect(keys.filter(({ key }) => key === undefined)).toEqual([]);
    expect(keys.filter(({ key }) => key?.required === true).map(({ path }) => path)).toEqual([
      '/emails',
      '/emails/batch',
    ]);
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
