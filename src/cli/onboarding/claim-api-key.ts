import { randomUUID } from 'node:crypto';
import { type ApiClient, type ClaimedKey, createApiClient } from '../api-client.ts';
import type { CommandContext } from '../command-context.ts';
import { CommandError } from '../command-error.ts';
import { ExitCode } from '../exit-codes.ts';
import { findApi } from '../find-api.ts';
import { createSecretFile } from '../secret-file.ts';
import { outlastOutage } from '../follow.ts';
import type { ChangeOptions } from './change-onboarding.ts';

/** The server repeats the answer of a claim for 60 seconds. */
const REPEATED_FOR_MINUTES = 1;

export interface ClaimOptions extends ChangeOptions {
  /** Receives the token, readable by its owner only; must not exist. @default stdout receives it */
  readonly keyFile?: string;
}

export interface ClaimContext extends Omit<CommandContext, 'write'> {
  /** Resolves when the text is written: from then on, only the caller has the token. */
  readonly write: (text: string) => void | Promise<void>;
}

/**
 * Takes over a tenant's API token, which sendoff then forgets. The token goes to stdout or to the file, and nowhere else. A
 * claim whose answer is lost is repeated with the same Idempotency-Key.
 */
export async function claimApiKey(
  tenantId: string,
  { by, keyFile, json, data }: ClaimOptions,
  { environment, write, writeMessage }: ClaimContext,
): Promise<number> {
  const api = createApiClient(findApi(data, environment));
  // Opened first: a token that cannot be stored must not be claimed.
  const file = keyFile === undefined ? undefined : await createSecretFile(keyFile);
  const claimed = await claimOnce(api, { tenantId, by, report: writeMessage }).catch(async (error: unknown) => {
    await file?.discard();
    throw error;
  });
  const { token, ...claim } = claimed;
  const isStored = file !== undefined && (await file.store(token));
  if (file !== undefined && !isStored) writeMessage(`${file.path} cannot be written; the token is on stdout\n`);
  try {
    if (json === true) await write(`${JSON.stringify(isStored ? { ...claim, keyFile } : claimed)}\n`);
    else if (!isStored) await write(`${token}\n`);
  } catch (cause) {
    if (isStored) throw cause;
    throw new CommandError(`The token could not be written and is lost: revoke ${claim.keyId} at the provider`, {
      code: 'token_lost',
      cause,
    });
  }
  writeMessage(`Claimed ${claim.keyId} of ${tenantId} for ${claim.claimedBy}. sendoff has forgotten the token.\n`);
  return ExitCode.done;
}

/** One claim, however often its request is sent. */
async function claimOnce(
  api: ApiClient,
  { tenantId, by, report }: { tenantId: string; by: string; report: (text: string) => void },
): Promise<ClaimedKey> {
  const idempotencyKey = randomUUID();
  const { signal } = new AbortController();
  let requests = 0;
  const claim = (): Promise<ClaimedKey> => {
    requests += 1;
    return api.claim(tenantId, by, idempotencyKey);
  };
  const watch = {
    report: (text: string) => {
      report(`${text}\n`);
    },
    signal,
  };
  try {
    return await outlastOutage(claim, watch, REPEATED_FOR_MINUTES);
  } catch (error) {
    if (requests === 1 || !(error instanceof CommandError)) throw error;
    const keyId = await api.get(tenantId).then(
      ({ apiKey }) => apiKey.keyId,
      () => null,
    );
    const key = keyId ?? `the key that \`sendoff status ${tenantId}\` shows`;
    const message = `${error.message}\nAn answer with the token may have been lost. If you do not have the token, revoke ${key} at the provider.`;
    throw new CommandError(message, { code: error.code, cause: error });
  }
}
