import { randomUUID } from 'node:crypto';
import { request } from 'undici';
import { createHttpEmailProvider } from '../../../email-provider/adapters/sendoff/sendoff-provider.ts';
import { ProviderError } from '../../../email-provider/provider-error.ts';
import { parseJson } from '../../../lib/parse-json.ts';
import { isObject } from '../../../lib/json-value.ts';
import { createClosers } from '../../../lib/closers.ts';
import { operatorAccounts } from '../../../operator-accounts.ts';
import { createSqlAccountBlocks } from '../../../store/onboarding/sql-account-blocks.ts';
import { accountConfigs, requiredSettings } from '../../../provider-settings.ts';
import type { ProviderName } from '../../../onboarding/provider-name.ts';
import { webhookPath } from '../../../onboarding/onboarding-ids.ts';
import { commandLineSettings } from '../../command-line-settings.ts';
import { readSome } from '../../../lib/settings.ts';
import { type Diagnosis, messageOf, ok, problem, skipped, warning } from '../check.ts';
import { check, type DoctorContext, needed } from '../doctor-context.ts';

/** An ID that no tenant, key or onboarding has. */
const absentId = (): string => `sendoff-doctor-${randomUUID()}`;

interface Answer {
  readonly status: number;
  /** The `code` of the problem details (RFC 9457). */
  readonly code: string | undefined;
  readonly content: unknown;
  readonly type: string;
}

async function call(
  url: string,
  { method = 'GET', token, signal }: { method?: 'GET' | 'POST'; token?: string; signal: AbortSignal },
): Promise<Answer> {
  const { statusCode, headers, body } = await request(url, {
    method,
    signal,
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  });
  const content = parseJson(await body.text());
  const code = isObject(content) && typeof content['code'] === 'string' ? content['code'] : undefined;
  return { status: statusCode, code, content, type: String(headers['content-type']) };
}

export const providerCheck = check('provider', async (context, signal) => {
  const { EMAIL_PROVIDER: name, EMAIL_PROVIDER_URL: url } = await context.settings(
    'EMAIL_PROVIDER',
    'EMAIL_PROVIDER_URL',
  );
  if (name !== undefined) return examined(context, name, signal);
  try {
    const { status } = await call(url, { signal });
    if (status >= 500) return problem(`${url} answers with status ${status}`, 'Read the log of the provider');
    return ok(`${url} answers`);
  } catch (error) {
    return problem(
      `${url} does not answer: ${messageOf(error)}`,
      'Start the provider (sendoff email-service) or correct EMAIL_PROVIDER_URL',
    );
  }
});

async function examined(context: DoctorContext, name: ProviderName, signal: AbortSignal): Promise<Diagnosis> {
  const settings = await context.accountSettings();
  const [credential, ...others] = requiredSettings[name];
  const closers = createClosers();
  const account = operatorAccounts(closers, accountConfigs(settings))[name];
  if (account === undefined)
    return problem(
      `EMAIL_PROVIDER is ${name}, and its settings are not complete`,
      `Set ${[credential, ...others].join(', ')}`,
    );
  try {
    const [found] = await account.examine({ signal });
    if (found !== undefined) return problem(`${name}: ${found.code}`, found.remedy);
    return (await blockOf(context, name)) ?? ok(`${name} accepts ${credential}`);
  } catch (error) {
    return problem(
      `${name} cannot be asked: ${messageOf(error)}`,
      'Correct its address in the settings, or try again later',
    );
  } finally {
    await closers.close();
  }
}

/** What the Workers were last refused; undefined without a refusal, or without the database, which has its own check. */
async function blockOf(context: DoctorContext, name: ProviderName): Promise<Diagnosis | undefined> {
  const inspected = await context.opened.database().catch(() => undefined);
  if (inspected === undefined) return undefined;
  const blocks = await createSqlAccountBlocks(inspected.database).list(new Date().toISOString());
  const block = blocks.find(({ provider }) => provider === name);
  return (
    block &&
    problem(
      `${name} has refused requests of your account since ${block.since}, last at ${block.lastAt}: ${block.code}`,
      `Resolve it at ${name}; every onboarding there then continues by itself`,
    )
  );
}

