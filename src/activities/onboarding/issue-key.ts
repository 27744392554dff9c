import type { EmailProvider } from '../../email-provider/email-provider.ts';

export type CreatedKey = Awaited<ReturnType<EmailProvider['createApiKey']>>;

/**
 * Creates an API key whose token is known, however often and late it is repeated.
 *
 * @param create sends POST /api-keys with the Idempotency-Key of the named step
 */
export async function issueKey(
  step: string,
  create: (step: string) => Promise<CreatedKey>,
  revoke: (keyId: string) => Promise<unknown>,
): Promise<CreatedKey & { token: string }> {
  let key = await create(step);
  if (key.token === undefined) {
    // A repetition so late that the provider no longer returns the token: the key is unusable.
    await revoke(key.id);
    key = await create(`${step}-after-${key.id}`);
  }
  const { token } = key;
  if (token === undefined) throw new Error('POST /api-keys answered without a token');
  return { ...key, token };
}
