// The policy that holds for a receiving domain. What was fetched is in the database until it expires, so that a policy of which an
// attacker hides the record or the file still holds in every process. Memory keeps for some seconds or minutes what was just decided, so
// that an email costs no question; another process decides from the same database.
import type { Resolver } from 'node:dns/promises';
import type { Logger } from 'pino';
import type { PolicyClient } from './fetch-mta-sts-policy.ts';
import { type MtaStsPolicy, policyIdIn } from './mta-sts-policy.ts';

export interface StoredPolicy extends Pick<MtaStsPolicy, 'mode' | 'mx'> {
  readonly policyId: string;
  readonly fetchedAt: Date;
  readonly expiresAt: Date;
}

/** Shared by all processes. */
export interface PolicyStore {
  find(domain: string): Promise<StoredPolicy | undefined>;
  keep(domain: string, policy: StoredPolicy): Promise<void>;
}

/** Undefined unless the domain has a policy that is enforced. Rejects if the database does not answer. */
export type FindMtaStsPolicy = (domain: string) => Promise<Pick<MtaStsPolicy, 'mx'> | undefined>;

export interface FindMtaStsPolicyOptions {
  readonly resolver: Pick<Resolver, 'resolveTxt'>;
  readonly client: Pick<PolicyClient, 'fetch'>;
  readonly policies: PolicyStore;
  readonly now: () => Date;
  readonly logger: Logger;
}

/** Without a policy; also after one could not be fetched, for which section 3.3 asks for five minutes. */
const RECHECK_NONE_MS = 5 * 60_000;
/** A policy may have been replaced because it was wrong: section 5.1 wants the record asked before an email bounces. */
const RECHECK_POLICY_MS = 30_000;
/** Section 3.3: renewed each day, so that it does not expire while an attacker hides it. */
const RENEW_AFTER_MS = 24 * 3_600_000;
const REMEMBERED_MAX = 10_000;

export function createFindMtaStsPolicy({
  resolver,
  client,
  policies,
  now,
  logger,
}: FindMtaStsPolicyOptions): FindMtaStsPolicy {
  const remembered = new Map<string, { readonly policy: Promise<StoredPolicy | undefined>; readonly until: number }>();

  function remember(domain: string, policy: Promise<StoredPolicy | undefined>, forMs: number): void {
    remembered.delete(domain);
    remembered.set(domain, { policy, until: now().getTime() + forMs });
    const [oldest] = remembered.keys();
    if (remembered.size > REMEMBERED_MAX && oldest !== undefined) remembered.delete(oldest);
  }

  const policyId = (domain: string): Promise<string | undefined> =>
    resolver.resolveTxt(`_mta-sts.${domain}`).then(
      (records) => policyIdIn(records.map((strings) => strings.join(''))),
      () => undefined,
    );

  async function renew(domain: string, id: string): Promise<StoredPolicy | undefined> {
    const fetched = await client.fetch(domain).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      logger.warn({ domain, reason }, 'cannot fetch the MTA-STS policy of a domain; the one before holds');
      return undefined;
    });
    if (fetched === undefined) return undefined;
    const { mode, mx, maxAgeSeconds } = fetched;
    const fetchedAt = now();
    const policy = {
      mode,
      mx,
      policyId: id,
      fetchedAt,
      expiresAt: new Date(fetchedAt.getTime() + maxAgeSeconds * 1_000),
    };
    await policies.keep(domain, policy);
    return policy;
  }

  async function decide(domain: string): Promise<StoredPolicy | undefined> {
    const [id, stored] = await Promise.all([policyId(domain), policies.find(domain)]);
    const at = now();
    const valid = stored !== undefined && stored.expiresAt > at ? stored : undefined;
    if (id === undefined) return valid;
    if (valid?.policyId !== id) return (await renew(domain, id)) ?? valid;
    if (at.getTime() - valid.fetchedAt.getTime() > RENEW_AFTER_MS)
      renew(domain, id).catch((error: unknown) => {
        logger.warn({ err: error, domain }, 'cannot store the MTA-STS policy of a domain; the one before holds');
      });
    return valid;
  }

  function find(domain: string): Promise<StoredPolicy | undefined> {
    const known = remembered.get(domain);
    if (known !== undefined && now().getTime() < known.until) return known.policy;
    const policy = decide(domain);
    // Emails that come meanwhile wait for the same answer.
    remember(domain, policy, RECHECK_NONE_MS);
    policy.then(
      (found) => {
        remember(domain, policy, found === undefined ? RECHECK_NONE_MS : RECHECK_POLICY_MS);
      },
      () => remembered.delete(domain),
    );
    return policy;
  }

  return async (domain) => {
    const policy = await find(domain.toLowerCase());
    return policy?.mode === 'enforce' ? policy : undefined;
  };
}
