import { execFile, execFileSync, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createTransport } from 'nodemailer';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { returnPathOf } from '../../../src/email-service/delivery/return-path.ts';
import {
  type InboundSettings,
  type RunningInbound,
  startInbound,
} from '../../../src/email-service/inbound/start-inbound.ts';
import { newId } from '../../../src/email-service/resources/resource-ids.ts';
import { findEmail } from '../../../src/email-service/store/emails.ts';
import { emailResource } from '../../../src/email-service/resources/email.ts';
import { pauseAccount, recentOutcomes, resumeAccount } from '../../../src/email-service/store/account-pauses.ts';
import { findSuppression } from '../../../src/email-service/store/suppressions.ts';
import { SettingsError } from '../../../src/lib/settings.ts';
import { expectDescribedEvents } from '../support/expect-described-events.ts';
import { breakEvents, mendEvents } from '../support/full-disk.ts';
import { onSqlite } from '../../support/test-database.ts';
import { holdWriteLock } from '../../support/write-lock.ts';
import { processParts } from '../support/process-parts.ts';
import { openTestStore, type TestStore } from '../support/test-store.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const NOW = new Date('2026-11-26T12:00:00.000Z');
const RECIPIENT = 'unknown@inbox.test';

let prepared: TestStore;
let inbound: RunningInbound;
let begun: string[];
let logged: string[];
beforeEach(async () => {
  prepared = await openTestStore();
  begun = [];
  logged = [];
  inbound = await start();
});
afterEach(async () => {
  await inbound.stop();
  await expectDescribedEvents(prepared);
  await prepared.end();
});

const start = (settings: Partial<InboundSettings> = {}): Promise<RunningInbound> =>
  startInbound(
    {
      ...processParts(prepared),
      beginner: { makesFirstAttempts: true, begin: ({ start: { workflowId } }) => void begun.push(workflowId) },
      logger: pino({}, { write: (line: string) => void logged.push(line) }),
      now: () => NOW,
    },
    { host: '127.0.0.1', port: 0, hostname: 'mail.sendoff.test', ...settings },
  );

const deliveredEmail = (more = {}): Promise<string> =>
  prepared.email({ recipient: RECIPIENT, status: 'delivered', delivered_at: NOW.toISOString(), ...more });

const HOUR_MS = 3_600_000;

/** As the transaction that recorded each delivery has counted it. */
async function countDelivered(delivered: number, { at = NOW, bounced = 0 } = {}): Promise<void> {
  const hour = Math.floor(at.getTime() / HOUR_MS);
  await prepared.store
    .insertInto('account_outcomes')
    .values({ account_id: prepared.accountId, slot: hour % 24, ...{ hour, delivered, bounced } })
    .execute();
}

const outcomes = () => recentOutcomes(prepared.store, prepared.accountId, NOW);

const pathOf = (id: string, domain = 'bounce.acme.test'): string =>
  returnPathOf(prepared.sealer, { id, return_path_domain: domain });

const sample = (name: string): string => readFileSync(new URL(`reports/${name}.eml`, import.meta.url), 'latin1');

/** Sends as a mail server does. @returns its reply */
async function send(to: string, raw: string, { port = inbound.port, requireTLS = false } = {}): Promise<string> {
  const tls = requireTLS ? { requireTLS, tls: { rejectUnauthorized: false } } : { ignoreTLS: true };
  const transport = createTransport({ host: '127.0.0.1', port, secure: false, name: 'relay.test', ...tls });
  try {
    const { response } = await transport.sendMail({ envelope: { from: '', to: [to] }, raw });
    return response;
  } catch (error) {
    return (error as { response?: string }).response ?? String(error);
  } finally {
    transport.close();
  }
}

async function shown(id: string) {
  const found = await findEmail(prepared.store, { accountId: prepared.accountId }, id);
  if (found === undefined) throw new Error('no email');
  return emailResource(found.email, found.attempts);
}

const suppression = () =>
  findSuppression(prepared.store, { accountId: prepared.accountId, address: RECIPIENT, marks: prepared.marks });

