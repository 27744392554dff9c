import { type CallMeaning, countCalls } from './email-provider/count-calls.ts';
import { areMetricsExported, counter } from './lib/metrics/metrics.ts';
import { inSpan, isTracing } from './lib/tracing/tracing.ts';
import type { EMBEDDED, ProviderName } from './onboarding/provider-name.ts';
import type { Accounts } from './operator-accounts.ts';

interface CallLabels extends Readonly<Record<string, string>> {
  readonly provider: ProviderName | typeof EMBEDDED;
  readonly call: string;
  readonly meaning: CallMeaning;
}

const requests = counter<CallLabels>('sendoff_provider_requests', 'Calls of the provider that have ended.');

/** The same, with its calls counted, and each a span of the trace that it is part of. */
export const measuredCalls = <Port extends object>(port: Port, provider: CallLabels['provider']): Port =>
  areMetricsExported() || isTracing()
    ? countCalls(
        port,
        (call, meaning) => {
          requests.add({ provider, call, meaning });
        },
        (call, run) => inSpan(`${provider} ${call}`, run),
      )
    : port;

export const measuredAccounts = (accounts: Accounts): Accounts =>
  Object.fromEntries(
    Object.entries(accounts).map(([provider, account]) => [provider, measuredCalls(account, provider as ProviderName)]),
  );
