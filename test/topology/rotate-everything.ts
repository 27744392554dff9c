// What happens to an installation in years, while tenants wait: every key and token is replaced, Temporal's payloads become encrypted, the Workers become
// versioned and a version is taken back, PostgreSQL is killed. In the order of docs/operating.md, and each process only once the one before is ready.
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Deployment, Program } from '../deployment/start-deployment.ts';
import { untilReady } from '../deployment/until-ready.ts';

export interface RotationOptions {
  /** Callers use these from now on. */
  readonly useTokens: (tokens: { readonly apiToken: string; readonly operatorToken: string }) => void;
  readonly report: (line: string) => void;
  readonly signal: AbortSignal;
}

type Settings = Readonly<Record<string, string>>;
type Part = 'emailService' | 'worker' | 'server';

const PAUSE_MS = 1_500;
const newKey = (): string => randomBytes(32).toString('base64');
const newToken = (): string => randomBytes(24).toString('hex');

/** Resolves with the number of processes that were replaced. */
export async function rotateEverything(
  deployment: Deployment,
  { useTokens, report, signal }: RotationOptions,
): Promise<number> {
  const { programs, processes, dataFolder, run } = deployment;
  const { saved } = dataFolder;
  let settings: Settings = {};
  let token = saved.apiToken;
  let replaced = 0;

  async function replace(program: Program, changes: Settings): Promise<void> {
    await delay(PAUSE_MS, undefined, { signal });
    await program.restart(changes);
    await untilReady([program], signal);
    replaced += 1;
  }
  const of = (part: Part): readonly Program[] =>
    programs.filter((program) => (processes[part] as readonly unknown[]).includes(program));
  async function step(says: string, changes: Settings, parts: readonly Part[]): Promise<void> {
    const startedMs = performance.now();
    settings = { ...settings, ...changes };
    for (const part of parts) for (const program of of(part)) await replace(program, changes);
    report(`${says}: ${((performance.now() - startedMs) / 1_000).toFixed(0)} s`);
    await expectNoneStuck(says);
  }
  async function expectNoneStuck(says: string): Promise<void> {
    const answer = await fetch(`${deployment.api.url}/onboardings?stuck=true`, {
      headers: { authorization: `Bearer ${token}` },
      signal,
    });
    const text = await answer.text();
    const { data } = JSON.parse(text) as { data?: readonly unknown[] };
    if (answer.status !== 200 || data?.length !== 0) throw new Error(`after "${says}": ${text.slice(0, 1_000)}`);
  }

  const all: readonly Part[] = ['emailService', 'worker', 'server'];
  const [secretKey, encryptionKey, operatorToken, apiToken] = [newKey(), newKey(), newToken(), newToken()];
  const [first, second] = [`first:${newKey()}`, `second:${newKey()}`];

  await step(
    'New keys decrypt, new tokens are accepted, payload keys decrypt',
    {
      SENDOFF_SECRET_KEY: `${saved.secretKey},${secretKey}`,
      EMAIL_SERVICE_ENCRYPTION_KEY: `${saved.encryptionKey},${encryptionKey}`,
      EMAIL_SERVICE_OPERATOR_TOKEN: `new:${operatorToken},old:${saved.operatorToken}`,
      SENDOFF_API_TOKEN: `old:${saved.apiToken},new:${apiToken}`,
      SENDOFF_PAYLOAD_KEYS: first,
      SENDOFF_PAYLOAD_DECODE_ONLY: 'true',
    },
    all,
  );
  token = apiToken;
  useTokens({ apiToken, operatorToken });
  await step(
    'New keys encrypt, new tokens are used, payloads are encrypted',
    {
      SENDOFF_SECRET_KEY: `${secretKey},${saved.secretKey}`,
      EMAIL_SERVICE_ENCRYPTION_KEY: `${encryptionKey},${saved.encryptionKey}`,
      EMAIL_PROVIDER_OPERATOR_TOKEN: operatorToken,
      SENDOFF_PAYLOAD_DECODE_ONLY: 'false',
    },
    all,
  );
  report(await resealed(() => run(['secrets', 'reseal'], settings)));
  await step(
    'Old keys and tokens are gone, another payload key decrypts',
    {
      EMAIL_SERVICE_ENCRYPTION_KEY: encryptionKey,
      EMAIL_SERVICE_OPERATOR_TOKEN: operatorToken,
      SENDOFF_API_TOKEN: apiToken,
      SENDOFF_PAYLOAD_KEYS: `${first},${second}`,
    },
    all,
  );
  await step('The other payload key encrypts', { SENDOFF_PAYLOAD_KEYS: `${second},${first}` }, all);

  for (const postgres of processes.postgres) await postgres.kill();
  await untilReady(programs, signal);
  report('PostgreSQL was killed and is back');

  const [one, other] = of('worker');
  if (one === undefined || other === undefined) return replaced;
  const version = (buildId: string): Settings => ({
    TEMPORAL_DEPLOYMENT_NAME: 'sendoff-worker',
    TEMPORAL_WORKER_BUILD_ID: buildId,
  });
  const move = async (command: 'promote' | 'rollback', buildId: string): Promise<void> => {
    await run(['deployment', command], { ...settings, ...version(buildId) });
    report(`deployment ${command}: version ${buildId} has the tasks`);
    await expectNoneStuck(`${command} ${buildId}`);
  };
  // The other one has the tasks until the first promotion.
  await replace(one, version('1'));
  await move('promote', '1');
  await replace(other, version('2'));
  await move('promote', '2');
  await move('rollback', '1');
  await move('promote', '2');
  await replace(one, version('2'));
  await expectNoneStuck('every Worker has version 2');
  return replaced;
}

/** It exits 1 while an open setup link needs the old key, which stays in the setting. */
const resealed = async (reseal: () => Promise<string>): Promise<string> =>
  reseal().catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