describe('a bounce after delivery', () => {
  test.each(['postfix-unknown', 'exim-unknown', 'sendmail-unknown', 'qmail-unknown', 'exim-4.80-unknown'])(
    'of %s appears on the email, as an event, and suppresses the address',
    async (name) => {
      const id = await deliveredEmail();
      await countDelivered(1);
      const { id: webhookId } = await prepared.webhook(['email.late_bounced']);
      expect(await send(pathOf(id), sample(name))).toMatch(/^250 /);
      const late = { at: NOW.toISOString(), code: '5.1.1', category: 'recipient', permanent: true };
      const email = await shown(id);
      expect(email).toMatchObject({ status: 'delivered', late_bounce: late });
      expect(email.late_bounce?.reason).toMatch(/User unknown/);
      const [event] = await prepared.events();
      expect(event).toMatchObject({ type: 'email.late_bounced', data: { id, status: 'delivered', late_bounce: late } });
      expect(begun).toEqual([`deliver-webhook/${event?.id ?? ''}/${webhookId}`]);
      expect(await suppression()).toMatchObject({ cause: 'bounce', email_id: id });
      expect(await outcomes()).toEqual({ delivered: 0, bounced: 1 });
    },
  );

  test('for another reason than the address suppresses nothing', async () => {
    const id = await deliveredEmail({ recipient: 'full@inbox.test' });
    await countDelivered(1);
    expect(await send(pathOf(id), sample('postfix-full'))).toMatch(/^250 /);
    expect(await shown(id)).toMatchObject({ late_bounce: { category: 'mailbox_full', permanent: false } });
    expect(await prepared.store.selectFrom('suppressions').selectAll().execute()).toEqual([]);
    expect(await outcomes()).toEqual({ delivered: 1, bounced: 0 });
  });

  test('finds the recipient in other case', async () => {
    const id = await deliveredEmail({ recipient: 'Unknown@inbox.test' });
    expect(await send(pathOf(id).toUpperCase(), sample('postfix-unknown'))).toMatch(/^250 /);
    expect(await shown(id)).toMatchObject({ late_bounce: { code: '5.1.1' } });
  });

  test('that comes while the delivery is being recorded is asked for again', async () => {
    const id = await prepared.email({ recipient: RECIPIENT });
    expect(await send(pathOf(id), sample('postfix-unknown'))).toMatch(/^450 4\.2\.1 /);
    await prepared.store.updateTable('emails').set({ status: 'delivered' }).where('id', '=', id).execute();
    expect(await send(pathOf(id), sample('postfix-unknown'))).toMatch(/^250 /);
  });

  test('pauses the account at its bounce rate, after a warning', async () => {
    await countDelivered(91, { bounced: 9 });
    for (const change of ['account.warned', 'account.paused']) {
      await send(pathOf(await deliveredEmail()), sample('postfix-unknown'));
      expect((await prepared.eventTypes()).slice(-2)).toEqual(['email.late_bounced', change]);
    }
  });

  test('counts instead of its delivery, in the hour of that one', async () => {
    const at = new Date(NOW.getTime() - 3 * HOUR_MS);
    await countDelivered(20, { at });
    for (let bounced = 1; bounced <= 10; bounced++) {
      await send(pathOf(await deliveredEmail({ delivered_at: at.toISOString() })), sample('postfix-unknown'));
      expect(await outcomes()).toEqual({ delivered: 20 - bounced, bounced });
    }
    expect((await prepared.eventTypes()).filter((type) => type.startsWith('account.'))).toEqual([
      'account.warned',
      'account.paused',
    ]);
  });

  test('of an email that was delivered before a resume, or a day ago, counts neither way', async () => {
    const { accountId } = prepared;
    const resumedAt = new Date(NOW.getTime() - 1_000);
    const change = { accountId, by: 'default', reason: 'Spam', now: resumedAt, claimed: false };
    await pauseAccount(prepared.store, change);
    await resumeAccount(prepared.store, change);
    await countDelivered(1);
    const dayAgo = new Date(NOW.getTime() - 24 * HOUR_MS);
    await countDelivered(1, { at: new Date(dayAgo.getTime() + HOUR_MS) });
    for (const at of [resumedAt, dayAgo]) {
      const id = await deliveredEmail({ delivered_at: at.toISOString() });
      expect(await send(pathOf(id), sample('postfix-unknown'))).toMatch(/^250 /);
      expect(await shown(id)).toMatchObject({ late_bounce: { code: '5.1.1' } });
    }
    expect(await outcomes()).toEqual({ delivered: 2, bounced: 0 });
  });
});

