import { randomBytes } from 'node:crypto';
import { defaultPayloadConverter } from '@temporalio/common';
import { afterEach, describe, expect, test } from 'vitest';
import { codecServer, runCodecServer } from '../../../src/cli/programs/codec-server.ts';
import type { HttpApp } from '../../../src/lib/http/create-http-app.ts';

const SENDOFF_PAYLOAD_KEYS = `k1:${randomBytes(32).toString('base64')}`;
const TOKEN = 'a token for the codec server';
const apps: HttpApp[] = [];
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close();
});

function server(environment: Record<string, string> = {}): HttpApp {
  const app = codecServer({ SENDOFF_PAYLOAD_KEYS, ...environment });
  apps.push(app);
  return app;
}

interface WirePayloads {
  readonly payloads: { readonly metadata: Record<string, string>; readonly data: string }[];
}

const base64 = (bytes: Uint8Array | null | undefined): string => Buffer.from(bytes ?? []).toString('base64');
const wire = (value: unknown): WirePayloads['payloads'][number] => {
  const { metadata, data } = defaultPayloadConverter.toPayload(value);
  return {
    metadata: Object.fromEntries(Object.entries(metadata ?? {}).map(([name, bytes]) => [name, base64(bytes)])),
    data: base64(data),
  };
};

const post = (app: HttpApp, url: string, payload: object, headers: Record<string, string> = {}) =>
  app.inject({ method: 'POST', url, headers, payload });

describe('the codec server', () => {
  test('encrypts and decrypts payloads, as many as it is sent, in their order', async () => {
    const app = server();
    const payloads = [wire('first'), wire({ second: 2 }), wire(null)];
    const encoded = await post(app, '/encode', { payloads });
    expect(encoded.statusCode).toBe(200);
    expect(encoded.body).not.toContain(payloads[0]?.data);
    const { payloads: encrypted } = encoded.json<WirePayloads>();
    expect(encrypted.map(({ metadata }) => Buffer.from(metadata['encoding'] ?? '', 'base64').toString())).toEqual([
      ...['binary/encrypted', 'binary/encrypted', 'binary/encrypted'],
    ]);
    for (const url of ['/decode', '/acme-production/decode']) {
      const decoded = await post(app, url, { payloads: encrypted });
      expect(decoded.json()).toEqual({ payloads });
    }
  });

  test('returns what is in clear as it is', async () => {
    const payloads = [wire('in clear')];
    expect((await post(server(), '/decode', { payloads })).json()).toEqual({ payloads });
  });

  test('names the key that it does not have', async () => {
    const { payloads } = (await post(server(), '/encode', { payloads: [wire(1)] })).json<WirePayloads>();
    const other = server({ SENDOFF_PAYLOAD_KEYS: `k2:${randomBytes(32).toString('base64')}` });
    const answer = await post(other, '/decode', { payloads });
    expect(answer.statusCode).toBe(400);
    expect(answer.json<{ detail: string }>().detail).toContain(
      'the key "k1", which SENDOFF_PAYLOAD_KEYS does not have',
    );
  });

  test('lets only the pages of the Temporal UI read its answers', async () => {
    const app = server({ SENDOFF_CODEC_UI_URL: 'https://temporal.example.com/ui' });
    const asked = await app.inject({ method: 'OPTIONS', url: '/decode', headers: { origin: 'https://other.example' } });
    expect(asked.statusCode).toBe(204);
    expect(asked.headers).toMatchObject({
      'access-control-allow-origin': 'https://temporal.example.com',
      'access-control-allow-headers': 'X-Namespace, Content-Type, Authorization',
    });
    const answer = await post(app, '/decode', { payloads: [] });
    expect(answer.headers['access-control-allow-origin']).toBe('https://temporal.example.com');
  });

  test('requires its token, where it has one, of all but the browser asking beforehand', async () => {
    const app = server({ SENDOFF_CODEC_TOKEN: TOKEN.replaceAll(' ', '-') });
    const authorization = `Bearer ${TOKEN.replaceAll(' ', '-')}`;
    expect((await post(app, '/decode', { payloads: [] })).statusCode).toBe(401);
    expect((await post(app, '/decode', { payloads: [] }, { authorization: 'Bearer wrong' })).statusCode).toBe(401);
    expect((await post(app, '/decode', { payloads: [] }, { authorization })).statusCode).toBe(200);
    expect((await app.inject({ method: 'OPTIONS', url: '/decode' })).statusCode).toBe(204);
  });

  test('refuses what is not a list of payloads', async () => {
    for (const body of [{}, { payloads: 'x' }, { payloads: [{ metadata: { encoding: 1 } }] }])
      expect((await post(server(), '/decode', body)).statusCode).toBe(422);
  });
});

test('an address that other machines reach needs a token, and no server starts without keys', async () => {
  await expect(runCodecServer({ SENDOFF_PAYLOAD_KEYS, SENDOFF_CODEC_HOST: '0.0.0.0' })).rejects.toThrow(
    'set SENDOFF_CODEC_TOKEN, or listen on 127.0.0.1',
  );
  await expect(runCodecServer({})).rejects.toThrow('SENDOFF_PAYLOAD_KEYS is not set');
});
