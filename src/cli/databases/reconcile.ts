import { setTimeout as sleep } from 'node:timers/promises';
import type { Difference, DifferenceKind } from '../../client/upkeep/difference.ts';
import { findDifferences } from '../../client/upkeep/differences.ts';
import { orchestratorSettings } from '../../client/upkeep/join-installation.ts';
import { settingsFor } from '../../config.ts';
import { createHttpEmailProvider } from '../../email-provider/adapters/sendoff/sendoff-provider.ts';
import { ProviderError } from '../../email-provider/provider-error.ts';
import { counted } from '../../lib/counted.ts';
import { printable } from '../../lib/printable.ts';
import { readSome } from '../../lib/settings.ts';
import { createClient } from '../../lib/temporal/create-client.ts';
import { requireKnownNamespace } from '../../lib/temporal/recognize-namespace.ts';
import { readTemporalConfig } from '../../lib/temporal/temporal-config.ts';
import { withConnection } from '../../lib/temporal/with-connection.ts';
import { withoutSecrets } from '../../lib/without-secrets.ts';
import { matchingSealer } from '../../store/matching-sealer.ts';
import { createSqlRegister } from '../../store/onboarding/sql-register.ts';
import { createSqlSecretStore } from '../../store/secret-store.ts';
import { forgetRestored, restoredAt } from '../../store/upkeep/restored-database.ts';
import { CommandError } from '../command-error.ts';
import { ExitCode } from '../exit-codes.ts';
import { type DatabaseCommandContext, configuredDatabase, withDatabase } from './program-databases.ts';

export interface ReconcileOptions {
  /** Repairs what differs. @default nothing is changed */
  readonly apply?: boolean;
  /** API tokens that may have been claimed after the backup: stay claimable, or are revoked. @default they are listed */
  readonly claims?: 'accept' | 'revoke';
  readonly json?: boolean;
}

interface Reconciled extends Pick<Difference, 'kind' | 'tenantId' | 'found' | 'remedy'> {
  readonly repaired: boolean;
  /** Why not, or what is left to do. */
  readonly left: string | null;
}

/** Slow enough that a provider and Workers that have just come back are not flooded. */
const STARTS_PER_SECOND = 10;
const startingKinds: readonly DifferenceKind[] = ['missing_execution', 'missing_key'];

/** Compares the register with Temporal. Resolves with the exit code: 1 if a difference is left. */
export async function reconcile(options: ReconcileOptions, context: DatabaseCommandContext): Promise<number> {
  const { environment, write } = context;
  if (options.claims !== undefined && options.apply !== true) throw new CommandError('--claims needs --apply');
  const { connectionOptions, namespace, dataConverter } = readTemporalConfig(environment);
  const target = configuredDatabase('orchestrator', environment);
  const names = ['EMAIL_PROVIDER_URL', 'EMAIL_PROVIDER_OPERATOR_TOKEN', 'SENDOFF_NOTIFICATION_URL'] as const;
  const settings = readSome(settingsFor(environment), names, environment);
  const secretKeys = target.keys.read();
  const provider = createHttpEmailProvider({
    baseUrl: settings.EMAIL_PROVIDER_URL,
    operatorToken: settings.EMAIL_PROVIDER_OPERATOR_TOKEN,
  });
  try {
    const results = await withConnection(connectionOptions, (connection) =>
      withDatabase(target, async ({ database, pending }) => {
        const { url } = target;
        if (pending.length > 0) throw new CommandError(`${url} lacks migrations; apply them first: sendoff migrate`);
        await requireKnownNamespace({ database, connection, namespace, program: orchestratorSettings(url) });
        const sealer = await matchingSealer({ secretKeys, databaseUrl: url }, database);
        // The sweep delivers the notifications.
        const register = createSqlRegister(database, {
          notify: settings.SENDOFF_NOTIFICATION_URL !== undefined,
          sealer,
        });
        const client = createClient({ connection, namespace, dataConverter });
        const restored = await restoredAt(database);
        const differences = findDifferences(client, {
          ...{ database, register, secrets: createSqlSecretStore(database, sealer), restoredAt: restored },
          revokeKey: (keyId) => provider.revokeApiKey(keyId).catch(unlessGone),
        });
        const found: Reconciled[] = [];
        for await (const difference of differences) {
          const result = await settled(difference, options);
          found.push(result);
          if (options.json !== true) write(`${line(result)}\n`);
        }
        if (options.apply === true && found.every(({ repaired }) => repaired)) await forgetRestored(database);
        return { found, restored };
      }),
    );
    const { found, restored } = results;
    const left = found.filter(({ repaired }) => !repaired).length;
    if (options.json === true)
      write(
        `${JSON.stringify({ differences: found, repaired: found.length - left, left, restoredAt: restored ?? null })}\n`,
      );
    else write(`${summary(found.length, left, restored)}\n`);
    return left === 0 ? ExitCode.done : ExitCode.failed;
  } finally {
    await provider.close();
  }
}

async function settled(difference: Difference, { apply, claims }: ReconcileOptions): Promise<Reconciled> {
  const { kind, tenantId, found, remedy, repair } = difference;
  const result = (repaired: boolean, left: string | null = null) => ({ kind, tenantId, found, remedy, repaired, left });
  if (apply !== true) return result(false);
  if (kind === 'claimable_key' && claims !== 'revoke') return result(claims === 'accept');
  if (repair === undefined) return result(false);
  try {
    const answer = await repair();
    const left = typeof answer === 'string' ? answer : null;
    if (startingKinds.includes(kind)) await sleep(1_000 / STARTS_PER_SECOND);
    return result(left === null, left);
  } catch (error) {
    return result(false, withoutSecrets(error instanceof Error ? error.message : String(error)));
  }
}

function unlessGone(error: unknown): void {
  if (!(error instanceof ProviderError && error.meaning === 'gone')) throw error;
}

const line = ({ kind, tenantId, found, remedy, repaired, left }: Reconciled): string =>
  printable(`${tenantId}: ${kind}: ${found}. ${repaired ? 'Repaired' : 'To do'}: ${left ?? remedy}`);

function summary(found: number, left: number, restored: string | undefined): string {
  const since = restored === undefined ? '' : `; the database was restored before ${restored}`;
  if (found === 0) return `Nothing differs${since}`;
  return `${counted(found, 'difference')}, ${found - left} repaired, ${left} left${since}`;
}
