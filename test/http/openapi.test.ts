import openapiTypes, { astToString } from 'openapi-typescript';
import { format, resolveConfig } from 'prettier';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import type { AgentsMd } from '../../src/client/agents-md/agents-md.ts';
import { buildHttpApp } from '../../src/http/app.ts';
import { startTestApi, type TestApi } from '../email-service/support/test-api.ts';
import { httpDependencies } from '../support/http-dependencies.ts';

const orchestrator = buildHttpApp(httpDependencies({ agentsMd: {} as AgentsMd }));
let emailService: TestApi | undefined;
afterAll(async () => {
  await orchestrator.close();
  await emailService?.end();
});

interface Description {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}
interface Operation {
  readonly operationId?: string;
  readonly security?: unknown;
  readonly responses: Readonly<Record<string, { readonly content?: object }>>;
}

// `npm run record-openapi` writes the file.
test('/openapi.json equals src/http/openapi.json', async () => {
  const { body } = await orchestrator.inject('/openapi.json');
  const committed = new URL('../../src/http/openapi.json', import.meta.url);
  await expect(await format(body, { parser: 'json', printWidth: 120 })).toMatchFileSnapshot(fileURLToPath(committed));
});

// `npm run record-openapi` writes the file.
test('src/api-client/openapi.ts holds the types of /openapi.json', async () => {
  const { body } = await orchestrator.inject('/openapi.json');
  const types = await openapiTypes(body, { rootTypes: true, rootTypesNoSchemaPrefix: true, rootTypesKeepCasing: true });
  const committed = fileURLToPath(new URL('../../src/api-client/openapi.ts', import.meta.url));
  const source = `// Written by \`npm run record-openapi\` from src/http/openapi.json.\n${astToString(types)}`;
  const formatted = await format(source, { ...(await resolveConfig(committed)), parser: 'typescript' });
  await expect(formatted).toMatchFileSnapshot(committed);
});

test('/openapi.json describes every call once, with its credential and its errors as problem+json', async () => {
  const { openapi, paths } = (await orchestrator.inject('/openapi.json')).json<Description>();
  expect(openapi).toBe('3.1.0');
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, ...operation })),
  );
  expect(operations.map(({ name }) => name).sort()).toEqual([
    'delete /onboardings/{tenantId}/muted-records/{purpose}',
    'delete /onboardings/{tenantId}/setup-links',
    'delete /producers/{producerId}',
    'get /agents-md-checks/{producerId}',
    'get /events',
    'get /livez',
    'get /notifications',
    'get /notifications/{id}',
    'get /onboardings',
    'get /onboardings/{tenantId}',
    'get /onboardings/{tenantId}/events',
    'get /producers',
    'get /producers/check',
    'get /producers/report',
    'get /producers/{producerId}',
    'get /producers/{producerId}/badge.svg',
    'get /readyz',
    'patch /producers/{producerId}',
    'post /agents-md-checks',
    'post /notifications/{id}/replay',
    'post /onboardings/{tenantId}/api-key/claim',
    'post /onboardings/{tenantId}/cancel',
    'post /onboardings/{tenantId}/check-now',
    'post /onboardings/{tenantId}/extend',
    'post /onboardings/{tenantId}/first-email/release',
    'post /onboardings/{tenantId}/restart',
    'post /onboardings/{tenantId}/setup-link',
    'post /producers/check',
    'post /webhooks/provider/{name}',
    'post /webhooks/{tenantId}',
    'put /onboardings/{tenantId}',
    'put /onboardings/{tenantId}/muted-records/{purpose}',
    'put /producers',
    'put /producers/{producerId}',
  ]);
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
  expect(operations.filter(({ security }) => security !== undefined).map(({ name }) => name)).toEqual([
    'get /livez',
    'get /readyz',
    'get /producers/{producerId}/badge.svg',
    'post /webhooks/{tenantId}',
    'post /webhooks/provider/{name}',
  ]);
  for (const { name, responses } of operations) {
    for (const [status, { content }] of Object.entries(responses)) {
      if (Number(status) < 400 || name === 'get /readyz') continue;
      expect(Object.keys(content ?? {})).toEqual(['application/problem+json']);
    }
  }
});

test('both documents use only patterns that every regular expression engine accepts', async () => {
  emailService = await startTestApi();
  for (const answer of [await orchestrator.inject('/openapi.json'), await emailService.get('/openapi.json')]) {
    const patterns = [...answer.body.matchAll(/"pattern":"((?:[^"\\]|\\.)*)"/g)].map(([, pattern]) => pattern);
    expect(patterns.length).toBeGreaterThan(0);
    expect(patterns.filter((pattern) => /\(\?|\\\\p|\\\\d|\\\\1/.test(pattern ?? ''))).toEqual([]);
  }
});

test('/docs of both programs needs no token and loads nothing from other hosts', async () => {
  emailService ??= await startTestApi();
  for (const app of [orchestrator, emailService.app]) {
    const page = await app.inject('/docs');
    expect(page.statusCode).toBe(200);
    expect(page.body).toContain('swagger-ui');
    expect(page.body).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
    expect(page.headers['content-security-policy']).toContain("default-src 'self'");
    // Both programs speak HTTP.
    expect(page.headers['content-security-policy']).not.toContain('upgrade-insecure-requests');
    expect((await app.inject('/docs/json')).json()).toEqual((await app.inject('/openapi.json')).json());
  }
});
