// What the judge's schemas cannot see: the settings of deploy/kubernetes, against the code.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { readConfig, readWorkerConfig, settingsTable } from '../../src/config.ts';
import { emailServiceSettings, readEmailServiceConfig } from '../../src/email-service/config.ts';
import { durationMs } from '../../src/lib/duration.ts';
import type { SettingsTable } from '../../src/lib/settings.ts';
import { workerOptions } from '../../src/worker-options.ts';
import { folderOfFile } from '../support/temporary-folder.ts';

interface Container {
  readonly image: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly resources: { readonly limits: { readonly memory: string } };
  readonly securityContext: object;
}
interface Pod {
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly volumes: readonly { readonly secret?: { readonly items: readonly { readonly key: string }[] } }[];
  readonly enableServiceLinks: boolean;
  readonly automountServiceAccountToken: boolean;
  readonly terminationGracePeriodSeconds: number;
}
interface Resource {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly spec: { readonly template?: { readonly spec: Pod } };
}

const path = (name: string): string => fileURLToPath(new URL(`../../deploy/kubernetes/${name}`, import.meta.url));
const read = (name: string): string => readFileSync(path(name), 'utf8');
const resources = readdirSync(path('base'))
  .filter((name) => name !== 'kustomization.yaml')
  .flatMap((name) => parseAllDocuments(read(`base/${name}`), { merge: true }))
  .map((document) => document.toJS() as Resource);
const pods = new Map(
  resources.flatMap(({ metadata, spec }) => (spec.template ? [[metadata.name, spec.template.spec]] : [])),
);
const containers = [...pods].flatMap(([name, { containers: own, initContainers: before = [] }]) =>
  [...own, ...before].map((container) => [`${name}: ${container.args.join(' ')}`, container] as const),
);
const podOf = (name: string): Pod => pods.get(name) ?? expect.fail(`no pod ${name}`);

const tables: SettingsTable = { ...settingsTable, ...emailServiceSettings };
const known = [
  ...Object.entries(tables).flatMap(([name, { secret }]) => (secret ? [name, `${name}_FILE`] : [name])),
  ...['TEMPORAL_ADDRESS', 'TEMPORAL_NAMESPACE', 'NODE_OPTIONS'],
];
const settings = parseEnv(read('plain/settings.env'));

const secrets = folderOfFile();

/** The environment of the only container of a pod, with each secret in a file. */
function environmentOf(name: string): Record<string, string | undefined> {
  const { containers: own, volumes } = podOf(name);
  for (const key of volumes.flatMap(({ secret }) => (secret?.items ?? []).map((item) => item.key)))
    writeFileSync(join(secrets, key), Buffer.alloc(32, key).toString('base64'));
  const set = (own[0]?.env ?? []).map(({ name: variable, value }) => [
    variable,
    value.replace('/run/secrets', secrets),
  ]);
  return { ...settings, ...(Object.fromEntries(set) as Record<string, string>) };
}

test('the image has the version of the package', () => {
  const { version } = JSON.parse(readFileSync(path('../../package.json'), 'utf8')) as { version: string };
  const { images } = parse(read('base/kustomization.yaml')) as { images: unknown };
  expect(images).toEqual([{ name: 'sendoff', newTag: version }]);
  for (const [name, { image }] of containers) expect(image, name).toBe('sendoff');
});

describe('the settings', () => {
  test('exist', () => {
    const used = [
      ...Object.keys(settings),
      ...containers.flatMap(([, { env }]) => env.map(({ name }) => name)),
      ...['versioned', 'observe'].flatMap((form) =>
        (
          parse(read(`${form}/kustomization.yaml`)) as { configMapGenerator: { literals: string[] }[] }
        ).configMapGenerator
          .flatMap(({ literals }) => literals)
          .map((literal) => literal.split('=')[0]),
      ),
    ];
    expect(used.filter((name) => !known.includes(name ?? ''))).toEqual([]);
  });

  test('let every program start, each with the secrets that it needs', () => {
    expect(readConfig(environmentOf('sendoff-server')).host).toBe('0.0.0.0');
    const worker = readWorkerConfig(environmentOf('sendoff-worker'));
    expect(worker.providerUrl).toBe(`http://email-service:${emailServiceSettings.EMAIL_SERVICE_PORT.fallback}`);
    const { operatorTokens } = readEmailServiceConfig(environmentOf('email-service'));
    expect(operatorTokens?.[0]?.token).toBe(worker.providerOperatorToken);
    expect(environmentOf('email-service-worker')).not.toHaveProperty('EMAIL_SERVICE_OPERATOR_TOKEN_FILE');
  });
});

describe.each([...pods])('%s', (_, pod) => {
  test('gets no variables of Services: that of `sendoff` would be SENDOFF_PORT', () => {
    expect(pod.enableServiceLinks).toBe(false);
    expect(pod.automountServiceAccountToken).toBe(false);
  });

  test('has three quarters of its memory for the heap, and no right that it does not need', () => {
    for (const {
      env,
      resources: { limits },
      securityContext,
    } of pod.containers) {
      const heap = env.find(({ name }) => name === 'NODE_OPTIONS')?.value;
      const megabytes = limits.memory === '1Gi' ? 1_024 : Number.parseInt(limits.memory, 10);
      if (heap !== undefined) expect(heap).toBe(`--max-old-space-size=${(megabytes * 3) / 4}`);
      expect(securityContext).toEqual({
        ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
        capabilities: { drop: ['ALL'] },
      });
    }
  });
});

test('a Worker has more time to end than it takes', () => {
  const { terminationGracePeriodSeconds } = podOf('sendoff-worker');
  expect(terminationGracePeriodSeconds * 1_000).toBeGreaterThan(
    durationMs(workerOptions.shutdownForceTime) ?? Infinity,
  );
});

test('a rollout changes nothing before every open execution has been replayed on the new release, as docs/operating.md applies it', () => {
  const { initContainers = [], containers: last } = podOf('sendoff-prepare');
  expect([...initContainers, ...last].map(({ args }) => args)).toEqual([
    ['replay'],
    ['replay', '--program', 'email-service'],
    ['migrate'],
    ['setup'],
  ]);
  // What is applied first is the Job, and the ConfigMap with its settings.
  const [label, value] = ['app.kubernetes.io/component', 'prepare'];
  expect(resources.flatMap(({ metadata }) => (metadata.labels?.[label] === value ? [metadata.name] : []))).toEqual([
    'sendoff-prepare',
  ]);
  const { configMapGenerator } = parse(read('plain/kustomization.yaml')) as { configMapGenerator: unknown };
  expect(configMapGenerator).toEqual([
    expect.objectContaining({ name: 'sendoff', options: { labels: { [label]: value } } }),
  ]);
  const commands = readFileSync(path('../../docs/operating.md'), 'utf8').split('\n');
  const first = commands.indexOf(`kubectl apply -k deploy/kubernetes/plain --selector ${label}=${value}`);
  expect(commands[first + 1]).toMatch(
    /^kubectl wait --for=condition=complete job\/sendoff-prepare .*&& kubectl apply -k deploy\/kubernetes\/plain$/,
  );
});
