// A backend installs the package and imports `sendoff/client`: compiled, by the name of the package, without the sources.
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startScriptedServer } from './scripted-server.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
let backend: string;
const node = async (...args: string[]) => (await promisify(execFile)(process.execPath, args, { cwd: backend })).stdout;

beforeAll(async () => {
  backend = await mkdtemp(join(tmpdir(), 'sendoff-backend-'));
  const installed = join(backend, 'node_modules', 'sendoff');
  await mkdir(installed, { recursive: true });
  await copyFile(join(root, 'package.json'), join(installed, 'package.json'));
  await symlink(join(root, 'node_modules'), join(installed, 'node_modules'), 'junction');
  // As `npm run build`, but only the export, unchecked: the rest takes several times as long.
  const output = { rootDir: join(root, 'src'), outDir: join(installed, 'dist'), sourceMap: false };
  const tsconfig = {
    extends: join(root, 'tsconfig.build.json'),
    compilerOptions: { ...output, typeRoots: [typeRoots], noCheck: true },
    include: [],
    files: [join(root, 'src', 'api-client', 'sendoff-client.ts')],
  };
  await writeFile(join(backend, 'tsconfig.build.json'), JSON.stringify(tsconfig));
  await node(compiler, '-p', 'tsconfig.build.json');
});
afterAll(() => rm(backend, { recursive: true }));

const typeRoots = join(root, 'node_modules', '@types');

test('runs in a program that imports it by name', async () => {
  const { baseUrl, requests } = await startScriptedServer((response) => {
    response.writeHead(404, { 'content-type': 'application/problem+json' });
    response.end(JSON.stringify({ code: 'not_found', detail: 'No such tenant', request_id: 'req_1' }));
  });
  const program = `
    import { createSendoffClient, SendoffError } from 'sendoff/client';
    const client = createSendoffClient({ baseUrl: '${baseUrl}', token: 'token' });
    try {
      await client.GET('/onboardings/{tenantId}', { params: { path: { tenantId: 'acme' } } });
    } catch (error) {
      console.log(error instanceof SendoffError, error.code, error.requestId);
    }`;
  await writeFile(join(backend, 'main.mjs'), program);
  expect(await node('main.mjs')).toBe('true not_found req_1\n');
  expect(requests).toMatchObject([{ call: 'GET /onboardings/acme' }]);
});

test('gives its types to a program that imports it by name', async () => {
  const program = `
    import { createSendoffClient, type OnboardingView } from 'sendoff/client';
    const client = createSendoffClient({ baseUrl: 'http://127.0.0.1:8080', token: 'token' });
    const { data } = await client.GET('/onboardings/{tenantId}', { params: { path: { tenantId: 'acme' } } });
    const view: OnboardingView = data;
    const outcome: 'running' | 'onboarded' | 'failed' | 'cancelled' | 'terminated' = view.outcome;
    // @ts-expect-error no such path
    await client.GET('/tenants');
    // @ts-expect-error no such member
    console.log(outcome, data.nonsense);
    // @ts-expect-error the path needs a tenant
    await client.POST('/onboardings/{tenantId}/cancel');
    for await (const { id, type } of client.events({ tenantId: 'acme' })) console.log(id.length, type.length);`;
  await writeFile(join(backend, 'main.mts'), program);
  const options = ['--strict', '--noEmit', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2023'];
  expect(await node(compiler, ...options, '--types', 'node', '--typeRoots', typeRoots, 'main.mts')).toBe('');
});
