import { randomBytes, randomUUID } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { fileFault } from '../../lib/file-fault.ts';

const TOKEN_BYTES = 32;

export interface OperatorToken {
  readonly token: string;
  /** The path of its file. */
  readonly source: string;
  readonly isNew: boolean;
}

/**
 * For a service whose settings have no operator token: the first start generates it, later starts read it.
 * Throws if the file cannot be read or written, or contains no token.
 */
export async function readOrMakeOperatorToken(path: string): Promise<OperatorToken> {
  const kept = await readToken(path);
  if (kept !== undefined) return { token: kept, source: path, isNew: false };
  const token = `so_operator_${randomBytes(TOKEN_BYTES).toString('base64url')}`;
  // Written under another name first, so that neither a crash nor a concurrent start leaves half a token.
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeFile(draft, `${token}\n`, { flag: 'wx', mode: 0o600 });
    await link(draft, path);
    return { token, source: path, isNew: true };
  } catch (error) {
    if (codeOf(error) !== 'EEXIST')
      throw new Error(`the operator token cannot be stored in ${path}: ${fileFault(error)}`, { cause: error });
  } finally {
    // A full disk still takes an empty file.
    await rm(draft, { force: true });
  }
  return readOrMakeOperatorToken(path);
}

/** Undefined if the file does not exist. */
async function readToken(path: string): Promise<string | undefined> {
  try {
    const token = (await readFile(path, 'utf8')).trim();
    if (token.length >= TOKEN_BYTES) return token;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  throw new Error(
    `${path} should contain the operator token, but its content is shorter than ${String(TOKEN_BYTES)} characters. Delete the file; the next start generates a new token.`,
  );
}

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);
