// MTA-STS over real DNS, HTTPS, SMTP and a real database, under a certificate authority of the test.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type DnsServer, startDnsServer } from '../../../src/dev/world/dns-server.ts';
import { worldZones } from '../../../src/dev/world/world-zones.ts';
import { createDeliverMessage, type DeliveryResult } from '../../../src/email-service/delivery/deliver-message.ts';
import { createPolicyClient } from '../../../src/email-service/delivery/fetch-mta-sts-policy.ts';
import { createFindMtaStsPolicy } from '../../../src/email-service/delivery/find-mta-sts-policy.ts';
import { createMailResolver, createMailRouter } from '../../../src/email-service/delivery/mail-route.ts';
import { mtaStsPolicies } from '../../../src/email-service/store/mta-sts-policies.ts';
import { createCertificateAuthority } from '../../support/certificate-authority.ts';
import { endWithTest } from '../../support/end-with-test.ts';
import { context, message } from '../support/deliver-over-smtp.ts';
import { startScriptedSmtpServer } from '../support/scripted-smtp-server.ts';
import { openTestStore, type TestStore } from '../support/test-store.ts';
import { startTlsReceiver } from '../support/tls-receiver.ts';

const DAY_MS = 86_400_000;
const [MX, POLICY_HOST, RECORD] = ['mx.inbox.test', 'mta-sts.inbox.test', '_mta-sts.inbox.test'];
const enforce = (more = ''): string => `version: STSv1\nmode: enforce\nmx: *.inbox.test\nmax_age: 604800\n${more}`;

type Answer = (response: ServerResponse) => void;
const text =
  (body: string, { status = 200, type = 'text/plain' } = {}): Answer =>
  (response) => {
    response.writeHead(status, { 'content-type': type }).end(body);
  };

const authority = createCertificateAuthority();
const stranger = createCertificateAuthority();
afterAll(() => {
  authority.end();
  stranger.end();
});

let prepared: TestStore;
let dns: DnsServer;
let clock: Date;
let policy: { port: number; requests: number; answer: Answer };
beforeEach(async () => {
  prepared = await openTestStore();
  onTestFinished(() => prepared.end());
  dns = endWithTest(await startDnsServer({ zones: worldZones({ tenant: 'acme.test', recipient: 'inbox.test' }) }));
  clock = new Date();
  policy = await policyServer(authority.issue(POLICY_HOST));
});

async function policyServer(certificate: { cert: string; key: string }): Promise<typeof policy> {
  const running = { port: 0, requests: 0, answer: text(enforce()) };
  const server = createServer(certificate, (_request, response) => {
    running.requests += 1;
    running.answer(response);
  });
  server.on('tlsClientError', () => undefined);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  running.port = (server.address() as { port: number }).port;
  return running;
}

function publish(id: string): void {
  dns.withdraw(RECORD, 'TXT');
  dns.publish([
    { name: RECORD, type: 'TXT', value: `v=STSv1; id=${id};` },
    { name: POLICY_HOST, type: 'A', value: '127.0.0.1' },
  ]);
}

const receiver = (certificate: { cert: string; key: string } = authority.issue(MX)) => startTlsReceiver(certificate);

/** What one process remembers. */
function newProcess({ timeoutMs = 5_000 } = {}) {
  const resolver = createMailResolver([dns.address]);
  const { certificate: trusted } = authority;
  const { port } = policy;
  const client = createPolicyClient({ resolver, mayConnectTo: () => true, port, trusted, timeoutMs });
  onTestFinished(() => client.close());
  const policies = mtaStsPolicies(prepared.store);
  const logger = pino({ level: 'silent' });
  const findPolicy = createFindMtaStsPolicy({ resolver, client, policies, now: () => clock, logger });
  const findMailRoute = createMailRouter(resolver, () => true, findPolicy);
  return (smtpPort: number, tls: 'opportunistic' | 'required' = 'opportunistic'): Promise<DeliveryResult> => {
    const send = createDeliverMessage({ smtpPort, smtpRelayUrl: undefined, trusted, findMailRoute });
    return send({ ...message, recipient: 'person@INBOX.test', tls }, context());
  };
}

const delivered = (by: 'mta-sts' | 'opportunistic' | 'required', verified = true) => ({
  kind: 'delivered',
  tls: { version: 'TLSv1.3', verified, policy: by },
});
const notSent = (reason: RegExp) => ({
  kind: 'deferred',
  reply: undefined,
  diagnostic: expect.stringMatching(
    new RegExp(`^Not sent, because the MTA-STS policy of inbox.test ${reason.source}`),
  ) as string,
});
const questions = (name: string, type: string): number =>
  dns.queries.filter((query) => query.name === name && query.type === type).length;

