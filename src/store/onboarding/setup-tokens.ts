// The credential in a setup link: 16 random bytes and their HMAC-SHA256, cut to 16 bytes, in base64url.
import { createHash, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';

const ID_BYTES = 16;
const TAG_BYTES = 16;

/** @param secretKeys the first signs; all verify, so that keys can be rotated */
export function createSetupTokens(secretKeys: readonly Buffer[]) {
  const keys = secretKeys.map(signingKeyOf);
  const [signingKey] = keys;
  const keyId = setupKeyId(secretKeys[0] ?? Buffer.alloc(0));
  if (signingKey === undefined) throw new Error('createSetupTokens needs at least one key');
  return {
    /** The database keeps `idHash`, which opens nothing, and `keyId`, which names the key that signed the token. */
    issue() {
      const id = randomBytes(ID_BYTES);
      const token = Buffer.concat([id, tagOf(signingKey, id)]).toString('base64url');
      return { token, idHash: hashOf(id), keyId };
    },
    /** The same work for every text; `idHash` is that of some bytes if the token is not genuine. */
    read(token: string) {
      const bytes = Buffer.alloc(ID_BYTES + TAG_BYTES);
      bytes.write(token, 'base64url');
      const id = bytes.subarray(0, ID_BYTES);
      const matches = keys.filter((key) => timingSafeEqual(tagOf(key, id), bytes.subarray(ID_BYTES)));
      // Base64 has several texts for the same bytes.
      return { idHash: hashOf(id), isGenuine: bytes.toString('base64url') === token && matches.length > 0 };
    },
  };
}

const signingKeyOf = (key: Buffer): Buffer => Buffer.from(hkdfSync('sha256', key, '', 'sendoff/setup-link', 32));

/** Names a key, whose bytes it does not show. */
export const setupKeyId = (secretKey: Buffer): string => hashOf(signingKeyOf(secretKey)).slice(0, 16);

const tagOf = (key: Buffer, id: Buffer): Buffer => createHmac('sha256', key).update(id).digest().subarray(0, TAG_BYTES);

const hashOf = (id: Buffer): string => createHash('sha256').update(id).digest('base64url');
