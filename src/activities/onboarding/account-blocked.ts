import { log } from '@temporalio/activity';
import type { ApplicationFailure } from '@temporalio/common';
import type { FailedAttempt } from '../../onboarding/onboarding-record.ts';
import type { ProviderName } from '../../onboarding/provider-name.ts';
import type { AccountBlocks } from '../../store/onboarding/sql-account-blocks.ts';

/** Type of the failure of an attempt, which Temporal retries. Its detail is the provider's code. */
export const ACCOUNT_BLOCKED = 'AccountBlocked';

/** Without another refusal for so long after the next attempt is due, the account is served again. */
const QUIET_MS = 3_600_000;

/** Undefined for any other failure. */
export const blockedCode = ({ type, details }: ApplicationFailure): string | undefined =>
  type === ACCOUNT_BLOCKED ? String(details?.[0]) : undefined;

/** Warns once for the account, not once for each tenant and Worker. */
export async function reportBlocked(
  {
    provider,
    code,
    message,
    at,
    nextAttemptAt,
  }: FailedAttempt & { readonly provider: ProviderName; readonly code: string },
  blocks: Pick<AccountBlocks, 'note'>,
): Promise<void> {
  const until = new Date(Date.parse(nextAttemptAt ?? at) + QUIET_MS).toISOString();
  const isNews = await blocks.note({ provider, code, message, lastAt: at, until });
  if (isNews) log.warn("the provider refuses the operator's account", { provider, code, reason: message });
}
