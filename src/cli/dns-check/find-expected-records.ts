import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { ExpectedRecord } from '../../lib/dns/expected-record.ts';
import { createAccountLookUps } from '../../email-provider/adapters/sendoff/sendoff-provider.ts';
import { createApiClient } from '../api-client.ts';
import { parseJson } from '../../lib/parse-json.ts';
import { CommandError } from '../command-error.ts';
import { expectedRecords } from './expected-records.ts';
import { findApi } from '../find-api.ts';
import { unreadableFile } from '../unreadable-file.ts';

export interface RecordsSource {
  /** A file's path, or `-` for `stdin`. */
  readonly records: string | undefined;
  readonly tenant: string | undefined;
  readonly provider: { readonly baseUrl: string; readonly token: string } | undefined;
  readonly dataFolder: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly stdin: NodeJS.ReadableStream;
}

/**
 * The records that a domain needs, from a file, a tenant's onboarding or the provider: the first of these that is given.
 *
 * @throws CommandError when none is given, or the source cannot be read or is about another domain
 */
export async function findExpectedRecords(domain: string, source: RecordsSource): Promise<readonly ExpectedRecord[]> {
  if (source.records !== undefined) return fromFile(domain, source.records, source.stdin);
  if (source.tenant !== undefined) return fromOnboarding(domain, source.tenant, source);
  if (source.provider !== undefined) return fromProvider(domain, source.provider);
  throw new CommandError(
    [
      `No source for the records that ${domain} needs. Give one of:`,
      "  --records FILE   a domain of the provider's API as JSON; - for stdin",
      '  --tenant TENANT  the onboarding of this tenant',
      '  EMAIL_PROVIDER_API_KEY, a key of the account that may read its domains, and EMAIL_PROVIDER_URL, in the environment',
    ].join('\n'),
    { code: 'no_expected_records' },
  );
}

async function fromFile(
  domain: string,
  path: string,
  stdin: NodeJS.ReadableStream,
): Promise<readonly ExpectedRecord[]> {
  const source = path === '-' ? 'stdin' : path;
  const content = await (path === '-' ? text(stdin) : readFile(path, 'utf8')).catch((error: unknown) => {
    throw unreadableFile(source, error);
  });
  const records = parseJson(content);
  if (records === undefined) throw new CommandError(`${source} is not JSON`);
  return expectedRecords(records, domain, source);
}

async function fromOnboarding(
  domain: string,
  tenantId: string,
  { dataFolder, environment }: RecordsSource,
): Promise<readonly ExpectedRecord[]> {
  const { onboarding } = await createApiClient(findApi(dataFolder, environment)).get(tenantId);
  if (onboarding.domain !== domain) {
    throw new CommandError(`The onboarding of tenant ${tenantId} is for ${onboarding.domain}, not for ${domain}`);
  }
  if (onboarding.records.length === 0) {
    throw new CommandError(
      `The onboarding of tenant ${tenantId} is in stage ${onboarding.stage} and has no records yet. Try again later`,
    );
  }
  return expectedRecords(onboarding, domain, `the onboarding of tenant ${tenantId}`);
}

async function fromProvider(
  domain: string,
  provider: { readonly baseUrl: string; readonly token: string },
): Promise<readonly ExpectedRecord[]> {
  const lookUps = createAccountLookUps(provider);
  try {
    const found = await lookUps.findDomain(domain);
    if (found !== undefined) return expectedRecords(found, domain, `the domain ${found.id} at ${provider.baseUrl}`);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`The records of ${domain} cannot be read from the provider at ${provider.baseUrl}`, {
      cause: error,
    });
  } finally {
    await lookUps.close();
  }
  throw new CommandError(
    `The account of this EMAIL_PROVIDER_API_KEY at ${provider.baseUrl} has no domain ${domain}. Register it first, or give the records with --records FILE`,
  );
}
