import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pino } from 'pino';
import { buildEmailService, type EmailServiceParts } from '../../../src/email-service/http/app.ts';
import { generateDkimKeyPair } from '../../../src/email-service/domains/dkim-key-pair.ts';
import type { EmailServiceApp } from '../../../src/email-service/http/service-parts.ts';
import { openStore, type Store } from '../../../src/email-service/store/open-store.ts';
import { beginAttempt } from '../../../src/email-service/store/delivery-attempts.ts';
import { recordFinalStatus } from '../../../src/email-service/store/record-attempt.ts';
import type { Problem } from '../../../src/lib/http/problem.ts';
import { createSealer, type Sealer } from '../../../src/lib/sealing.ts';
import { idleBackground } from './idle-background.ts';
import { UNLIMITED } from './unlimited.ts';
import { recordQueries } from '../../support/record-queries.ts';
import { type TestDatabase, testDatabase } from '../../support/test-database.ts';

export const OPERATOR_TOKEN = 'operator-token-of-these-tests-0123456789';

/** One RSA key for all domains of a test file: generating one takes longer than everything else here. */
const dkimKey = generateDkimKeyPair();

export type Sent = Promise<LightMyRequestResponse>;

/** The HTTP API on a real database in a temporary folder, with a fixed clock. */
export interface TestApi {
  readonly app: EmailServiceApp;
  readonly store: Store;
  readonly databaseUrl: string;
  readonly sealer: Sealer;
  readonly clock: { time: Date };
  readonly logLines: string[];
  /** The API's calls of the background, in order. */
  readonly asked: string[];
  post(path: string, body: unknown, options?: { token?: string; key?: string }): Sent;
  get(path: string, token?: string): Sent;
  put(path: string, body: object, token?: string): Sent;
  patch(path: string, body: object, token?: string): Sent;
  delete(path: string, token?: string): Sent;
  inject(request: InjectOptions): Sent;
  /** A new API key of the account with this name. */
  openAccount(name: string): Promise<string>;
  /** The id of a new verified domain. */
  verifiedDomain(token: string, name: string): Promise<string>;
  /** The id of a new sender on a new verified domain. */
  sender(token: string, fromAddress: string): Promise<string>;
  /** All bytes of the database files; only on SQLite. */
  databaseBytes(): Promise<string>;
  end(): Promise<void>;
}

export async function startTestApi(
  overrides: Partial<EmailServiceParts> = {},
  database: Promise<TestDatabase> = testDatabase('email-service'),
): Promise<TestApi> {
  const { url: databaseUrl, end } = await database;
  const { database: store, expectIndexed } = recordQueries(await openStore(databaseUrl));
  const sealer = createSealer([randomBytes(32)]);
  const clock = { time: new Date('2026-03-01T12:00:00.000Z') };
  const logLines: string[] = [];
  const asked: string[] = [];
  const app = await buildEmailService({
    store,
    sealer,
    settings: {
      hostname: 'mail.service.test',
      spfMechanism: 'ip4:203.0.113.5',
      returnPathLabel: 'bounce',
      allowPrivateAddresses: false,
      blockedNetworks: [],
      allowReservedNames: true,
      // Of its own: statements are kept by it.
      sendingLimits: { ...UNLIMITED },
      attachmentBytesMax: 10_000_000,
    },
    background: {
      ...idleBackground,
      begin: ({ start }) => void asked.push(`begin ${start.workflowId}`),
      requestDomainCheck: async (id) => void asked.push(`requestDomainCheck ${id}`),
    },
    operatorTokens: [{ name: 'default', token: OPERATOR_TOKEN }],
    findZones: async () => new Map(),
    now: () => clock.time,
    logger: pino({ level: 'trace' }, { write: (line: string) => void logLines.push(line) }),
    generateDkimKey: () => dkimKey,
    ...overrides,
  });

  const api: TestApi = {
    app,
    store,
    databaseUrl,
    sealer,
    clock,
    logLines,
    asked,
    inject: (request) => app.inject(request),
    post: (path, body, { token, key } = {}) =>
      app.inject({
        method: 'POST',
        url: path,
        headers: {
          'content-type': 'application/json',
          ...bearer(token),
          ...(key === undefined ? {} : { 'idempotency-key': key }),
        },
        payload: JSON.stringify(body),
      }),
    get: (path, token) => app.inject({ method: 'GET', url: path, headers: bearer(token) }),
    put: (path, payload, token) => app.inject({ method: 'PUT', url: path, headers: bearer(token), payload }),
    patch: (path, payload, token) => app.inject({ method: 'PATCH', url: path, headers: bearer(token), payload }),
    delete: (path, token) => app.inject({ method: 'DELETE', url: path, headers: bearer(token) }),
    async openAccount(name) {
      const answer = await api.post('/api-keys', { account: name }, { token: OPERATOR_TOKEN });
      return answer.json<{ token: string }>().token;
    },
    async verifiedDomain(token, name) {
      const { id } = (await api.post('/domains', { name }, { token })).json<{ id: string }>();
      await store
        .updateTable('domains')
        .set({ status: 'verified', verified_at: clock.time.toISOString() })
        .where('id', '=', id)
        .execute();
      return id;
    },
    async sender(token, fromAddress) {
      await api.verifiedDomain(token, fromAddress.split('@')[1] ?? '');
      const answer = await api.post('/senders', { from_address: fromAddress }, { token });
      return answer.json<{ id: string }>().id;
    },
    async databaseBytes() {
      const folder = dirname(databaseUrl.replace(/^file:/, ''));
      const files = await readdir(folder);
      return (await Promise.all(files.map((file) => readFile(join(folder, file), 'latin1')))).join('');
    },
    async end() {
      await app.close();
      await expectIndexed();
      await store.destroy();
      await end();
    },
  };
  return api;
}

