import { isTemporalCloud } from './setup/setup-commands.ts';
import type { TemporalConfig } from './temporal-config.ts';

/**
 * The Namespace of Workflows that would fill the lists of TEMPORAL_NAMESPACE.
 *
 * @param named by its own setting
 * @param temporal the settings with TEMPORAL_NAMESPACE
 * @param suffix without a setting, appended to that name: in Temporal Cloud before the account
 */
export function derivedNamespace(
  named: string | undefined,
  { namespace, connectionOptions }: TemporalConfig,
  suffix: string,
): string {
  if (named !== undefined) return named;
  // The last part of a name in Temporal Cloud is the account: sendoff.a1b2c.
  const account = isTemporalCloud(connectionOptions.address ?? '') ? (/\.[^.]*$/.exec(namespace)?.[0] ?? '') : '';
  return `${namespace.slice(0, namespace.length - account.length)}${suffix}${account}`;
}
