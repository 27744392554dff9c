// What exists once for the operator's account at a provider: the webhook that reports the events of all tenants. Several installations may
// share an account, so only the webhook to this installation's address is its own; another one goes only if the operator names it.
import type { AccountWebhook, AccountWebhooks } from '../../email-provider/operator-account.ts';
import { createClosers } from '../../lib/closers.ts';
import { type Environment, readSettings, readSome } from '../../lib/settings.ts';
import { settingsTable } from '../../config.ts';
import { operatorAccounts } from '../../operator-accounts.ts';
import type { ProviderName } from '../../onboarding/provider-name.ts';
import { accountConfigs, accountSettings, requiredSettings } from '../../provider-settings.ts';
import type { ResultContext } from '../command-context.ts';
import { CommandError } from '../command-error.ts';
import { hasSettings } from '../has-settings.ts';
import { ExitCode } from '../exit-codes.ts';
import { createSecretFile, type SecretFile } from '../secret-file.ts';

export interface SetupProviderOptions {
  readonly provider: ProviderName;
  /** @default it shows what it would do */
  readonly apply?: boolean;
  /** Deletes the webhook of this installation. */
  readonly remove?: boolean;
  /** The URL of a webhook of an earlier SENDOFF_PUBLIC_URL, which is deleted. */
  readonly replace?: string;
  /** Receives the signing secret; must not exist. @default stdout receives it */
  readonly secretFile?: string;
  readonly json?: boolean;
}

type Step =
  | { readonly action: 'create'; readonly url: string }
  | { readonly action: 'delete'; readonly url: string; readonly id: string };

/** Resolves with the exit code. */
export async function setUpProvider(
  { provider, apply = false, json = false, secretFile, ...options }: SetupProviderOptions,
  { environment, write }: ResultContext,
): Promise<number> {
  const closers = createClosers();
  const account = operatorAccounts(closers, accountConfigs(readSettings(accountSettings, environment)))[provider];
  try {
    if (account === undefined)
      throw new CommandError(`Set ${requiredSettings[provider].join(', ')} for your account at ${provider}`);
    const { accountWebhooks: webhooks } = account;
    if (webhooks === undefined) {
      write(
        json
          ? `${JSON.stringify({ provider, steps: [], complete: true })}\n`
          : `${provider} needs nothing: each tenant's account there gets a webhook of its own\n`,
      );
      return ExitCode.done;
    }
    const url = webhookUrl(provider, environment);
    const found = await webhooks.list();
    const { steps, notes } = plan(found, { ...options, url, path: pathOf(provider) });
    const { secretSetting } = webhooks;
    if (
      secretSetting !== undefined &&
      options.remove !== true &&
      steps.length === 0 &&
      !hasSettings(environment, secretSetting)
    )
      notes.push(`${secretSetting} is not set: the provider shows the secret of the webhook in its dashboard`);
    const show = (done: readonly Step[], made: Made = {}): void => {
      if (json) write(`${JSON.stringify({ provider, url, applied: apply, steps: done, notes, ...made })}\n`);
      else write(shown(done, notes, { url, apply, secretSetting, ...made }));
    };
    if (apply) await perform(steps, webhooks, { secretFile, show });
    else show(steps);
    return ExitCode.done;
  } finally {
    await closers.close();
  }
}

const pathOf = (provider: ProviderName): string => `/webhooks/provider/${provider}`;

function webhookUrl(provider: ProviderName, environment: Environment): string {
  const { SENDOFF_PUBLIC_URL: base } = readSome(settingsTable, ['SENDOFF_PUBLIC_URL'], environment);
  if (base === undefined)
    throw new CommandError(
      `SENDOFF_PUBLIC_URL is not set: set it to the address at which ${provider} reaches the server`,
    );
  return base + pathOf(provider);
}

