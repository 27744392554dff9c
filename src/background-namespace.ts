import { settingsTable } from './config.ts';
import { type Environment, readSome } from './lib/settings.ts';
import { derivedNamespace } from './lib/temporal/derived-namespace.ts';
import type { TemporalConfig } from './lib/temporal/temporal-config.ts';

/**
 * The Namespace of what the orchestrator does in the background: notifications, the sweep of the register, checks of verified domains, and
 * retention. TEMPORAL_NAMESPACE, which operators open first, then lists onboardings and AGENTS.md checks. The database does not remember it:
 * whatever runs there can be started again from the database, in any Namespace.
 *
 * @param named SENDOFF_BACKGROUND_TEMPORAL_NAMESPACE
 */
export const backgroundNamespace = (named: string | undefined, temporal: TemporalConfig): string =>
  derivedNamespace(named, temporal, '-background');

/** The same from the environment, without the settings that only a running program needs. */
export function readBackgroundNamespace(environment: Environment, temporal: TemporalConfig): string {
  const read = readSome(settingsTable, ['SENDOFF_BACKGROUND_TEMPORAL_NAMESPACE'], environment);
  return backgroundNamespace(read.SENDOFF_BACKGROUND_TEMPORAL_NAMESPACE, temporal);
}
