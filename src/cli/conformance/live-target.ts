// The user's own account. It creates domains below one of the user's, and notes each before, so that what a run has left is found again.
import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { getServers } from 'node:dns';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FarEnd, NotProven, type TenantAtFarEnd } from '../../conformance/far-end.ts';
import { sesUrl } from '../../email-provider/adapters/ses/ses-client.ts';
import type { OperatorAccount } from '../../email-provider/operator-account.ts';
import { createClosers } from '../../lib/closers.ts';
import { checkRecords } from '../../lib/dns/check-records.ts';
import { createAuthoritativeResolver } from '../../lib/dns/resolver/authoritative-resolver.ts';
import { isPublicAddress } from '../../lib/dns/public-address.ts';
import { readSettings } from '../../lib/settings.ts';
import type { ProviderName } from '../../onboarding/provider-name.ts';
import { operatorAccounts } from '../../operator-accounts.ts';
import { accountConfigs, accountSettings, requiredSettings } from '../../provider-settings.ts';
import { CommandError } from '../command-error.ts';

interface Live {
  readonly provider: ProviderName;
  readonly environment: NodeJS.ProcessEnv;
  /** A file with a line of JSON for each tenant. */
  readonly journal: string;
}

/** The account of the settings. @param url instead of the provider's */
function accountOf(live: Live, url?: string): OperatorAccount {
  const { provider, environment } = live;
  const given = url === undefined ? environment : { ...environment, [`${provider.toUpperCase()}_URL`]: url };
  const { ses, ...others } = accountConfigs(readSettings(accountSettings, given));
  // Amazon refuses what is signed for another host than its own.
  const configs = { ...others, ...(ses && { ses: { ...ses, signedFor: new URL(urlOf(live)).host } }) };
  const account = operatorAccounts(createClosers(), configs)[provider];
  if (account !== undefined) return account;
  throw new CommandError(`Set ${requiredSettings[provider].join(', ')} for your account at ${provider}`);
}

/** Of the provider's API. */
function urlOf({ provider, environment }: Live): string {
  const settings = readSettings(accountSettings, environment);
  return accountConfigs(settings)[provider]?.baseUrl ?? sesUrl(settings.SES_REGION ?? '');
}

/** @param live.domain below which the run creates domains, whose records it does not publish */
export function openLive(live: Live & { readonly domain: string }): FarEnd {
  const { provider, environment, domain, journal } = live;
  const account = accountOf(live);
  const resolver = createAuthoritativeResolver({ resolvers: getServers(), port: 53, mayAsk: isPublicAddress });
  return {
    kind: 'live',
    provider,
    url: urlOf(live),
    connect: (url) => ({ account: accountOf(live, url) }),
    checkRecords: (name, expected) => checkRecords(resolver, name, expected),
    credential: environment[provider === 'ses' ? 'SES_SECRET_ACCESS_KEY' : requiredSettings[provider][0]] ?? '',
    whole: { domains: 1 },
    domain: (label) => `${label}.${domain}`,
    // No email gets there: without records, no case comes so far.
    recipient: (label, ending) => `${ending}+${label}@${domain}`,
    begin: (tenant) => {
      appendFileSync(journal, `${JSON.stringify({ provider, ...tenant })}\n`);
    },
    publish: () => Promise.reject(new NotProven('verification: the records are not published')),
    async held({ domain: name }) {
      return { domains: (await account.findDomain(name)) === undefined ? 0 : 1 };
    },
    pause: (ms) => sleep(ms),
    close: () => account.close(),
  };
}

/** Deletes what the journal names, and nothing else. Returns what is left, each with why. */
export async function cleanUp(live: Live): Promise<string[]> {
  const { provider, journal } = live;
  const lines = existsSync(journal) ? readFileSync(journal, 'utf8').trim().split('\n') : [];
  const tenants = lines.map((line) => JSON.parse(line) as TenantAtFarEnd & { provider: string });
  const account = accountOf(live);
  const left: string[] = [];
  const attempt = async (what: string, act: () => Promise<string | undefined>): Promise<void> => {
    const reason = await act().catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
    if (reason !== undefined) left.push(`${what}: ${reason}`);
  };
  try {
    for (const { mark, domain } of tenants.filter((tenant) => tenant.provider === provider)) {
      await attempt(`the senders of ${mark}`, async () => {
        await account.deleteSenders?.({ mark, fromAddress: `hello@${domain}` });
        return undefined;
      });
      await attempt(`the domain ${domain}`, async () => {
        const found = await account.findDomain(domain);
        if (found !== undefined) await account.deleteDomain(found.id);
        return undefined;
      });
      await attempt(`the account ${mark}`, async () => (await account.accounts?.close({ mark }))?.kept);
    }
  } finally {
    await account.close();
  }
  if (left.length === 0) rmSync(journal, { force: true });
  return left;
}
