import { once } from 'node:events';
import { rename, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { sql } from 'kysely';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { EmailServiceParts } from '../../../src/email-service/http/app.ts';
import { codesOf, problemCodes, type ProblemCode } from '../../../src/lib/http/problem-codes.ts';
import type { Problem } from '../../../src/lib/http/problem.ts';
import { holdWriteLock } from '../../support/write-lock.ts';
import { onSqlite } from '../../support/test-database.ts';
import {
  type AccountApi,
  email,
  OPERATOR_TOKEN,
  type SendingApi,
  type Sent,
  startAccountApi,
  startSendingApi,
  type TestApi,
} from '../support/test-api.ts';
import { idleBackground } from '../support/idle-background.ts';

let api: TestApi | undefined;
afterEach(async () => {
  await api?.end();
  api = undefined;
});

async function start(overrides: Partial<EmailServiceParts> = {}): Promise<AccountApi> {
  const service = await startAccountApi(overrides);
  api = service;
  return service;
}

interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly problem: Problem;
}
type Provoke = () => Promise<Answered>;

const answered = async (sent: Sent): Promise<Answered> => {
  const answer = await sent;
  return { status: answer.statusCode, headers: answer.headers, problem: answer.json() };
};

const withAccount = (request: (service: AccountApi) => Sent) => async (): Promise<Answered> =>
  answered(request(await start()));

const withSender = (request: (service: SendingApi) => Sent) => async (): Promise<Answered> => {
  const service = await startSendingApi();
  api = service;
  return answered(request(service));
};

const raw = (service: AccountApi, type: string, payload: string): Sent =>
  service.inject({
    ...{ method: 'POST', url: '/domains', payload },
    headers: { authorization: `Bearer ${service.token}`, 'content-type': type },
  });

const webhook = { url: 'https://receiver.example.com/', events: ['email.delivered'] };