describe('a policy that is enforced', () => {
  test('lets emails leave over TLS to a server of the policy with a valid certificate', async () => {
    publish('a');
    const { port, secure } = await receiver();
    expect(await newProcess()(port)).toMatchObject(delivered('mta-sts'));
    expect(secure).toEqual([true]);
    expect(await prepared.store.selectFrom('mta_sts_policies').selectAll().execute()).toEqual([
      {
        ...{ domain: 'inbox.test', policy_id: 'a', mode: 'enforce', mx: '["*.inbox.test"]' },
        ...{ fetched_at: clock.toISOString(), expires_at: new Date(clock.getTime() + 7 * DAY_MS).toISOString() },
      },
    ]);
  });

  test.each([
    ['of another name', () => authority.issue('mx.elsewhere.test'), /requires TLS: .*does not match/],
    ['that has expired', () => authority.issue(MX, -1), /requires TLS: certificate has expired/],
    ['of an unknown authority', () => stranger.issue(MX), /requires TLS: unable to verify/],
  ])('sends nothing to a server with a certificate %s', async (_, certificate, reason) => {
    publish('a');
    const { port, secure } = await receiver(certificate());
    expect(await newProcess()(port)).toMatchObject(notSent(reason));
    expect(secure).toEqual([]);
  });

  test('sends nothing in plain text where STARTTLS is stripped', async () => {
    publish('a');
    const server = endWithTest(await startScriptedSmtpServer());
    expect(await newProcess()(server.port)).toMatchObject(notSent(/requires TLS: The server does not offer STARTTLS/));
    expect(server.messages).toEqual([]);
    expect(server.commands.some((command) => command.startsWith('MAIL'))).toBe(false);
  });

  test('sends nothing to an MX host outside it, and uses those within it', async () => {
    publish('a');
    policy.answer = text(enforce().replace('*.inbox.test', 'mx.elsewhere.test'));
    const { port, secure } = await receiver();
    expect(await newProcess()(port)).toMatchObject(notSent(/allows none of its MX hosts: mx.inbox.test/));
    expect(secure).toEqual([]);

    publish('b');
    policy.answer = text(enforce());
    dns.withdraw('inbox.test', 'MX');
    dns.publish([
      { name: 'inbox.test', type: 'MX', value: '1 mx.evil.test' },
      { name: 'inbox.test', type: 'MX', value: `10 ${MX}` },
    ]);
    expect(await newProcess()(port)).toMatchObject({ ...delivered('mta-sts'), remoteMta: MX });
    expect(questions('mx.evil.test', 'A')).toBe(0);
  });

  test('holds until its max_age when its record and its server have vanished, in other processes too', async () => {
    publish('a');
    const first = newProcess();
    const [good, plain] = [await receiver(), await receiver(stranger.issue(MX))];
    expect(await first(good.port)).toMatchObject(delivered('mta-sts'));
    dns.withdraw(RECORD, 'TXT');
    dns.withdraw(POLICY_HOST, 'A');
    policy.answer = text('gone', { status: 404 });
    const second = newProcess();
    for (const days of [0, 1, 6.9]) {
      const began = clock;
      clock = new Date(began.getTime() + days * DAY_MS);
      for (const process of [first, second]) {
        expect(await process(plain.port)).toMatchObject({ kind: 'deferred' });
        expect(await process(good.port)).toMatchObject(delivered('mta-sts'));
      }
      clock = began;
    }
    clock = new Date(clock.getTime() + 7 * DAY_MS + 1);
    for (const process of [first, second])
      expect(await process(plain.port)).toMatchObject(delivered('opportunistic', false));
  });

  test('holds while its successor cannot be fetched, and no longer once that says none', async () => {
    publish('a');
    const send = newProcess();
    const plain = await receiver(stranger.issue(MX));
    expect(await send(plain.port)).toMatchObject({ kind: 'deferred' });
    publish('b');
    policy.answer = text('', { status: 500 });
    clock = new Date(clock.getTime() + 60_000);
    expect(await send(plain.port)).toMatchObject({ kind: 'deferred' });
    policy.answer = text('version: STSv1\nmode: none\nmax_age: 86400\n');
    clock = new Date(clock.getTime() + 60_000);
    expect(await send(plain.port)).toMatchObject(delivered('opportunistic', false));
  });

  test('is renewed after a day, before it expires', async () => {
    publish('a');
    const send = newProcess();
    const { port } = await receiver();
    await send(port);
    clock = new Date(clock.getTime() + DAY_MS + 1);
    await send(port);
    const renewed = async () =>
      (await prepared.store.selectFrom('mta_sts_policies').selectAll().executeTakeFirst())?.fetched_at;
    await expect.poll(renewed).toBe(clock.toISOString());
    expect(policy.requests).toBe(2);
  });

  test('holds in another process, which trusts the authorities of its system', async () => {
    publish('a');
    const [good, wrong] = [await receiver(), await receiver(authority.issue('mx.elsewhere.test'))];
    const program = fileURLToPath(new URL('delivering-process.ts', import.meta.url));
    const deliverElsewhere = async (...ports: readonly number[]) => {
      const given = [prepared.databaseUrl, dns.address, policy.port, ...ports].map(String);
      const child = spawn(process.execPath, ['--import', 'tsx', program, ...given], {
        stdio: ['ignore', 'pipe', 'inherit'],
        env: { ...process.env, NODE_EXTRA_CA_CERTS: authority.file },
      });
      const lines = (await child.stdout.toArray()).map(String).join('').trim().split('\n');
      return lines.map((line) => JSON.parse(line) as unknown);
    };
    expect(await deliverElsewhere(good.port, wrong.port)).toMatchObject([delivered('mta-sts'), { kind: 'deferred' }]);
    dns.withdraw(RECORD, 'TXT');
    expect(await deliverElsewhere(wrong.port)).toMatchObject([{ kind: 'deferred' }]);
    expect([policy.requests, good.secure, wrong.secure]).toEqual([1, [true], []]);
  }, 30_000);

  test('that cannot be read from the database keeps the email', async () => {
    publish('a');
    await prepared.store.schema.alterTable('mta_sts_policies').renameTo('mta_sts_policies_away').execute();
    const { port, secure } = await receiver();
    const send = newProcess();
    expect(await send(port)).toMatchObject({
      kind: 'deferred',
      diagnostic: 'Cannot read whether inbox.test requires TLS.',
    });
    await prepared.store.schema.alterTable('mta_sts_policies_away').renameTo('mta_sts_policies').execute();
    expect(await send(port)).toMatchObject(delivered('mta-sts'));
    expect(secure).toEqual([true]);
  });
});

