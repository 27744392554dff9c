// Decrypts for Temporal's UI and CLI what SENDOFF_PAYLOAD_KEYS encrypts: the protocol of Temporal's remote codecs.
import { type Static, Type } from '@fastify/type-provider-typebox';
import type { Payload } from '@temporalio/common';
import { apiTokens, findApiToken } from '../../lib/api-tokens.ts';
import { bearerToken } from '../../lib/http/bearer-token.ts';
import { createHttpApp, type HttpApp } from '../../lib/http/create-http-app.ts';
import { listen } from '../../lib/http/listen.ts';
import { ProblemError } from '../../lib/http/problem.ts';
import {
  httpUrl,
  port,
  readSettings,
  settingText,
  SettingsError,
  type SettingsTable,
  sharedSettings,
  text,
} from '../../lib/settings.ts';
import { isLoopback } from '../../lib/temporal/connect-client.ts';
import { PayloadKeyError, readPayloadCodec } from '../../lib/temporal/payload-keys.ts';
import { untilInterrupted } from '../until-interrupted.ts';

export const codecServerSettings = {
  SENDOFF_CODEC_HOST: {
    meaning: 'Address that the codec server listens on; one that other machines reach needs SENDOFF_CODEC_TOKEN.',
    example: '127.0.0.1',
    fallback: '127.0.0.1',
    parse: text,
  },
  SENDOFF_CODEC_PORT: {
    meaning: 'Port that the codec server listens on; 0 picks a free port.',
    example: '8234',
    fallback: '8234',
    parse: port,
  },
  SENDOFF_CODEC_TOKEN: {
    meaning:
      'Bearer token that the codec server requires, at least 24 characters: of the `temporal` CLI (`--codec-auth "Bearer …"`), or of a proxy that signs in the users of the UI. If unset, it requires none.',
    example: 'the output of: openssl rand -base64 32',
    optional: true,
    secret: true,
    parse: apiTokens,
  },
  SENDOFF_CODEC_UI_URL: {
    meaning: 'Base URL of the Temporal UI, whose pages alone may read the answers of the codec server.',
    example: 'https://temporal.example.com',
    fallback: 'http://127.0.0.1:8233',
    parse: httpUrl,
  },
} as const satisfies SettingsTable;

/** A page of the UI shows at most some hundred events, each of at most 2 MiB. */
const BODY_BYTES_MAX = 64 * 1024 * 1024;

const Base64 = Type.String();
/** Payloads as JSON of Protocol Buffers: bytes in base64, those of the metadata too. */
const Payloads = Type.Object({
  payloads: Type.Array(
    Type.Object({ metadata: Type.Optional(Type.Record(Type.String(), Base64)), data: Type.Optional(Base64) }),
  ),
});
type WirePayload = Static<typeof Payloads>['payloads'][number];

/** Answers until SIGINT or SIGTERM. Resolves with the exit code. */
export async function runCodecServer(
  environment: NodeJS.ProcessEnv,
  write: (text: string) => void = (line) => void process.stdout.write(line),
): Promise<number> {
  const interrupted = untilInterrupted();
  const settings = readSettings(codecServerSettings, environment);
  const { SENDOFF_CODEC_HOST: host, SENDOFF_CODEC_PORT: portNumber } = settings;
  if (settings.SENDOFF_CODEC_TOKEN === undefined && !isLoopback(host))
    throw new SettingsError(
      `SENDOFF_CODEC_HOST is ${host}, which other machines reach: set SENDOFF_CODEC_TOKEN, or listen on 127.0.0.1.`,
    );
  const app = codecServer(environment);
  const url = await listen(app, {
    ...{ host, port: portNumber },
    settings: { host: 'SENDOFF_CODEC_HOST', port: 'SENDOFF_CODEC_PORT' },
  });
  const { origin } = new URL(settings.SENDOFF_CODEC_UI_URL);
  write(
    `Codec server: ${url}, for the UI at ${origin} (enter it there under "Codec server") and for\n  temporal workflow show --codec-endpoint ${url} --workflow-id …\n`,
  );
  const exitCode = await interrupted;
  await app.close();
  return exitCode;
}

/** @throws SettingsError if the settings are invalid, or have no key */
export function codecServer(environment: NodeJS.ProcessEnv): HttpApp {
  const { SENDOFF_CODEC_TOKEN: tokens, SENDOFF_CODEC_UI_URL } = readSettings(codecServerSettings, environment);
  if (settingText('SENDOFF_PAYLOAD_KEYS', sharedSettings.SENDOFF_PAYLOAD_KEYS, environment) === undefined)
    throw new SettingsError('SENDOFF_PAYLOAD_KEYS is not set. Set it to the keys that the programs have.');
  const { origin } = new URL(SENDOFF_CODEC_UI_URL);
  const codec = readPayloadCodec(environment);
  const app = createHttpApp({
    ...{ logger: undefined, bodyLimit: BODY_BYTES_MAX, realm: 'codec-server', patternMeanings: {} },
    recognize: (error) =>
      error instanceof PayloadKeyError ? new ProblemError('malformed_request', error.message) : undefined,
  });
  app.addHook('onRequest', async (request, reply) => {
    // A browser keeps the answer from pages of any other origin.
    reply.headers({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'POST, OPTIONS',
      'access-control-allow-headers': 'X-Namespace, Content-Type, Authorization',
      'access-control-allow-credentials': 'true',
    });
    if (request.method === 'OPTIONS') return reply.code(204).send();
    if (tokens !== undefined && findApiToken(tokens, bearerToken(request.headers.authorization)) === undefined)
      throw new ProblemError('invalid_api_key', 'Send the header Authorization: Bearer with SENDOFF_CODEC_TOKEN.');
    return undefined;
  });
  for (const direction of ['decode', 'encode'] as const) {
    for (const path of [`/${direction}`, `/:namespace/${direction}`]) {
      app.post(path, { schema: { body: Payloads } }, async ({ body: { payloads } }) => ({
        payloads: (await codec[direction](payloads.map(fromWire))).map(toWire),
      }));
    }
  }
  return app;
}

const fromWire = ({ metadata = {}, data = '' }: WirePayload): Payload => ({
  metadata: Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name, Buffer.from(value, 'base64')])),
  data: Buffer.from(data, 'base64'),
});

const toWire = ({ metadata, data }: Payload): WirePayload => ({
  metadata: Object.fromEntries(Object.entries(metadata ?? {}).map(([name, value]) => [name, base64(value)])),
  data: base64(data),
});

const base64 = (bytes: Uint8Array | null | undefined): string => Buffer.from(bytes ?? []).toString('base64');