/** One way to each row of the table of errors. */
const provocations = {
  malformed_json: withAccount((service) => raw(service, 'application/json', '{')),
  malformed_request: () => overSocket('GET /livez HTTP/9.9\r\nfoo\r\n\r\n'),
  idempotency_key_required: withAccount((service) => service.post('/emails', email('snd_1'))),
  idempotency_key_malformed: withAccount((service) => service.post('/webhooks', webhook, { key: 'a b' })),
  invalid_api_key: withAccount((service) => service.get('/events', 'so_live_x')),
  insufficient_scope: withAccount((service) => service.get('/events', OPERATOR_TOKEN)),
  account_paused: withSender(async (service) => {
    await service.post('/accounts/acme/pause', { reason: 'spam' }, { token: OPERATOR_TOKEN });
    return service.send({}, 'one');
  }),
  not_found: withAccount((service) => service.get('/emails/eml_1')),
  method_not_allowed: withAccount((service) => service.patch('/emails', {})),
  request_timeout: () => overSocket('POST /domains HTTP/1.1\r\nhost: a\r\n', { headersTimeout: 1 }),
  already_exists: withAccount(async (service) => {
    await service.post('/domains', { name: 'acme.test' });
    return service.post('/domains', { name: 'acme.test' });
  }),
  emails_queued: withSender(async (service) => {
    await service.send({}, 'one');
    return service.post('/erasures', { recipient: 'ada@recipient.test' });
  }),
  email_not_waiting: withSender(async (service) => {
    const { id } = (await service.send({}, 'one')).json<{ id: string }>();
    await service.store.updateTable('emails').set({ status: 'delivered' }).execute();
    return service.post(`/emails/${id}/cancel`, undefined);
  }),
  idempotency_in_progress: async () => {
    const service = await start({ idempotencyWaitMs: 1, generateDkimKey: () => new Promise(() => undefined) });
    const request = (): Sent => service.post('/domains', { name: 'acme.test' }, { key: 'k' });
    // The first one is never answered; which of the two is first does not matter.
    return answered(Promise.race([request(), request()]));
  },
  payload_too_large: withAccount((service) => service.post('/domains', { name: 'a'.repeat(70_000) })),
  unsupported_media_type: withAccount((service) => raw(service, 'text/xml', '<name/>')),
  expectation_failed: () => overSocket('GET /livez HTTP/1.1\r\nhost: a\r\nexpect: foo\r\n\r\n'),
  validation_failed: withAccount((service) => service.post('/domains', {})),
  domain_not_verified: withAccount(async (service) => {
    await service.post('/domains', { name: 'acme.test' });
    return service.post('/senders', { from_address: 'hello@acme.test' });
  }),
  idempotency_key_reused: withAccount(async (service) => {
    await service.post('/webhooks', webhook, { key: 'k' });
    return service.post('/domains', { name: 'acme.test' }, { key: 'k' });
  }),
  too_many_emails: withSender(async (service) => {
    await service.put('/accounts/acme/limits', { minute: 1 }, OPERATOR_TOKEN);
    await service.send({}, 'one');
    return service.send({}, 'two');
  }),
  headers_too_large: () => overSocket(`GET /livez HTTP/1.1\r\nhost: a\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`),
  internal_error: async () => {
    const service = await start({ generateDkimKey: () => Promise.reject(new Error('the secret cause')) });
    return answered(service.post('/domains', { name: 'acme.test' }));
  },
  unavailable: async () => {
    const service = await start({
      background: {
        ...idleBackground,
        requestDomainCheck: () => Promise.reject(new Error('Temporal is away')),
      },
    });
    const { id } = (await service.post('/domains', { name: 'acme.test' })).json<{ id: string }>();
    return answered(service.post(`/domains/${id}/verify`, {}));
  },
  too_many_large_requests: async () => {
    const service = await startSendingApi({ largeBodyWaitMs: 0 });
    api = service;
    const all = ['1', '2', '3'].map((key) => answered(service.send({ html: 'x'.repeat(1_000_000) }, key)));
    const refused = (await Promise.all(all)).find(({ status }) => status !== 202);
    if (refused === undefined) throw new Error('All were accepted.');
    return refused;
  },
} satisfies Partial<Record<ProblemCode, Provoke>>;

describe('every error', () => {
  test('has a way to be provoked here', () => {
    expect(Object.keys(provocations).sort()).toEqual(codesOf('email service').sort());
  });

  test.each(Object.entries(provocations))(
    '%s is problem+json with the status and title of its row',
    async (code, provoke) => {
      const { status, headers, problem } = await provoke();
      const row = problemCodes[code as ProblemCode];
      expect(headers['content-type']).toMatch(/^application\/problem\+json/);
      expect({ ...problem, status }).toMatchObject({ code, status: row.status, title: row.title });
      expect(problem.status).toBe(row.status);
      expect(problem.request_id).toMatch(/^req_[0-9a-z]{26}$/);
      expect(headers['x-request-id']).toBe(problem.request_id);
      expect(problem.detail).toMatch(/\.$/);
      const saysWhen = status === 429 || status === 503 || code === 'idempotency_in_progress';
      expect(headers['retry-after']).toEqual(saysWhen ? expect.stringMatching(/^\d+$/) : undefined);
    },
  );

  test('that is unexpected is logged under its request id, and its text is not sent', async () => {
    const { problem } = await provocations.internal_error();
    expect(JSON.stringify(problem)).not.toContain('the secret cause');
    const line = api?.logLines.find((each) => each.includes('the secret cause'));
    expect(line).toContain(problem.request_id);
  });
});

describe('an error of the database', () => {
  test.each(['SQLITE_BUSY', 'SQLITE_FULL', 'SQLITE_IOERR_WRITE', 'SQLITE_READONLY'])(
    '%s answers 503 with Retry-After',
    async (code) => {
      const service = await start({ generateDkimKey: () => Promise.reject(Object.assign(new Error('no'), { code })) });
      const answer = await service.post('/domains', { name: 'acme.test' });
      expect([answer.statusCode, answer.headers['retry-after']]).toEqual([503, '5']);
    },
  );
});

