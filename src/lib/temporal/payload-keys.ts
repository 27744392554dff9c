// Encryption of what Temporal stores: inputs, results, Signals, Updates, Queries, memos and summaries.
import { type DataConverter, type Payload, type PayloadCodec, ValueError } from '@temporalio/common';
import proto from '@temporalio/proto';
import { decrypt, encrypt } from '../sealing.ts';
import { type Environment, type PayloadKey, readSome, SettingsError, sharedSettings } from '../settings.ts';

const { Payload: PayloadMessage } = proto.temporal.api.common.v1;

const ENCODING = 'binary/encrypted';

/** @throws SettingsError if the settings are invalid */
export const readDataConverter = (environment: Environment): DataConverter => ({
  payloadCodecs: [readPayloadCodec(environment)],
});

/** @throws SettingsError as `readDataConverter` does */
export function readPayloadCodec(environment: Environment): PayloadCodec {
  const settings = readSome(sharedSettings, ['SENDOFF_PAYLOAD_KEYS', 'SENDOFF_PAYLOAD_DECODE_ONLY'], environment);
  const { SENDOFF_PAYLOAD_KEYS: keys = [], SENDOFF_PAYLOAD_DECODE_ONLY: isDecodeOnly } = settings;
  if (isDecodeOnly && keys.length === 0)
    throw new SettingsError('SENDOFF_PAYLOAD_DECODE_ONLY is true, but SENDOFF_PAYLOAD_KEYS is not set.');
  return createPayloadCodec(keys, { isDecodeOnly });
}

/** A payload is encrypted with a key that the settings do not have, or was altered. Names the key, never the payload. */
export class PayloadKeyError extends ValueError {
  override readonly name = 'PayloadKeyError';
}

/**
 * AES-256-GCM (NIST SP 800-38D) in the form of Temporal's samples, which its CLI and UI read through a codec server: the whole payload,
 * serialized, as nonce, ciphertext and tag. What is not encrypted is read as it is, so that encryption can be switched on while
 * Workflows run. The ciphertext is not bound to a Workflow: a reset copies it to another.
 */
export function createPayloadCodec(
  keys: readonly PayloadKey[],
  { isDecodeOnly = false }: { readonly isDecodeOnly?: boolean } = {},
): PayloadCodec {
  const [first] = keys;
  const encode = (payload: Payload): Payload =>
    first === undefined || isDecodeOnly ? payload : encrypted(payload, first);
  return {
    encode: async (payloads) => payloads.map(encode),
    decode: async (payloads) => payloads.map((payload) => decrypted(payload, keys)),
  };
}

const encrypted = (payload: Payload, { id, key }: PayloadKey): Payload => ({
  metadata: { encoding: Buffer.from(ENCODING), 'encryption-key-id': Buffer.from(id) },
  data: encrypt(PayloadMessage.encode(payload).finish(), key, ''),
});

function decrypted(payload: Payload, keys: readonly PayloadKey[]): Payload {
  const { metadata, data } = payload;
  if (textOf(metadata?.['encoding']) !== ENCODING) return payload;
  const id = textOf(metadata?.['encryption-key-id']);
  const found = keys.find((key) => key.id === id);
  if (found === undefined)
    throw new PayloadKeyError(
      `Temporal has a payload that is encrypted with the key ${JSON.stringify(id)}, which SENDOFF_PAYLOAD_KEYS does not have`,
    );
  try {
    return PayloadMessage.decode(decrypt(Buffer.from(data ?? []), found.key, ''));
  } catch {
    throw new PayloadKeyError(
      `the key ${JSON.stringify(id)} of SENDOFF_PAYLOAD_KEYS does not decrypt a payload that Temporal has: it is another key of that name, or the payload was altered`,
    );
  }
}

/** At most 100 characters: anybody who may write to Temporal chooses it. */
const textOf = (bytes: Uint8Array | null | undefined): string =>
  Buffer.from((bytes ?? new Uint8Array()).subarray(0, 100)).toString('utf8');
