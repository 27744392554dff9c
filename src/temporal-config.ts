// Leaf library: where Temporal is, by its own variables and files (TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, TEMPORAL_API_KEY, temporal.toml).
import { loadClientConnectConfig } from '@temporalio/envconfig';

export interface TemporalConfig {
  readonly connectionOptions: ReturnType<typeof loadClientConnectConfig>['connectionOptions'];
  /** Clients and Workers do not read it by themselves: it must be passed to each. */
  readonly namespace: string;
}

/** Throws when a variable or the file cannot be used. */
export function readTemporalConfig(environment: Readonly<Record<string, string | undefined>>): TemporalConfig {
  const set = Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const { connectionOptions, namespace } = loadClientConnectConfig({ overrideEnvVars: Object.fromEntries(set) });
  return { connectionOptions, namespace: namespace ?? 'default' };
}