describe('a complaint', () => {
  test.each([
    ['arf-abuse', 'abuse'],
    ['arf-fraud-without-recipient', 'fraud'],
    ['arf-unknown-type', 'other'],
  ])('of %s appears on the email, as an event, and suppresses the address', async (name, type) => {
    const id = await deliveredEmail();
    expect(await send(pathOf(id), sample(name))).toMatch(/^250 /);
    const complaint = { at: NOW.toISOString(), type };
    expect(await shown(id)).toMatchObject({ status: 'delivered', complaint });
    expect(await prepared.events()).toMatchObject([{ type: 'email.complained', data: { id, complaint } }]);
    expect(await suppression()).toMatchObject({ cause: 'complaint', email_id: id });
  });

  test('and a bounce of the same email both stay', async () => {
    const id = await deliveredEmail();
    await send(pathOf(id), sample('arf-abuse'));
    await send(pathOf(id), sample('postfix-unknown'));
    expect(await shown(id)).toMatchObject({ complaint: { type: 'abuse' }, late_bounce: { code: '5.1.1' } });
    expect(await suppression()).toMatchObject({ cause: 'complaint' });
  });
});

test.each(['vacation', 'read-receipt', 'delayed', 'arf-not-spam'])(
  '%s is accepted and changes nothing',
  async (name) => {
    const id = await deliveredEmail();
    expect(await send(pathOf(id), sample(name))).toMatch(/^250 2\.0\.0 Nothing/);
    expect(await prepared.eventTypes()).toEqual([]);
    expect(await shown(id)).not.toHaveProperty('late_bounce');
  },
);

describe.each(['postfix-unknown', 'exim-unknown', 'qmail-unknown', 'exim-4.80-unknown', 'arf-abuse'])(
  '%s, forged,',
  (name) => {
    test('with another MAC is refused', async () => {
      const id = await deliveredEmail();
      const [local = ''] = pathOf(id).split('@');
      const other = `${local.slice(0, -1)}${local.endsWith('0') ? '1' : '0'}@bounce.acme.test`;
      expect(await send(other, sample(name))).toMatch(/^550 5\.7\.1 /);
      expect(await prepared.eventTypes()).toEqual([]);
    });

    test('with the MAC of another email, about an unknown email, and at a foreign domain is refused', async () => {
      const id = await deliveredEmail();
      const mac = pathOf(newId('eml')).slice(-33);
      expect(await send(`${id}${mac}`, sample(name))).toMatch(/^550 5\.7\.1 /);
      expect(await send(pathOf(newId('eml')), sample(name))).toMatch(/^550 5\.1\.1 /);
      expect(await send(pathOf(id, 'bounce.other.test'), sample(name))).toMatch(/^550 5\.7\.1 /);
      expect(await prepared.eventTypes()).toEqual([]);
    });

    test('about another recipient changes nothing', async () => {
      const id = await deliveredEmail({ recipient: 'ada@inbox.test' });
      expect(await send(pathOf(id), sample(name))).toMatch(/^250 2\.0\.0 Nothing/);
      expect(await prepared.eventTypes()).toEqual([]);
      expect(await prepared.store.selectFrom('suppressions').selectAll().execute()).toEqual([]);
    });

    test('by repetition, at several processes at once, changes nothing more', async () => {
      const id = await deliveredEmail();
      const other = await start();
      try {
        const ports = [inbound.port, other.port, inbound.port, other.port];
        const replies = await Promise.all(ports.map((port) => send(pathOf(id), sample(name), { port })));
        expect(replies.every((reply) => reply.startsWith('250 '))).toBe(true);
      } finally {
        await other.stop();
      }
      expect(await prepared.eventTypes()).toHaveLength(1);
      expect(await prepared.store.selectFrom('suppressions').selectAll().execute()).toHaveLength(1);
    });

    test('for an email that bounced, or too large, changes nothing', async () => {
      const bounced = await deliveredEmail({ status: 'bounced', delivered_at: null, bounce: '{}' });
      if (name !== 'arf-abuse') expect(await send(pathOf(bounced), sample(name))).toMatch(/^250 2\.0\.0 Nothing/);
      const id = await deliveredEmail();
      const large = `${sample(name)}${'x'.repeat(76)}\r\n`.padEnd(11 * 1024 * 1024, `${'x'.repeat(76)}\r\n`);
      expect(await send(pathOf(id), large)).toMatch(/^552 /);
      expect(await prepared.eventTypes()).toEqual([]);
    });
  },
);

test('takes no mail for anybody else', async () => {
  for (const to of ['ada@inbox.test', 'postmaster@bounce.acme.test', 'orders@acme.test'])
    expect(await send(to, sample('vacation'))).toMatch(/^550 5\.7\.1 /);
});