/** Revokes a key that does not exist: every provider checks the credential first, and nothing is created or changed. */
export const providerCredentialCheck = check('provider credential', async (context, signal) => {
  const { EMAIL_PROVIDER: other } = await context.settings('EMAIL_PROVIDER');
  if (other !== undefined) return skipped(`EMAIL_PROVIDER is ${other}: see provider`);
  const { EMAIL_PROVIDER_URL: baseUrl, EMAIL_PROVIDER_OPERATOR_TOKEN: operatorToken } = await context.settings(
    'EMAIL_PROVIDER_URL',
    'EMAIL_PROVIDER_OPERATOR_TOKEN',
  );
  const provider = createHttpEmailProvider({ baseUrl, operatorToken });
  try {
    await provider.revokeApiKey(absentId(), { signal });
    return ok('the provider accepts EMAIL_PROVIDER_OPERATOR_TOKEN');
  } catch (error) {
    if (!(error instanceof ProviderError)) return skipped('not checked: see provider');
    if (error.httpStatus === 401 || error.httpStatus === 403)
      return problem(
        `the provider refuses EMAIL_PROVIDER_OPERATOR_TOKEN with ${error.httpStatus} ${error.code}`,
        "Set it to the provider's operator token; for the email service that is EMAIL_SERVICE_OPERATOR_TOKEN",
      );
    if (error.meaning === 'gone') return ok('the provider accepts EMAIL_PROVIDER_OPERATOR_TOKEN');
    return warning(
      `the provider answers ${error.httpStatus} ${error.code} to the revocation of an unknown key`,
      'Compare EMAIL_PROVIDER_URL and the provider with docs/provider-answers.md',
    );
  } finally {
    await provider.close();
  }
});

export const httpApiCheck = check('HTTP API', async (context, signal) => {
  const { url, token } = await apiAddress(context);
  let answer: Answer;
  try {
    answer = await call(`${url}/onboardings/${absentId()}`, { token, signal });
  } catch (error) {
    return problem(`${url} does not answer: ${messageOf(error)}`, 'Start a server: sendoff server');
  }
  const { status, code } = answer;
  if (code === 'not_found') return ok(`${url} accepts SENDOFF_API_TOKEN`);
  if (status === 401)
    return problem(
      `${url} refuses SENDOFF_API_TOKEN`,
      'Set it to the value that the server was started with, or restart the server',
    );
  if (code === undefined)
    return problem(`${url} answers with status ${status}, not as sendoff's HTTP API`, 'Correct SENDOFF_URL');
  return problem(`${url} answers ${status} ${code}`, `Read what fails at ${url}/readyz`);
});

/** SENDOFF_URL, or where a server with these settings listens on this machine. */
async function apiAddress(context: DoctorContext): Promise<{ url: string; token: string }> {
  const { SENDOFF_URL: given } = await needed('settings', () =>
    readSome(commandLineSettings, ['SENDOFF_URL'], context.environment),
  );
  const {
    SENDOFF_API_TOKEN: [first],
    SENDOFF_HOST: host,
    SENDOFF_PORT: port,
  } = await context.settings('SENDOFF_API_TOKEN', 'SENDOFF_HOST', 'SENDOFF_PORT');
  return { url: given ?? localUrl(host, port), token: first?.token ?? '' };
}

function localUrl(host: string, port: number): string {
  const reachable = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}

/** Asks for the page of a link that does not exist, which is rendered as that of a tenant is. */
export const setupPageCheck = check('setup page', async (context, signal) => {
  const { url, setting } = await setupPageAddress(context);
  const remedy = `Let tenants reach GET ${url}/setup/… on the server, or correct ${setting}`;
  try {
    const { status, type } = await call(`${url}/setup/${absentId()}`, { signal });
    if (status === 404 && type.startsWith('text/html')) return ok(`${url} answers with a page`);
    if (status >= 500) return problem(`${url} answers with status ${status}`, 'Read the log of the server');
    return problem(`${url} answers with status ${status}, not with sendoff's setup page`, remedy);
  } catch (error) {
    return problem(`${url} does not answer: ${messageOf(error)}`, remedy);
  }
});

async function setupPageAddress(context: DoctorContext): Promise<{ url: string; setting: string }> {
  const { SENDOFF_SETUP_PAGE_URL: own, SENDOFF_PUBLIC_URL: shared } = await context.settings(
    'SENDOFF_SETUP_PAGE_URL',
    'SENDOFF_PUBLIC_URL',
  );
  if (own !== undefined) return { url: own, setting: 'SENDOFF_SETUP_PAGE_URL' };
  if (shared !== undefined) return { url: shared, setting: 'SENDOFF_PUBLIC_URL' };
  return { url: (await apiAddress(context)).url, setting: 'SENDOFF_URL' };
}

/** Posts a webhook without a signature, which the receiver refuses in a way that nothing else does. */
export const webhookReceiverCheck = check('webhook receiver', async (context, signal) => {
  const { SENDOFF_PUBLIC_URL: url } = await context.settings('SENDOFF_PUBLIC_URL');
  if (url === undefined)
    return skipped('SENDOFF_PUBLIC_URL is not set, so waits rely on polling', 'Set it to shorten the waits');
  const remedy = `Let the provider reach POST ${url}/webhooks/… on the server, or correct SENDOFF_PUBLIC_URL`;
  try {
    const { status, code } = await call(`${url}${webhookPath(absentId())}`, { method: 'POST', signal });
    return code === 'invalid_signature'
      ? ok(`${url} leads from this machine to the receiver`)
      : problem(`${url} answers with status ${status}, not as sendoff's webhook receiver`, remedy);
  } catch (error) {
    return problem(`${url} does not answer: ${messageOf(error)}`, remedy);
  }
});