function plan(
  found: readonly AccountWebhook[],
  {
    url,
    path,
    remove = false,
    replace,
  }: Pick<SetupProviderOptions, 'remove' | 'replace'> & { url: string; path: string },
): { readonly steps: readonly Step[]; readonly notes: string[] } {
  const standing = found.filter((one) => one.isPending !== true);
  const pending = found.filter((one) => one.isPending === true && one.url === url);
  const own = standing.filter((one) => one.url === url);
  const others = standing.filter((one) => one.url !== url && one.url.endsWith(path));
  const replaced = others.filter((one) => one.url === replace);
  if (replace !== undefined && replaced.length === 0)
    throw new CommandError(
      others.length === 0
        ? `No other webhook ends in ${path}, so there is nothing to replace`
        : `No webhook posts to ${replace}. Others that end in ${path}: ${others.map((one) => one.url).join(', ')}`,
    );
  const deletionOf = ({ id, url: at }: AccountWebhook): Step => ({ action: 'delete', id, url: at });
  return {
    steps: [
      ...(remove ? own.map(deletionOf) : own.length === 0 ? [{ action: 'create', url } as const] : []),
      ...replaced.map(deletionOf),
    ],
    notes: [
      ...(remove ? [] : own.flatMap(({ fault }) => fault ?? [])),
      ...(remove || own.length < 2
        ? []
        : [`${own.length} webhooks post to ${url}: delete all but one at the provider`]),
      ...(pending.length === 0
        ? []
        : [
            `${url} is subscribed, and no server has confirmed it${remove ? ': the provider forgets it by itself' : '. A server that runs there confirms it when it is asked again'}`,
          ]),
      ...others
        .filter((one) => !replaced.includes(one))
        .map(
          (one) =>
            `${one.url} is the webhook of another installation, or of an earlier SENDOFF_PUBLIC_URL. If it is of an earlier one, delete it with --replace ${one.url}`,
        ),
    ],
  };
}

interface Made {
  /** Absent if the provider makes none, or if the file has it. */
  readonly signingSecret?: string;
  readonly secretFile?: string;
}

async function perform(
  steps: readonly Step[],
  webhooks: AccountWebhooks,
  { secretFile, show }: { secretFile: string | undefined; show: (done: readonly Step[], made: Made) => void },
): Promise<void> {
  const creates = steps.some(({ action }) => action === 'create');
  const file = creates && secretFile !== undefined ? await createSecretFile(secretFile) : undefined;
  let secret: string | undefined;
  const done: Step[] = [];
  try {
    for (const step of steps) {
      if (step.action === 'create') ({ secret } = await webhooks.create(step.url));
      else await webhooks.delete(step.id);
      done.push(step);
    }
  } finally {
    // Also if a later step fails: the provider gives the secret once.
    const made = secret === undefined ? {} : await stored(file, secret);
    if (secret === undefined) await file?.discard();
    if (done.length > 0 || steps.length === 0) show(done, made);
  }
}

const stored = async (file: SecretFile | undefined, signingSecret: string): Promise<Made> =>
  file !== undefined && (await file.store(signingSecret)) ? { secretFile: file.path } : { signingSecret };

function shown(
  steps: readonly Step[],
  notes: readonly string[],
  {
    url,
    apply,
    secretSetting = '',
    signingSecret,
    secretFile,
  }: Made & { url: string; apply: boolean; secretSetting: string | undefined },
): string {
  const words = apply ? { create: 'Created', delete: 'Deleted' } : { create: 'Would create', delete: 'Would delete' };
  const lines = [
    ...steps.map(({ action, url: at }) => `${words[action]} the webhook to ${at}`),
    ...(steps.length === 0 ? [`Nothing to do for the webhook to ${url}`] : []),
    ...(signingSecret === undefined
      ? []
      : [`Set its signing secret on each server, here it is shown once: ${secretSetting}=${signingSecret}`]),
    ...(secretFile === undefined
      ? []
      : [`Its signing secret is in ${secretFile}: set ${secretSetting}_FILE to it on each server`]),
    ...notes,
    ...(!apply && steps.length > 0 ? ['Nothing was changed. Repeat with --apply'] : []),
  ];
  return `${lines.join('\n')}\n`;
}
