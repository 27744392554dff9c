import { type Environment, readSome } from '../lib/settings.ts';
import { derivedNamespace } from '../lib/temporal/derived-namespace.ts';
import type { TemporalConfig } from '../lib/temporal/temporal-config.ts';
import { emailServiceSettings } from './config.ts';

/** The Namespace of the email service's Workflows. @param named EMAIL_SERVICE_TEMPORAL_NAMESPACE */
export const emailServiceNamespace = (named: string | undefined, temporal: TemporalConfig): string =>
  derivedNamespace(named, temporal, '-email-service');

/** The same from the environment, without the settings that only the running service needs. */
export function readEmailServiceNamespace(environment: Environment, temporal: TemporalConfig): string {
  const read = readSome(emailServiceSettings, ['EMAIL_SERVICE_TEMPORAL_NAMESPACE'], environment);
  return emailServiceNamespace(read.EMAIL_SERVICE_TEMPORAL_NAMESPACE, temporal);
}