/** Calls without a token are those of its account. */
export interface AccountApi extends TestApi {
  readonly token: string;
  /** The token of another key, with these fields. */
  keyWith(fields: object): Promise<string>;
}

export async function startAccountApi(
  overrides: Partial<EmailServiceParts> = {},
  account = 'acme',
  database?: Promise<TestDatabase>,
): Promise<AccountApi> {
  const api = await startTestApi(overrides, database);
  const own = await api.openAccount(account);
  return {
    ...{ ...api, token: own },
    post: (path, body, options) => api.post(path, body, { token: own, ...options }),
    keyWith: async (fields) => (await api.post('/api-keys', fields, { token: own })).json<{ token: string }>().token,
    get: (path, token = own) => api.get(path, token),
    put: (path, body, token = own) => api.put(path, body, token),
    patch: (path, body, token = own) => api.patch(path, body, token),
    delete: (path, token = own) => api.delete(path, token),
  };
}

/** With a sender of the account, on a verified domain. */
export interface SendingApi extends AccountApi {
  readonly senderId: string;
  /** A valid email with these changes. @param key @default one of its own */
  send(changes?: object, key?: string): Sent;
}

export async function startSendingApi(...given: Parameters<typeof startAccountApi>): Promise<SendingApi> {
  const api = await startAccountApi(...given);
  const senderId = await api.sender(api.token, 'hello@acme.test');
  return {
    ...{ ...api, senderId },
    send: (changes, key = crypto.randomUUID()) => api.post('/emails', email(senderId, changes), { key }),
  };
}

export const idOf = async (sent: Sent): Promise<string> => (await sent).json<{ id: string }>().id;

/** As another process delivers it at the first attempt. */
export async function deliver({ store, sealer, clock }: TestApi, emailId: string): Promise<void> {
  const now = clock.time;
  await beginAttempt(store, { emailId, holder: 'other', now });
  const reply = { replyCode: 250, enhancedCode: '2.0.0', text: 'OK' };
  const result = { kind: 'delivered', remoteMta: 'mx.recipient.test', reply } as const;
  const ended = { emailId, number: 1, result, status: 'delivered', now, claimed: false } as const;
  await recordFinalStatus(store, sealer, ended);
}

/** The status and code of an error, and the pointer and code of each wrong field. */
export function problemIn(answer: LightMyRequestResponse): readonly (number | string)[] {
  const { code, errors = [] } = answer.json<Problem>();
  return [answer.statusCode, code, ...errors.map((each) => `${each.pointer} ${each.code}`)];
}

const bearer = (token: string | undefined): { authorization?: string } =>
  token === undefined ? {} : { authorization: `Bearer ${token}` };

/** A valid email; each test changes one field. */
export const email = (senderId: string, changes: object = {}): Record<string, unknown> => ({
  sender_id: senderId,
  recipient: 'ada@recipient.test',
  subject: 'Welcome',
  body: 'Hello Ada.',
  ...changes,
});
