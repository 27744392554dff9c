import { randomBytes, randomUUID } from 'node:crypto';
import { link, readFile, unlink, writeFile } from 'node:fs/promises';

const TOKEN_BYTES = 32;

export interface OperatorToken {
  readonly token: string;
  /** `settings`, or the path of the file it was read from or written to. */
  readonly source: string;
  readonly isNew: boolean;
}

/**
 * The operator token of a service whose settings have none: made at the first start, the same at every later one.
 * Throws when the file cannot be read or written, or holds no token.
 */
export async function readOrMakeOperatorToken(path: string): Promise<OperatorToken> {
  const kept = await readToken(path);
  if (kept !== undefined) return { token: kept, source: path, isNew: false };
  const token = `so_operator_${randomBytes(TOKEN_BYTES).toString('base64url')}`;
  // Written whole under another name first: neither a crash nor a second start at once ever sees half a token.
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, `${token}\n`, { flag: 'wx', mode: 0o600 });
  try {
    await link(draft, path);
    return { token, source: path, isNew: true };
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  } finally {
    await unlink(draft);
  }
  return readOrMakeOperatorToken(path);
}

/** Undefined when there is no such file. */
async function readToken(path: string): Promise<string | undefined> {
  try {
    const token = (await readFile(path, 'utf8')).trim();
    if (token.length >= TOKEN_BYTES) return token;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  throw new Error(`${path} should hold the operator token but is too short for one. Delete it to have a new one made.`);
}

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);
