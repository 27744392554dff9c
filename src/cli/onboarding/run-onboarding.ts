import type { OnboardingView } from '../../client/onboarding/onboarding-view.ts';
import { validateOnboarding } from '../../http/validate-onboarding.ts';
import type { OnboardTenantInput } from '../../onboarding/input.ts';
import { createApiClient } from '../api-client.ts';
import { CommandError } from '../command-error.ts';
import type { LocalOptions } from '../common-options.ts';
import { findApi } from '../find-api.ts';
import { unlessInterrupted } from '../follow.ts';
import { printable } from '../../lib/printable.ts';
import { shellWord } from '../shell-word.ts';
import { untilInterrupted } from '../until-interrupted.ts';
import { ExitCode, onboardingExitCode } from '../exit-codes.ts';
import { followOnboarding, untilOver } from './follow-onboarding.ts';
import { showOnboarding } from './show-onboarding.ts';
import { changeLines, watchOnboarding } from './watch-onboarding.ts';

export interface OnboardOptions extends LocalOptions {
  tenant: string;
  domain: string;
  from: string;
  /** Unless `from` has it. */
  fromName?: string;
  to: string;
  subject: string;
  body: string;
  verificationWindow?: string;
  undo?: NonNullable<OnboardTenantInput['undo']>;
  restart?: boolean;
  /** Who restarts. */
  by?: string;
  follow: boolean;
}

/** Resolves with the exit code: 0 onboarded (with --no-follow: started), or that of the failure. */
export async function onboard(
  options: OnboardOptions,
  environment: NodeJS.ProcessEnv,
  interruption = untilInterrupted,
): Promise<number> {
  // The server knows whether its network has reserved names.
  const { input, faults } = validateOnboarding(
    {
      tenantId: options.tenant,
      domain: options.domain,
      fromAddress: options.from,
      ...(options.fromName === undefined ? {} : { fromName: options.fromName }),
      firstEmail: { recipient: options.to, subject: options.subject, body: options.body },
      ...(options.verificationWindow === undefined ? {} : { verificationWindow: options.verificationWindow }),
      ...(options.undo === undefined ? {} : { undo: options.undo }),
    },
    { allowReservedNames: true },
  );
  if (faults.length > 0) {
    throw new CommandError(faults.map(({ field, problem }) => `${flagOf[field] ?? field} ${problem}`).join('\n'), {
      code: 'validation_failed',
    });
  }
  const api = createApiClient(findApi(options.data, environment));
  const { started, view } = await (options.restart === true ? api.restart(input, options.by) : api.put(input)).catch(
    (error: unknown) => {
      if (!(error instanceof CommandError) || error.code !== 'onboarding_differs') throw error;
      const see = `sendoff status ${input.tenantId}`;
      throw new CommandError(`${error.message}. Show it with: ${see}\nTo replace it after its end, add --restart`, {
        code: error.code,
      });
    },
  );
  process.stderr.write(
    `${started ? 'Started' : 'Already exists:'} ${view.workflowId}${view.uiUrl === null ? '' : `, ${view.uiUrl}`}\n`,
  );
  const end = options.follow
    ? await unlessInterrupted(interruption(), (signal) => followOnboarding(api, view, signal))
    : view;
  if (typeof end === 'number') return leave(end, 'onboarding', input.tenantId, options);
  print(end, options.json);
  return onboardingExitCode(end);
}

export interface RestartOptions
  extends
    LocalOptions,
    Pick<OnboardOptions, 'subject' | 'body' | 'verificationWindow' | 'undo' | 'follow'>,
    Partial<Pick<OnboardOptions, 'domain' | 'from' | 'to'>> {
  by: string;
}

/** Starts a finished onboarding again, with its domain and addresses unless others are given. Exit codes as of `onboard`. */
export async function restart(
  tenantId: string,
  { by, ...options }: RestartOptions,
  environment: NodeJS.ProcessEnv,
  interruption = untilInterrupted,
): Promise<number> {
  const { onboarding } = await createApiClient(findApi(options.data, environment)).get(tenantId);
  const { domain, fromAddress, fromName, recipient } = onboarding;
  const sender = { from: fromAddress, ...(fromName !== undefined && options.from === undefined && { fromName }) };
  const input = { tenant: tenantId, domain, ...sender, to: recipient, ...options, restart: true, by };
  return onboard(input, environment, interruption);
}

/** Resolves with the exit code: 0 running or onboarded, or that of the failure. With `watch`, waits for the end. */
export async function status(
  tenantId: string,
  options: LocalOptions & { watch?: boolean },
  environment: NodeJS.ProcessEnv,
  interruption = untilInterrupted,
): Promise<number> {
  const api = createApiClient(findApi(options.data, environment));
  if (options.watch !== true) {
    const view = await api.get(tenantId);
    print(view, options.json);
    return onboardingExitCode(view);
  }
  const report = (text: string): void => void process.stderr.write(`${text}\n`);
  const onView = (view: OnboardingView, before: OnboardingView | undefined): void => {
    if (before === undefined || options.json === true || view.outcome !== 'running') print(view, options.json);
    else process.stdout.write(`${changeLines(before, view).map(printable).join('\n')}\n`);
  };
  const end = await unlessInterrupted(interruption(), (signal) =>
    watchOnboarding(api, tenantId, { onView, report, signal }),
  );
  return typeof end === 'number' ? end : onboardingExitCode(end);
}

/** Waits until the undo has finished. Resolves with the exit code: 0 cancelled, 1 the onboarding had ended before. */
export async function cancel(
  tenantId: string,
  options: LocalOptions & { by?: string },
  environment: NodeJS.ProcessEnv,
  interruption = untilInterrupted,
): Promise<number> {
  const api = createApiClient(findApi(options.data, environment));
  const cancelled = await api.cancel(tenantId, options.by);
  const view = await unlessInterrupted(interruption(), (signal) => untilOver(api, cancelled, signal));
  if (typeof view === 'number') return leave(view, 'cancellation', tenantId, options);
  print(view, options.json);
  return view.outcome === 'cancelled' ? ExitCode.done : ExitCode.failed;
}

function leave(exitCode: number, what: string, tenantId: string, { data }: { data: string }): number {
  const command = `sendoff status ${shellWord(tenantId)} --data ${shellWord(data)}`;
  process.stderr.write(`The ${what} continues. Show it with: ${command}\n`);
  return exitCode;
}

function print(view: OnboardingView, json: boolean | undefined): void {
  process.stdout.write(json === true ? `${JSON.stringify(view)}\n` : `${showOnboarding(view)}\n`);
}

/** The flag of each input field. */
const flagOf: Readonly<Record<string, string>> = {
  tenantId: '--tenant',
  domain: '--domain',
  fromAddress: '--from',
  fromName: '--from',
  'firstEmail.recipient': '--to',
  'firstEmail.subject': '--subject',
  'firstEmail.body': '--body',
  verificationWindow: '--verification-window',
  undo: '--undo',
};
