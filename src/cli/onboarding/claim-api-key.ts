import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { fileFault } from '../../lib/file-fault.ts';
import { type ClaimedKey, createApiClient } from '../api-client.ts';
import { CommandError } from '../command-error.ts';
import { ExitCode } from '../exit-codes.ts';
import { findApi } from '../find-api.ts';
import { outlastOutage } from '../follow.ts';
import type { ListContext } from './list-onboardings.ts';

export interface ClaimOptions {
  readonly by: string;
  /** Receives the token, readable by its owner only; must not exist. @default stdout receives it */
  readonly keyFile?: string;
  readonly json?: boolean;
  readonly data: string;
}

/**
 * Takes over a tenant's API token, which sendoff then forgets. The token goes to stdout or to the file, and nowhere else. A
 * claim whose answer is lost is repeated with the same Idempotency-Key.
 */
export async function claimApiKey(
  tenantId: string,
  { by, keyFile, json, data }: ClaimOptions,
  { environment, write, writeMessage }: ListContext,
): Promise<number> {
  const api = createApiClient(findApi(data, environment));
  // Opened first: a token that cannot be stored must not be claimed.
  const file = keyFile === undefined ? undefined : { path: keyFile, handle: await createKeyFile(keyFile) };
  const claimed = await claimOnce((key) => api.claim(tenantId, by, key), writeMessage).catch(async (error: unknown) => {
    await file?.handle.close();
    if (file !== undefined) await rm(file.path);
    throw error;
  });
  const { token, ...claim } = claimed;
  const isStored = file !== undefined && (await store(file.handle, token));
  if (file !== undefined && !isStored) {
    await rm(file.path, { force: true });
    writeMessage(`${file.path} cannot be written; the token is on stdout\n`);
  }
  writeMessage(`Claimed ${claim.keyId} of ${tenantId} for ${claim.claimedBy}. sendoff has forgotten the token.\n`);
  if (json === true) write(`${JSON.stringify(isStored ? { ...claim, keyFile } : claimed)}\n`);
  else if (!isStored) write(`${token}\n`);
  return ExitCode.done;
}

/** One claim, however often its request is sent. */
async function claimOnce(claim: (idempotencyKey: string) => Promise<ClaimedKey>, report: (text: string) => void) {
  const idempotencyKey = randomUUID();
  const { signal } = new AbortController();
  return outlastOutage(() => claim(idempotencyKey), {
    report: (text) => {
      report(`${text}\n`);
    },
    signal,
  });
}

async function createKeyFile(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'wx', 0o600);
  } catch (error) {
    const exists = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    throw new CommandError(`${path} cannot be created: ${exists ? 'it exists already' : fileFault(error)}`, {
      code: 'file_unwritable',
    });
  }
}

/** False if the file system refuses, as when it is full. */
async function store(file: FileHandle, token: string): Promise<boolean> {
  try {
    await file.writeFile(`${token}\n`);
    await file.sync();
    return true;
  } catch {
    return false;
  } finally {
    await file.close();
  }
}