describe('a domain without a policy that is enforced', () => {
  test.each(['testing', 'none'])('such as one of mode %s, gets emails over any TLS', async (mode) => {
    publish('a');
    policy.answer = text(enforce().replace('enforce', mode));
    const { port } = await receiver(stranger.issue(MX));
    const send = newProcess();
    expect(await send(port)).toMatchObject(delivered('opportunistic', false));
    expect(await send(port, 'required')).toMatchObject({ kind: 'deferred' });
  });

  const failures: readonly (readonly [string, Answer, number])[] = [
    ['redirects', (response) => response.writeHead(302, { location: `https://${POLICY_HOST}/other` }).end(), 5_000],
    ['answers 404 with a policy', text(enforce(), { status: 404 }), 5_000],
    ['answers with a web page', text(enforce(), { type: 'text/html' }), 5_000],
    ['answers with something else', text('<p>'), 5_000],
    ['answers with more than 64 KB', text(enforce('x: y\n'.repeat(13_200))), 5_000],
    [
      'answers endlessly',
      (response) => {
        const more = (): void => {
          while (response.write('mx: a.inbox.test\n'.repeat(100)));
          response.once('drain', more);
        };
        response.writeHead(200, { 'content-type': 'text/plain' });
        more();
      },
      5_000,
    ],
    [
      'answers slowly',
      (response) => {
        response.writeHead(200, { 'content-type': 'text/plain' }).write(enforce());
        const timer = setInterval(() => response.write('\n'), 50);
        response.once('close', () => {
          clearInterval(timer);
        });
      },
      500,
    ],
    ['does not answer', () => undefined, 500],
  ];
  test.each(failures)('whose server %s, is asked once in five minutes', async (_, answer, timeoutMs) => {
    publish('a');
    policy.answer = answer;
    const { port } = await receiver(stranger.issue(MX));
    const send = newProcess({ timeoutMs });
    const startedAt = performance.now();
    for (let emails = 0; emails < 3; emails += 1)
      expect(await send(port)).toMatchObject(delivered('opportunistic', false));
    expect(performance.now() - startedAt).toBeLessThan(2_000);
    expect(policy.requests).toBe(1);
    clock = new Date(clock.getTime() + 5 * 60_000);
    policy.answer = text(enforce());
    expect(await send(port)).toMatchObject({ kind: 'deferred' });
    expect(policy.requests).toBe(2);
  });

  test.each([
    ['of another name', () => authority.issue('inbox.test')],
    ['that has expired', () => authority.issue(POLICY_HOST, -1)],
    ['of an unknown authority', () => stranger.issue(POLICY_HOST)],
  ])('whose server has a certificate %s, has no policy', async (_, certificate) => {
    publish('a');
    policy = await policyServer(certificate());
    const { port } = await receiver(stranger.issue(MX));
    expect(await newProcess()(port)).toMatchObject(delivered('opportunistic', false));
    expect(policy.requests).toBe(0);
  });

  test('costs one question in five minutes, beside that for its MX hosts', async () => {
    const { port, secure } = await receiver();
    const send = newProcess();
    await Promise.all(Array.from({ length: 20 }, () => send(port)));
    for (let emails = 0; emails < 20; emails += 1) await send(port);
    expect(secure).toHaveLength(40);
    expect(questions(RECORD, 'TXT')).toBe(1);
    clock = new Date(clock.getTime() + 5 * 60_000);
    await send(port);
    expect(questions(RECORD, 'TXT')).toBe(2);
    expect(policy.requests).toBe(0);
    const { rows } = await sql`select * from mta_sts_policies`.execute(prepared.store);
    expect(rows).toEqual([]);
  });
});
