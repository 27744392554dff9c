// Checks from outside the programs, because it must work when none of them starts.
import { clockCheck } from './checks/clock-check.ts';
import { settingsTable } from '../../config.ts';
import { emailServiceSettings } from '../../email-service/config.ts';
import { counted } from '../../lib/counted.ts';
import { parseDatabaseUrl } from '../../lib/database-url.ts';
import type { ResultContext } from '../command-context.ts';
import { CommandError } from '../command-error.ts';
import { ExitCode } from '../exit-codes.ts';
import { databaseUrl, settingText } from '../../lib/settings.ts';
import { withoutSecrets } from '../../lib/without-secrets.ts';
import { hasSettings } from '../has-settings.ts';
import { textTable } from '../text-table.ts';
import type { NamedDiagnosis, CheckState } from './check.ts';
import {
  backgroundHolderCheck,
  databaseCheck,
  keysCheck,
  namespaceHolderCheck,
  storeCheck,
  storeKeysCheck,
} from './checks/database-checks.ts';
import { dnsResolversCheck } from './checks/dns-resolvers-check.ts';
import {
  httpApiCheck,
  providerCheck,
  providerCredentialCheck,
  setupPageCheck,
  webhookReceiverCheck,
} from './checks/http-checks.ts';
import { providersCheck } from './checks/providers-check.ts';
import { executionsCheck } from './checks/executions-check.ts';
import { stuckCheck } from './checks/stuck-check.ts';
import { inboundSmtpCheck } from './checks/inbound-smtp-check.ts';
import { outboundSmtpCheck } from './checks/outbound-smtp-check.ts';
import { reverseDnsCheck, spfMechanismCheck } from './checks/sending-address-checks.ts';
import { emailServiceSettingsCheck, settingsCheck } from './checks/settings-checks.ts';
import { emailServiceSingletonsCheck, singletonsCheck } from './checks/singleton-checks.ts';
import { namespaceCheck, searchAttributesCheck, temporalCheck } from './checks/temporal-checks.ts';
import { emailServiceWorkersCheck, workersCheck } from './checks/worker-checks.ts';
import { type Check, createDoctorContext, type DoctorOptions } from './doctor-context.ts';
import { runChecks } from './run-checks.ts';

/** Longer than each step of a check that has a limit of its own. */
const CHECK_TIMEOUT_MS = 15_000;

export interface DoctorIo extends ResultContext {
  /** For each check. @default 15 seconds */
  readonly timeoutMs?: number;
}

/** Checks what the programs need, and changes nothing. Resolves with the exit code: 1 if a check found a problem. */
export async function doctor(
  { json = false, ...options }: DoctorOptions,
  { environment, write, timeoutMs = CHECK_TIMEOUT_MS }: DoctorIo,
): Promise<number> {
  if (options.smtpHost !== undefined && options.mxOf !== undefined)
    throw new CommandError('Give --smtp-host or --mx-of, not both');
  const context = createDoctorContext(environment, options);
  try {
    const results = await runChecks(checksFor(environment), context, timeoutMs);
    const shown = results.map((result) => withoutSettings(result, environment));
    write(json ? `${JSON.stringify(report(shown))}\n` : `${describe(shown)}\n`);
    return countOf(shown, 'problem') === 0 ? ExitCode.done : ExitCode.failed;
  } finally {
    await context.close();
  }
}

/** In the order in which a person would fix them. */
function checksFor(environment: DoctorIo['environment']): Check[] {
  const hasEmailService = hasSettings(environment, 'EMAIL_SERVICE_');
  const ofEmailService = (...checks: Check[]): Check[] => (hasEmailService ? checks : []);
  return [
    settingsCheck,
    ...ofEmailService(emailServiceSettingsCheck),
    temporalCheck,
    namespaceCheck('Namespace', (context) => context.namespace()),
    namespaceCheck('background Namespace', (context) => context.backgroundNamespace()),
    ...ofEmailService(namespaceCheck('email service Namespace', (context) => context.emailServiceNamespace())),
    searchAttributesCheck,
    databaseCheck,
    namespaceHolderCheck,
    backgroundHolderCheck,
    executionsCheck,
    stuckCheck,
    keysCheck,
    workersCheck,
    singletonsCheck,
    ...ofEmailService(storeCheck, storeKeysCheck, emailServiceWorkersCheck, emailServiceSingletonsCheck),
    providerCheck,
    providerCredentialCheck,
    providersCheck,
    httpApiCheck,
    webhookReceiverCheck,
    setupPageCheck,
    dnsResolversCheck,
    ...ofEmailService(outboundSmtpCheck, reverseDnsCheck, spfMechanismCheck),
    // Few processes take reports, and a deployment may take none.
    ...(hasSettings(environment, 'EMAIL_SERVICE_INBOUND_PORT') ? [inboundSmtpCheck] : []),
    clockCheck,
  ];
}

const countOf = (results: readonly NamedDiagnosis[], state: CheckState): number =>
  results.filter((result) => result.state === state).length;

const report = (checks: readonly NamedDiagnosis[]) => ({
  problems: countOf(checks, 'problem'),
  warnings: countOf(checks, 'warning'),
  checks,
});

const labels = { ok: 'OK', warning: 'WARNING', problem: 'PROBLEM', skipped: 'SKIPPED' } as const;

function describe(results: readonly NamedDiagnosis[]): string {
  const rows = results.map(({ name, state, found, remedy }) => [
    labels[state],
    name,
    remedy === null ? found : `${found} → ${remedy}`,
  ]);
  const counts = [counted(countOf(results, 'problem'), 'problem'), counted(countOf(results, 'warning'), 'warning')];
  return `${textTable(rows)}\n${counts.join(', ')}`;
}

/** A library or a server may repeat a credential in an error, also one of these settings, whose form nothing gives away. */
function withoutSettings(result: NamedDiagnosis, environment: DoctorIo['environment']): NamedDiagnosis {
  const secrets = Object.entries({ ...settingsTable, ...emailServiceSettings })
    .flatMap(([name, setting]) => {
      const secret = 'secret' in setting ? secretText(name, environment) : '';
      if (setting.parse === databaseUrl) return [databasePassword(secret)];
      return [secret, ...secret.split(',')];
    })
    .concat(secretText('TEMPORAL_API_KEY', environment))
    // An API token may have a name: `name:token`.
    .flatMap((secret) => [secret.trim(), secret.trim().replace(/^[\w.-]{1,64}:/, '')])
    .filter((secret) => secret.length >= 8);
  const redacted = (text: string): string =>
    withoutSecrets(secrets.reduce((shown, secret) => shown.replaceAll(secret, '[secret]'), text.replaceAll('\n', ' ')));
  const { found, remedy } = result;
  return { ...result, found: redacted(found), remedy: remedy === null ? null : redacted(remedy) };
}

/** '' without one, or in a URL that is invalid: the checks of the settings report that, without any part of it. */
function databasePassword(url: string): string {
  try {
    const location = parseDatabaseUrl(url);
    return location.kind === 'postgres' ? (location.password ?? '') : '';
  } catch {
    return '';
  }
}

/** '' without a value, or with a file that cannot be read: the checks of the settings report that. */
function secretText(name: string, environment: DoctorIo['environment']): string {
  try {
    return settingText(name, { secret: true }, environment) ?? '';
  } catch {
    return '';
  }
}
