import type { EmailProvider } from '../email-provider/email-provider.ts';
import type { IssuedSecret } from '../store/issued-secret.ts';

/**
 * Creates an API key whose token is known, however often and late it is repeated.
 *
 * @param create sends POST /api-keys with the Idempotency-Key of the named step
 */
export async function issueKey(
  step: string,
  create: (step: string) => ReturnType<EmailProvider['createApiKey']>,
  revoke: (keyId: string) => Promise<void>,
): Promise<IssuedSecret> {
  let key = await create(step);
  if (key.token === undefined) {
    // A repetition so late that the provider no longer returns the token: the key is unusable.
    await revoke(key.id);
    key = await create(`${step}-after-${key.id}`);
  }
  if (key.token === undefined) throw new Error('POST /api-keys answered without a token');
  return { id: key.id, secret: key.token };
}
