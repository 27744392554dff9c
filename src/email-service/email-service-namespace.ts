import { readSettings } from '../lib/settings.ts';
import { isTemporalCloud } from '../lib/temporal/setup/setup-commands.ts';
import type { TemporalConfig } from '../lib/temporal/temporal-config.ts';
import { emailServiceSettings } from './config.ts';

/** The same from the environment, without the settings that only the running service needs. */
export function readEmailServiceNamespace(
  environment: Readonly<Record<string, string | undefined>>,
  temporal: TemporalConfig,
): string {
  const { EMAIL_SERVICE_TEMPORAL_NAMESPACE } = emailServiceSettings;
  return emailServiceNamespace(
    readSettings({ EMAIL_SERVICE_TEMPORAL_NAMESPACE }, environment).EMAIL_SERVICE_TEMPORAL_NAMESPACE,
    temporal,
  );
}

/**
 * The Namespace of the email service's Workflows. By default not the orchestrator's, where two of three rows in every list would
 * be theirs.
 *
 * @param named EMAIL_SERVICE_TEMPORAL_NAMESPACE
 * @param temporal the settings of both programs, with TEMPORAL_NAMESPACE
 */
export function emailServiceNamespace(named: string | undefined, temporal: TemporalConfig): string {
  if (named !== undefined) return named;
  const { namespace, connectionOptions } = temporal;
  // The last part of a name in Temporal Cloud is the account: sendoff.a1b2c.
  const account = isTemporalCloud(connectionOptions.address ?? '') ? (/\.[^.]*$/.exec(namespace)?.[0] ?? '') : '';
  return `${namespace.slice(0, namespace.length - account.length)}-email-service${account}`;
}
