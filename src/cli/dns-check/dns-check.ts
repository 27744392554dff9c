import { getServers } from 'node:dns';
import { settingsTable } from '../../config.ts';
import {
  createAuthoritativeResolver,
  type AuthoritativeResolver,
} from '../../lib/dns/resolver/authoritative-resolver.ts';
import { fitsInDns, normalName } from '../../lib/dns/names/domain-name.ts';
import { checkRecords } from '../../lib/dns/check-records.ts';
import { addressPolicy } from '../../lib/dns/public-address.ts';
import { parseServerAddress } from '../../lib/dns/resolver/server-address.ts';
import { readSettings, type SettingsTable } from '../../lib/settings.ts';
import { createChosenServers, findServer } from '../programs/chosen-servers.ts';
import { commandLineSettings } from '../programs/command-line-settings.ts';
import { CommandError } from '../command-error.ts';
import { ExitCode } from '../exit-codes.ts';
import { findDnsServer } from '../find-api.ts';
import type { CheckedDomain } from './checked-domain.ts';
import { findExpectedRecords } from './find-expected-records.ts';
import { showDomainCheck } from './show-domain-check.ts';

export interface DnsCheckOptions {
  readonly records?: string;
  readonly tenant?: string;
  /** Asked instead of the authoritative servers. */
  readonly server?: readonly string[];
  readonly json?: boolean;
  readonly data?: string;
}

export interface DnsCheckSurroundings {
  readonly environment: NodeJS.ProcessEnv;
  readonly stdin: NodeJS.ReadableStream;
  /** Takes the result. */
  readonly write: (text: string) => void;
  /** Of a set-up on this machine, when none is named. */
  readonly dataDefault: string;
}

const checkSettings = {
  EMAIL_PROVIDER_URL: settingsTable.EMAIL_PROVIDER_URL,
  EMAIL_PROVIDER_API_KEY: commandLineSettings.EMAIL_PROVIDER_API_KEY,
  DNS_RESOLVERS: settingsTable.DNS_RESOLVERS,
  DNS_PORT: settingsTable.DNS_PORT,
} as const satisfies SettingsTable;

/** Resolves with the exit code: 0 everything required is published, 1 it is not or cannot be told. */
export async function dnsCheck(
  given: string,
  options: DnsCheckOptions,
  { environment, stdin, write, dataDefault }: DnsCheckSurroundings,
): Promise<number> {
  const domain = normalName(given);
  if (!fitsInDns(domain) || !domain.includes('.'))
    throw new CommandError(`${JSON.stringify(given)} is not a domain. Write it as mail.example.com, in A-labels.`);
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
  const resolver = noting(servers, await resolverFor(options, settings, { environment, dataDefault }));
  const look = await checkRecords(resolver, domain, expected);
  const checked: CheckedDomain = {
    domain,
    zone: look.zone ?? null,
    verified: look.verified,
    conclusive: look.conclusive,
    records: look.records.flatMap((record, at) => {
      const { value, required } = expected[at] ?? {};
      if (value === undefined || required === undefined) return [];
      return [{ ...record, value, required, asked: servers.get(keyOf(record.name, record.type)) ?? [] }];
    }),
  };
  write(`${options.json === true ? JSON.stringify(checked) : showDomainCheck(checked)}\n`);
  return checked.verified ? ExitCode.done : ExitCode.failed;
}

/** Who is asked: the servers that were named, those of the environment, the small world of a set-up, or the internet's. */
async function resolverFor(
  { server = [], tenant, records, data }: DnsCheckOptions,
  settings: { readonly DNS_RESOLVERS: readonly string[] | undefined; readonly DNS_PORT: number },
  { environment, dataDefault }: Pick<DnsCheckSurroundings, 'environment' | 'dataDefault'>,
): Promise<AuthoritativeResolver> {
  if (server.length > 0)
    return createChosenServers(await Promise.all(server.map((one) => findServer(one, settings.DNS_PORT))));
  const { DNS_RESOLVERS: resolvers, DNS_PORT: port } = settings;
  // The operator asks from their own machine and sees what it may reach anyhow.
  const mayAsk = addressPolicy(true);
  if (resolvers !== undefined) return createAuthoritativeResolver({ resolvers, port, mayAsk });
  // A set-up that happens to lie in the default folder says nothing about a domain whose records come from elsewhere.
  const ofSetUp = records === undefined && tenant !== undefined && environment['SENDOFF_URL'] === undefined;
  const dnsServer = data !== undefined || ofSetUp ? findDnsServer(data ?? dataDefault) : undefined;
  if (dnsServer === undefined) return createAuthoritativeResolver({ resolvers: getServers(), port, mayAsk });
  return createAuthoritativeResolver({ resolvers: [dnsServer], port: parseServerAddress(dnsServer).port, mayAsk });
}

/** Keeps which servers were asked about each name and type. */
const noting = (servers: Map<string, readonly string[]>, resolver: AuthoritativeResolver): AuthoritativeResolver => ({
  ...resolver,
  async lookUp(name, type) {
    const found = await resolver.lookUp(name, type);
    servers.set(keyOf(found.name, type), [...new Set(found.answers.map((answer) => answer.server))]);
    return found;
  },
});

const keyOf = (name: string, type: string): string => `${type} ${name}`;
