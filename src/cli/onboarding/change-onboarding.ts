// The commands that ask for one change of one tenant's onboarding, and show the answer.
import { randomUUID } from 'node:crypto';
import type { Answer, operations, SendoffClient } from '../../api-client/sendoff-client.ts';
import { counted } from '../../lib/counted.ts';
import { printable } from '../../lib/printable.ts';
import { restartCommand } from '../../onboarding/start-again.ts';
import { OPEN_AFTER_END } from '../../store/onboarding/setup-link-expiry.ts';
import { createApiCaller, UPDATE_TIMEOUT_MS } from '../api-client.ts';
import type { CommandContext } from '../command-context.ts';
import type { LocalOptions } from '../common-options.ts';
import { ExitCode } from '../exit-codes.ts';
import { findApi } from '../find-api.ts';
import { domainWatch, mistakeLines } from './show-onboarding.ts';

export interface ChangeOptions extends LocalOptions {
  readonly by: string;
}
export interface ReasonedOptions extends ChangeOptions {
  readonly reason: string;
}

/** @param note on stderr, beside what `show` writes on stdout */
async function change<Result>(
  { json, data }: ChangeOptions,
  { environment, write, writeMessage }: CommandContext,
  call: (api: SendoffClient) => Promise<Answer<Result>>,
  show: (result: Result) => string,
  note?: (result: Result) => string,
): Promise<number> {
  const { data: result } = await createApiCaller(findApi(data, environment))(call);
  write(`${json === true ? JSON.stringify(result) : show(result)}\n`);
  if (json !== true && note !== undefined) writeMessage(`${note(result)}\n`);
  return ExitCode.done;
}

const of = (tenantId: string) => ({ params: { path: { tenantId } } });

/** Extends the verification window of a tenant that waits for its domain. */
export function extendWindow(tenantId: string, options: ReasonedOptions & { hours: number }, context: CommandContext) {
  const { hours, by, reason } = options;
  const headers = { 'idempotency-key': randomUUID() };
  const init = { ...of(tenantId), body: { hours, by, reason }, headers, timeoutMs: UPDATE_TIMEOUT_MS };
  return change(
    options,
    context,
    (api) => api.POST('/onboardings/{tenantId}/extend', init),
    ({ deadline }) => `${tenantId}: the verification window closes at ${deadline}`,
  );
}

/** Allows the first email of an onboarding that failed with SendOutcomeUnknown to be sent once more. */
export function releaseEmail(tenantId: string, options: ReasonedOptions, context: CommandContext) {
  const { by, reason } = options;
  return change(
    options,
    context,
    (api) => api.POST('/onboardings/{tenantId}/first-email/release', { ...of(tenantId), body: { by, reason } }),
    ({ provider, recipient, since }) =>
      `${tenantId}: the email to ${recipient} that ${provider} may have accepted at ${since} can be sent once more.\nSend it with the same subject and text: ${restartCommand(tenantId)}`,
  );
}

/** Leaves a required record of a verified domain out of the domain's state. */
export function muteRecord(tenantId: string, purpose: string, options: ReasonedOptions, context: CommandContext) {
  const { by, reason } = options;
  const init = { params: { path: { tenantId, purpose } }, body: { by, reason } };
  return change(
    options,
    context,
    async (api) => withTenant(tenantId, await api.PUT('/onboardings/{tenantId}/muted-records/{purpose}', init)),
    (watch) => showWatch(`${tenantId}: ${purpose} is muted`, watch),
  );
}

/** Lets a muted record count again. */
export function unmuteRecord(tenantId: string, purpose: string, options: ChangeOptions, context: CommandContext) {
  const init = { params: { path: { tenantId, purpose }, query: { by: options.by } } };
  return change(
    options,
    context,
    async (api) => withTenant(tenantId, await api.DELETE('/onboardings/{tenantId}/muted-records/{purpose}', init)),
    (watch) => showWatch(`${tenantId}: ${purpose} counts`, watch),
  );
}

/** Prints a new link to a tenant's setup page on stdout. */
export function createSetupLink(tenantId: string, options: ChangeOptions, context: CommandContext) {
  return change(
    options,
    context,
    (api) => api.POST('/onboardings/{tenantId}/setup-link', { ...of(tenantId), body: { by: options.by } }),
    ({ url }) => url,
    ({ expires_at: at }) =>
      `Everyone with the link sees the page, until ${at ?? `${OPEN_AFTER_END} after the onboarding has ended`}. Revoke it: sendoff setup-link ${tenantId} --revoke`,
  );
}

export function revokeSetupLinks(tenantId: string, options: ChangeOptions, context: CommandContext) {
  const init = { params: { path: { tenantId }, query: { by: options.by } } };
  return change(
    options,
    context,
    (api) => api.DELETE('/onboardings/{tenantId}/setup-links', init),
    ({ revoked }) => `${tenantId}: ${counted(revoked, 'link')} revoked`,
  );
}

const withTenant = <Result extends object>(tenantId: string, { data, response }: Answer<Result>) => ({
  data: { tenantId, ...data },
  response,
});

type DomainWatch = operations['muteRecord']['responses'][200]['content']['application/json'];

const showWatch = (headline: string, watch: DomainWatch): string =>
  printable([headline, ...domainWatch(watch), ...mistakeLines(watch.findings)].join('\n'));
