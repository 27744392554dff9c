import { getServers } from 'node:dns';
import { settingsTable } from '../../config.ts';
import { questionKey } from '../../lib/dns/resolver/answer.ts';
import {
  createAuthoritativeResolver,
  type AuthoritativeResolver,
} from '../../lib/dns/resolver/authoritative-resolver.ts';
import { fitsInDns, normalName } from '../../lib/dns/names/domain-name.ts';
import { checkRecords } from '../../lib/dns/check-records.ts';
import { parseServerAddress } from '../../lib/dns/resolver/server-address.ts';
import { readSettings, type SettingsTable } from '../../lib/settings.ts';
import { createChosenServers, findServer } from './chosen-servers.ts';
import { commandLineSettings } from '../command-line-settings.ts';
import type { ResultContext } from '../command-context.ts';
import { CommandError } from '../command-error.ts';
import { ExitCode } from '../exit-codes.ts';
import { findDnsServer } from '../find-api.ts';
import { findExpectedRecords } from './find-expected-records.ts';
import { showDomainCheck, type DnsCheckResult } from './show-domain-check.ts';

export interface DnsCheckOptions {
  readonly records?: string;
  readonly tenant?: string;
  /** Servers to ask instead of the authoritative ones. */
  readonly server?: readonly string[];
  readonly json?: boolean;
  readonly data?: string;
}

export interface DnsCheckContext extends ResultContext {
  readonly stdin: NodeJS.ReadableStream;
  /** The data folder of the local deployment, unless `data` names another one. */
  readonly dataDefault: string;
}

const checkSettings = {
  EMAIL_PROVIDER_URL: settingsTable.EMAIL_PROVIDER_URL,
  EMAIL_PROVIDER_API_KEY: commandLineSettings.EMAIL_PROVIDER_API_KEY,
  DNS_RESOLVERS: settingsTable.DNS_RESOLVERS,
  DNS_PORT: settingsTable.DNS_PORT,
} as const satisfies SettingsTable;

/**
 * Prints what is published for a domain and what is wrong with it.
 *
 * @returns the exit code: 0 when all required records are found, 1 when not or inconclusive
 * @throws CommandError for wrong arguments, and when the expected records cannot be found
 */
export async function dnsCheck(
  given: string,
  options: DnsCheckOptions,
  { environment, stdin, write, dataDefault }: DnsCheckContext,
): Promise<number> {
  const domain = normalName(given);
  if (!fitsInDns(domain) || !domain.includes('.'))
    throw new CommandError(
      `${JSON.stringify(given)} is not a domain: expected a name such as mail.example.com; write internationalized names in their xn-- form`,
    );
  const settings = readSettings(checkSettings, environment);
  const token = settings.EMAIL_PROVIDER_API_KEY;
  const expected = await findExpectedRecords(domain, {
    records: options.records,
    tenant: options.tenant,
    provider: token === undefined ? undefined : { baseUrl: settings.EMAIL_PROVIDER_URL, token },
    dataFolder: options.data ?? dataDefault,
    environment,
    stdin,
  });
  const servers = new Map<string, readonly string[]>();
  const resolver = recording(servers, await resolverFor(options, settings, { environment, dataDefault }));
  const check = await checkRecords(resolver, domain, expected);
  const checked: DnsCheckResult = {
    ...check,
    records: check.records.flatMap((record, at) => {
      const { value, required } = expected[at] ?? {};
      if (value === undefined || required === undefined) return [];
      return [{ ...record, value, required, asked: servers.get(questionKey(record)) ?? [] }];
    }),
  };
  write(`${options.json === true ? JSON.stringify(checked) : showDomainCheck(checked)}\n`);
  return checked.verified ? ExitCode.done : ExitCode.failed;
}

/** The servers of `--server`, the resolvers of the environment, the DNS of the local deployment, or this machine's resolvers. */
async function resolverFor(
  { server = [], tenant, records, data }: DnsCheckOptions,
  settings: { readonly DNS_RESOLVERS: readonly string[] | undefined; readonly DNS_PORT: number },
  { environment, dataDefault }: Pick<DnsCheckContext, 'environment' | 'dataDefault'>,
): Promise<AuthoritativeResolver> {
  if (server.length > 0)
    return createChosenServers(await Promise.all(server.map((one) => findServer(one, settings.DNS_PORT))));
  const { DNS_RESOLVERS: resolvers, DNS_PORT: port } = settings;
  // The operator's machine may ask any address that the operator can reach from it.
  const mayAsk = () => true;
  if (resolvers !== undefined) return createAuthoritativeResolver({ resolvers, port, mayAsk });
  // A local deployment in the default folder has nothing to do with records that come from elsewhere.
  const isLocal = records === undefined && tenant !== undefined && environment['SENDOFF_URL'] === undefined;
  const dnsServer = data !== undefined || isLocal ? findDnsServer(data ?? dataDefault) : undefined;
  if (dnsServer === undefined) return createAuthoritativeResolver({ resolvers: getServers(), port, mayAsk });
  return createAuthoritativeResolver({ resolvers: [dnsServer], port: parseServerAddress(dnsServer).port, mayAsk });
}

/** Records which servers answered for each name and type. */
const recording = (
  servers: Map<string, readonly string[]>,
  resolver: AuthoritativeResolver,
): AuthoritativeResolver => ({
  ...resolver,
  async lookUp(name, type, known) {
    const found = await resolver.lookUp(name, type, known);
    servers.set(questionKey(found), [...new Set(found.answers.map((answer) => answer.server))]);
    return found;
  },
});
