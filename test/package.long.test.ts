// The package as another program gets it: packed, unpacked, and used from an empty strict project.
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { startScriptedServer } from './api-client/scripted-server.ts';
import { commandIn } from './support/build-package.ts';
import { packageFolder } from './support/packaged-command.ts';
import { folderOfFile } from './support/temporary-folder.ts';

interface Manifest {
  readonly version: string;
  readonly scripts: Record<string, string>;
  readonly dependencies: Record<string, string>;
}

interface Packed {
  readonly files: readonly { readonly path: string }[];
}

const root = fileURLToPath(new URL('..', import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
const folder = folderOfFile();
const project = join(folder, 'project');
const installed = join(project, 'node_modules', 'sendoff');

const run = async (cwd: string, program: string, ...args: string[]): Promise<string> =>
  (await promisify(execFile)(program, args, { cwd })).stdout;

beforeAll(async () => {
  const source = join(folder, 'source');
  const built = await packageFolder();
  for (const part of ['bin', 'dist', 'package.json'])
    cpSync(join(built, part), join(source, part), { recursive: true });
  // As `npm run build` emits them; the package that tests run has none.
  const declarations = {
    extends: join(root, 'tsconfig.build.json'),
    compilerOptions: {
      ...{
        rootDir: join(root, 'src'),
        outDir: join(source, 'dist'),
        typeRoots: [join(root, 'node_modules', '@types')],
      },
      ...{ emitDeclarationOnly: true, sourceMap: false, noCheck: true },
    },
    include: [],
    files: [join(root, 'src', 'api-client', 'sendoff-client.ts')],
  };
  writeFileSync(join(folder, 'declarations.json'), JSON.stringify(declarations));
  await run(folder, process.execPath, compiler, '-p', 'declarations.json');
  await run(source, 'npm', 'pack', '--ignore-scripts', '--pack-destination', folder);
  mkdirSync(installed, { recursive: true });
  await run(folder, 'tar', '-xzf', `sendoff-${manifest.version}.tgz`, '-C', installed, '--strip-components=1');
  // What npm would install beside it, without a registry: no tool of the clone can be found.
  for (const name of Object.keys(manifest.dependencies)) {
    const link = join(installed, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), link, 'junction');
  }
  const compilerOptions = {
    ...{ target: 'es2023', module: 'nodenext', strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false },
    ...{ types: [], pretty: false },
  };
  writeFileSync(join(project, 'package.json'), JSON.stringify({ type: 'module' }));
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }));
});

test('npm builds what it packs', () => {
  expect(manifest.scripts['prepack']).toBe('npm run build');
});

test('a strict TypeScript project imports the client by name, calls it and verifies a notification', async () => {
  const { baseUrl, requests } = await startScriptedServer((response) => {
    response.writeHead(404, { 'content-type': 'application/problem+json' });
    response.end(JSON.stringify({ code: 'not_found', detail: 'No such tenant', request_id: 'req_1' }));
  });
  const program = `
    import { createSendoffClient, SendoffError, verifyNotification } from 'sendoff/client';
    import type { Notification, OnboardingView } from 'sendoff/client';
    const client = createSendoffClient({ baseUrl: '${baseUrl}', token: 'token', timeoutMs: 2000 });
    try {
      const { data } = await client.GET('/onboardings/{tenantId}', { params: { path: { tenantId: 'acme' } } });
      const view: OnboardingView = data;
      const outcome: 'running' | 'onboarded' | 'failed' | 'cancelled' | 'terminated' = view.outcome;
      // @ts-expect-error no such member
      console.log(outcome, data.nonsense);
      for await (const { id, type } of client.events({ tenantId: 'acme' })) console.log(id.length, type.length);
    } catch (error) {
      if (error instanceof SendoffError) console.log(error.code, error.requestId);
    }
    const headers = { 'webhook-id': 'evt_1', 'webhook-timestamp': '1', 'webhook-signature': 'v1,none' };
    try {
      const notification: Notification = verifyNotification('{}', headers, 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD');
      if (notification.type === 'onboarding.failed') console.log(notification.data.exit, notification.data.remains[0]?.step);
    } catch (error) {
      if (error instanceof SendoffError) console.log(error.code);
    }
    export const refused = async () => {
      // @ts-expect-error no such path
      await client.GET('/tenants');
      // @ts-expect-error the path needs a tenant
      await client.POST('/onboardings/{tenantId}/cancel');
    };`;
  writeFileSync(join(project, 'program.ts'), program);
  expect(await run(project, process.execPath, compiler, '-p', '.')).toBe('');
  expect(await run(project, process.execPath, 'program.js')).toBe('not_found req_1\ninvalid_signature\n');
  expect(requests).toMatchObject([{ call: 'GET /onboardings/acme' }]);
});

test('the command runs from the package, in any folder', async () => {
  expect(await run(folder, process.execPath, commandIn(installed), '--version')).toBe(`${manifest.version}\n`);
});

test('contains every file that its documents link to', async () => {
  const packed = JSON.parse(await run(root, 'npm', 'pack', '--dry-run', '--ignore-scripts', '--json')) as [Packed];
  const files = packed[0].files.map((file) => file.path);
  const documents = files.filter((name) => name.endsWith('.md'));
  const missing = documents.flatMap((document) =>
    [...readFileSync(join(root, document), 'utf8').matchAll(/\]\((?!https?:|mailto:|#)([^)#]+)/g)]
      .map(([, link]) => join(dirname(document), link ?? ''))
      .filter((target) => !files.includes(target)),
  );
  expect(missing).toEqual([]);
  expect(files).toContain('docs/settings.md');
});
