import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';

/** RFC 8301 section 3.2 recommends 2048; not every DNS provider accepts longer keys. */
const MODULUS_BITS = 2048;

export interface DkimKeyPair {
  /** PKCS #8 in PEM. */
  readonly privateKey: string;
  /** SubjectPublicKeyInfo in base64, the value of `p=` (RFC 6376 section 3.6.1). */
  readonly publicKey: string;
}

/** Takes some 100 ms on another thread, so that it does not block other requests. */
export async function generateDkimKeyPair(): Promise<DkimKeyPair> {
  const { privateKey, publicKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: MODULUS_BITS,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'der' },
  });
  return { privateKey, publicKey: publicKey.toString('base64') };
}
