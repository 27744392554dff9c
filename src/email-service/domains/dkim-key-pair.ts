import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';

/** 2048 is what RFC 8301 section 3.2 asks signers to use; longer keys are not accepted by every DNS provider. */
const MODULUS_BITS = 2048;

export interface DkimKeyPair {
  /** PKCS #8 in PEM. */
  readonly privateKey: string;
  /** What `p=` holds (RFC 6376 section 3.6.1): SubjectPublicKeyInfo in base64. */
  readonly publicKey: string;
}

/** Takes some 100 ms on a thread of its own, so that other requests go on. */
export async function generateDkimKeyPair(): Promise<DkimKeyPair> {
  const { privateKey, publicKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: MODULUS_BITS,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'der' },
  });
  return { privateKey, publicKey: publicKey.toString('base64') };
}