test('answers 451 and keeps nothing when the database fails, so that the report comes again', async () => {
  const id = await deliveredEmail();
  await breakEvents(prepared.store);
  expect(await send(pathOf(id), sample('postfix-unknown'))).toMatch(/^451 4\.3\.0 /);
  expect(await shown(id)).not.toHaveProperty('late_bounce');
  await mendEvents(prepared.store);
  expect(await send(pathOf(id), sample('postfix-unknown'))).toMatch(/^250 /);
  expect(await prepared.eventTypes()).toEqual(['email.late_bounced']);
});

// Only SQLite has a lock that another connection of this process can hold against every writer.
onSqlite(() => {
  test('a process killed between the message and the commit has answered nothing, and the report comes again', async () => {
    const id = await deliveredEmail();
    const program = fileURLToPath(new URL('inbound-process.ts', import.meta.url));
    const { databaseUrl, sealingKey } = prepared;
    const child = spawn(process.execPath, ['--import', 'tsx', program, databaseUrl, sealingKey.toString('base64')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    const next = async (): Promise<string> => String((await lines.next()).value);
    const port = Number((await next()).replace('port ', ''));
    const unlock = holdWriteLock(databaseUrl.replace(/^file:/, ''));
    const replied = send(pathOf(id), sample('postfix-unknown'), { port });
    expect(await next()).toBe('recording');
    child.kill('SIGKILL');
    await exited;
    expect(await replied).not.toMatch(/^250 /);
    unlock();
    expect(await shown(id)).not.toHaveProperty('late_bounce');
    expect(await send(pathOf(id), sample('postfix-unknown'))).toMatch(/^250 /);
    expect(await prepared.eventTypes()).toEqual(['email.late_bounced']);
  });
});

test('ends a session that never ends', async () => {
  const brief = await start({ sessionMs: 300 });
  try {
    const socket = connect(brief.port, '127.0.0.1');
    socket.on('error', () => undefined).resume();
    const noise = setInterval(() => socket.write('NOOP\r\n'), 20);
    await once(socket, 'close');
    clearInterval(noise);
  } finally {
    await brief.stop();
  }
});

test('takes ten connections of one network at once', async () => {
  const sockets = Array.from({ length: 12 }, () => connect(inbound.port, '127.0.0.1'));
  try {
    const greetings = await Promise.all(
      sockets.map(async (socket) => String(((await once(socket, 'data')) as [Buffer])[0]).slice(0, 3)),
    );
    expect(greetings.filter((code) => code === '220')).toHaveLength(10);
    expect(greetings.filter((code) => code === '421')).toHaveLength(2);
  } finally {
    for (const socket of sockets) socket.destroy();
  }
});

test('logs no address of a recipient', async () => {
  await send(pathOf(await deliveredEmail()), sample('postfix-unknown'));
  expect(logged.join('')).toContain('late_bounce');
  expect(logged.join('')).not.toContain(RECIPIENT);
});

describe('STARTTLS', () => {
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder();
  });

  const makeCertificate = (name: string) => {
    const [certificateFile, certificateKeyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', certificateKeyFile];
    execFileSync('openssl', ['req', '-x509', ...key, '-subj', `/CN=${name}`, '-days', '1', '-out', certificateFile], {
      stdio: 'ignore',
    });
    return { certificateFile, certificateKeyFile };
  };

  /** @returns the name in the certificate */
  async function nameOverTls(port: number): Promise<string> {
    const asked = `printf 'QUIT\\r\\n' | openssl s_client -starttls smtp -connect 127.0.0.1:${String(port)}`;
    const { stdout } = await promisify(execFile)('sh', ['-c', asked]);
    return /subject=CN ?= ?(\S+)/.exec(stdout)?.[1] ?? stdout;
  }

  test('uses the certificate of the files, and the next one without a restart', async () => {
    const secured = await start(makeCertificate('first.test'));
    try {
      expect(await nameOverTls(secured.port)).toBe('first.test');
      makeCertificate('second.test');
      expect(await nameOverTls(secured.port)).toBe('second.test');
      writeFileSync(join(folder, 'cert.pem'), 'none');
      expect(await nameOverTls(secured.port)).toBe('second.test');
      const to = pathOf(await deliveredEmail());
      expect(await send(to, sample('postfix-unknown'), { port: secured.port, requireTLS: true })).toMatch(/^250 /);
    } finally {
      await secured.stop();
    }
  });

  test('is refused at start without a file that can be read', async () => {
    const missing = { certificateFile: join(folder, 'none.pem'), certificateKeyFile: join(folder, 'none.pem') };
    await expect(start(missing)).rejects.toThrow(SettingsError);
  });
});
