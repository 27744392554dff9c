import { openTogether } from '../lib/closers.ts';
import { type FarEnd, type Held, NotProven, type Resource, type TargetKind } from './far-end.ts';
import type { RelayedExchange } from '../dev/relay.ts';
import { type Installation, openInstallation } from './installation.ts';
import { createTenant, type Tenant, type TenantOptions } from './tenant.ts';

export type Group = 'whole' | 'once' | 'own' | 'domain' | 'key' | 'deliver' | 'limits' | 'broken' | 'undo' | 'secret';

/**
 * `not applicable`: the provider has nothing that the case is about. `not proven`: it has, and the case could not be run at this target; it is
 * never hidden.
 */
export type CaseVerdict = 'held' | 'failed' | 'not applicable' | 'not proven';

export interface CaseResult {
  readonly group: Group;
  readonly name: string;
  readonly verdict: CaseVerdict;
  /** Why it failed, or was not run. */
  readonly reason?: string;
}

export interface GroupCase {
  readonly name: string;
  /** @default every target: a live case makes some requests, and its faults come from the relay alone */
  readonly targets?: readonly TargetKind[];
  /** The fact that it is about. @default every provider has it */
  readonly concerns?: (bench: Bench) => boolean;
  readonly run: (bench: Bench) => Promise<void>;
}

export type ConformanceCase = GroupCase & { readonly group: Group };

export interface Bench {
  readonly farEnd: FarEnd;
  /** Opened for this case. */
  readonly installation: Installation;
  /** Another one at the same account. */
  readonly second: () => Promise<Installation>;
  readonly tenant: (options?: TenantOptions & { readonly of?: Installation }) => Tenant;
}

let labels = 0;

/** Never rejects. @param run a word that tells this run's tenants from those of others */
export async function runCase(
  { group, name, targets = ['embedded', 'fake', 'live'], concerns, run: runs }: ConformanceCase,
  {
    farEnd,
    run,
    onExchanges,
  }: {
    readonly farEnd: FarEnd;
    readonly run: string;
    /** Gets what passed the relays of the case. */
    readonly onExchanges?: (exchanges: readonly RelayedExchange[]) => void;
  },
): Promise<CaseResult> {
  const result = (verdict: CaseVerdict, reason?: string): CaseResult => ({
    ...{ group, name, verdict },
    ...(reason !== undefined && { reason }),
  });
  if (!targets.includes(farEnd.kind)) return result('not proven', `runs against ${targets.join(' and ')} only`);
  const opened: Installation[] = [];
  try {
    return await openTogether(async (closers) => {
      const open = async (): Promise<Installation> => {
        const installation = await openInstallation(farEnd);
        closers.add(() => installation.close());
        opened.push(installation);
        return installation;
      };
      const installation = await open();
      const bench: Bench = {
        ...{ farEnd, installation, second: open },
        tenant: ({ of = installation, ...options } = {}) => createTenant(of, `${run}${++labels}`, options),
      };
      if (concerns?.(bench) === false) {
        await closers.close();
        return result('not applicable');
      }
      await runs(bench);
      await closers.close();
      return result('held');
    });
  } catch (error) {
    if (error instanceof NotProven) return result('not proven', error.message);
    return result('failed', error instanceof Error ? error.message : String(error));
  } finally {
    for (const { relay } of opened) onExchanges?.(relay.exchanges);
  }
}

export function expectThat(holds: boolean, sentence: string): asserts holds {
  if (!holds) throw new Error(sentence);
}

/** Compares what the far end can be asked for. */
export function expectHeld(found: Held, expected: Held): void {
  const names = (Object.keys(expected) as Resource[]).filter((name) => found[name] !== undefined);
  const differing = names.filter((name) => found[name] !== expected[name]);
  const words = differing.map((name) => `${found[name]} ${name} instead of ${expected[name]}`);
  expectThat(differing.length === 0, `the provider has ${words.join(', ')}`);
}

/**
 * Onboards, and compares what the provider has. Where it keeps no Idempotency-Keys, an email whose answer was lost may be reported as unknown: it
 * was sent at most once.
 */
export async function expectOnboarded(
  { farEnd, installation }: Bench,
  tenant: Tenant,
  onboard: () => Promise<unknown> = tenant.onboard,
): Promise<void> {
  const { emails: _, ...others } = farEnd.whole;
  try {
    await onboard();
    expectHeld(await tenant.held(), farEnd.whole);
  } catch (error) {
    if (installation.sendOnce === 'key' || (error as { type?: string }).type !== 'SendOutcomeUnknown') throw error;
    const held = await tenant.held();
    expectHeld(held, others);
    expectThat((held.emails ?? 0) <= 1, `${held.emails} emails were sent`);
  }
}

/** Undoes all, which leaves nothing but emails, and one kind of resource for each step whose report calls it kept. */
export async function expectUndone(tenant: Tenant, { times = 1 } = {}): Promise<void> {
  const kept = Object.values(await tenant.undo({ times }));
  const held = Object.entries(await tenant.held()) as [Resource, number][];
  const left = held.filter(([name, count]) => name !== 'emails' && count > 0);
  const words = left.map(([name, count]) => `${count} ${name}`).join(', ');
  expectThat(
    left.length <= kept.length,
    `${words} are left after the undo, which keeps ${kept.join('; ') || 'nothing'}`,
  );
}

/** The failure of a promise that must reject; `type` is that of an ApplicationFailure. */
export async function failureOf(
  promise: Promise<unknown>,
): Promise<{ type: string; message: string; details: unknown }> {
  try {
    await promise;
  } catch (error) {
    const { type = '', message = '', details } = error as { type?: string; message?: string; details?: unknown };
    return { type, message, details };
  }
  throw new Error('it succeeded');
}