describe('GET /readyz', () => {
  test.each([
    ['Temporal says no', async () => ['Temporal is unreachable']],
    ['asking Temporal fails', () => Promise.reject(new Error('away'))],
    ['Temporal does not answer', () => new Promise<never>(() => undefined)],
  ])('is 503 and names Temporal when %s, while /livez stays 200', async (_title, readiness) => {
    const service = await start({ background: { ...idleBackground, readiness } });
    const answer = await service.inject({ url: '/readyz' });
    expect(answer.statusCode).toBe(503);
    expect(answer.json<Problem>().detail).toBe('Not ready: Temporal is unreachable.');
    expect((await service.inject({ url: '/livez' })).json()).toEqual({ status: 'ok' });
  });

  test('is 503 and names each fault', async () => {
    const readiness = async () => ['The Workflow email-service/x/sweep-outbox does not run', 'another fault'];
    const service = await start({ background: { ...idleBackground, readiness } });
    const answer = await service.inject({ url: '/readyz' });
    expect([answer.statusCode, answer.json<Problem>().detail]).toEqual([
      503,
      'Not ready: The Workflow email-service/x/sweep-outbox does not run, another fault.',
    ]);
  });

  test('is answered 503 by /livez only if Temporal has not seen the Workers for minutes', async () => {
    const service = await start({ background: { ...idleBackground, isLost: () => true } });
    const answer = await service.inject({ url: '/livez' });
    expect(answer.statusCode).toBe(503);
    expect(answer.json<Problem>().detail).toMatch(/^Temporal answers, but has not seen the Workers of this process/);
  });

  const databaseTrouble = [503, 'Not ready: cannot write to the database.'];
  const ready = async (service: TestApi) => {
    const answer = await service.inject({ url: '/readyz' });
    return answer.statusCode === 200 ? 200 : [answer.statusCode, answer.json<Problem>().detail];
  };

  onSqlite(() => {
    const path = ({ databaseUrl }: TestApi): string => databaseUrl.replace(/^file:/, '');

    test('is 503 and names the database while another program locks it, and 200 after that', async () => {
      const service = await start();
      expect(await ready(service)).toBe(200);
      const unlock = holdWriteLock(path(service));
      expect(await ready(service)).toEqual(databaseTrouble);
      expect((await service.inject({ url: '/livez' })).statusCode).toBe(200);
      unlock();
      await vi.waitFor(
        async () => {
          expect(await ready(service)).toBe(200);
        },
        { timeout: 30_000 },
      );
    });

    test('is 503 and names the database when it is read-only', async () => {
      const service = await start();
      await sql`PRAGMA query_only = ON`.execute(service.store);
      expect(await ready(service)).toEqual(databaseTrouble);
    });

    test('is 503 and names the database when its file was replaced', async () => {
      const service = await start();
      await rename(path(service), `${path(service)}.old`);
      await writeFile(path(service), '');
      expect(await ready(service)).toEqual(databaseTrouble);
      await rename(`${path(service)}.old`, path(service));
    });
  });
});

/** What comes back for bytes that no HTTP client would send. */
async function overSocket(bytes: string, { headersTimeout }: { headersTimeout?: number } = {}): Promise<Answered> {
  const service = await start();
  if (headersTimeout !== undefined) {
    service.app.server.headersTimeout = headersTimeout;
    // Node looks at the age of connections by a clock of its own; its period is set when the server starts to listen.
    Reflect.set(service.app.server, 'connectionsCheckingInterval', 5);
  }
  const url = new URL(await service.app.listen({ port: 0, host: '127.0.0.1' }));
  const socket = connect(Number(url.port), url.hostname);
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  socket.write(bytes);
  await once(socket, 'close');
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(lines.map((line) => line.split(': ') as [string, string]));
  return { status: Number(statusLine.split(' ')[1]), headers, problem: JSON.parse(body) as Problem };
}
