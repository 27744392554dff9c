// Each process has its own, because the limit protects its slots; the lease keeps two processes from one email.
/** A tenth of this process's Activity slots, so that one account's slow receivers leave room for others. */
export const ACCOUNT_ATTEMPTS_MAX = 20;

export function createAttemptsUnderWay() {
  const byAccount = new Map<string, Set<string>>();
  return {
    has: (accountId: string, emailId: string): boolean => byAccount.get(accountId)?.has(emailId) ?? false,
    /** @returns false if the account has reached its limit */
    begin(accountId: string, emailId: string): boolean {
      const emails = byAccount.get(accountId) ?? new Set();
      if (emails.size >= ACCOUNT_ATTEMPTS_MAX) return false;
      byAccount.set(accountId, emails.add(emailId));
      return true;
    },
    end(accountId: string, emailId: string): void {
      const emails = byAccount.get(accountId);
      emails?.delete(emailId);
      if (emails?.size === 0) byAccount.delete(accountId);
    },
  };
}
