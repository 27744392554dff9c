import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import typescript from 'typescript';
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { startDnsServer, type DnsServer } from '../../../src/dev/world/dns-server.ts';
import { worldZones } from '../../../src/dev/world/world-zones.ts';
import { insertAttachments } from '../../../src/email-service/store/attachments.ts';
import { deliverEmailStart } from '../../../src/email-service/store/outbox.ts';
import { endWithTest } from '../../support/end-with-test.ts';
import { packagedCommand } from '../../support/packaged-command.ts';
import { startTestReceiver } from '../../support/test-receiver.ts';
import { sharedDevServer, type TestServer } from '../../support/temporal.ts';
import { backgroundSettings } from '../support/background-options.ts';
import { openTestStore, type TestStore } from '../support/test-store.ts';
import { startScriptedSmtpServer, type ScriptedSmtpServer } from '../support/scripted-smtp-server.ts';
import type { BackgroundProcessInput, EmailToBegin } from './background-process.ts';

/** A killed process's attempt times out after ten seconds. */
const IN_TIME = { timeout: 60_000, interval: 100 };

/** Compiled here, once: a loader of TypeScript costs each process more than all that it does. */
const { outputText: program } = typescript.transpileModule(
  readFileSync(new URL('background-process.ts', import.meta.url), 'utf8'),
  { compilerOptions: { module: typescript.ModuleKind.ESNext, target: typescript.ScriptTarget.ES2023 } },
);

let dist: string;
beforeAll(async () => {
  dist = new URL('../dist/', pathToFileURL(await packagedCommand())).href;
});

let server: TestServer;
let prepared: TestStore;
let dns: DnsServer;
let smtp: ScriptedSmtpServer;
beforeEach(async () => {
  server = endWithTest(await sharedDevServer());
  prepared = await openTestStore();
  onTestFinished(() => prepared.end());
  dns = endWithTest(await startDnsServer({ zones: worldZones({ tenant: 'acme.test', recipient: 'inbox.test' }) }));
  smtp = endWithTest(await startScriptedSmtpServer());
});

function startProcess(): ChildProcess {
  const input: BackgroundProcessInput = {
    dist,
    databaseUrl: prepared.databaseUrl,
    sealingKey: prepared.sealingKey.toString('base64'),
    temporalAddress: server.address,
    temporalNamespace: server.namespace,
    dnsAddress: dns.address,
    settings: backgroundSettings({ dns, smtpPort: smtp.port }),
  };
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program, JSON.stringify(input)], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  onTestFinished(() => kill(child));
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

async function queuedEmail(): Promise<string> {
  const emailId = await prepared.email();
  await prepared.owe(deliverEmailStart(emailId));
  return emailId;
}

const statuses = async () =>
  (await prepared.store.selectFrom('emails').select('status').execute()).map(({ status }) => status);
/** Of all emails, or of one. */
const outcomes = async (emailId?: string) => {
  const attempts = prepared.store.selectFrom('delivery_attempts').select('outcome').orderBy('number');
  const those = emailId === undefined ? attempts : attempts.where('email_id', '=', emailId);
  return (await those.execute()).map(({ outcome }) => outcome);
};

/** An email whose first attempt the process makes, unless it is to begin none. */
async function committedBy(child: ChildProcess, begin = true): Promise<string> {
  const message: EmailToBegin = { emailId: await prepared.email(), begin };
  child.send(message);
  await once(child, 'message');
  return message.emailId;
}

describe('a process that is killed during its first attempts', () => {
  test('loses no email and no webhook, and sends a second copy only after a final dot or an unrecorded post', async () => {
    const first = startProcess();
    await once(first, 'message');
    const reached = (step: string, count: number) =>
      expect.poll(() => smtp.commands.filter((command) => command.startsWith(step)).length, IN_TIME).toBe(count);
    const answers: (() => void)[] = [];
    let hangs = true;
    const hooks = endWithTest(
      await startTestReceiver((response) => {
        const answer = () => void response.writeHead(200).end();
        if (hangs) answers.push(answer);
        else answer();
      }),
    );
    await prepared.webhook(['email.delivered'], { url: `${hooks.url}/hook` });
    const beforePostIsRecorded = await committedBy(first);
    await expect.poll(() => answers, IN_TIME).toHaveLength(1);
    const beforeAttempt = await committedBy(first, false);
    smtp.answer({ rcpt: 'silence' });
    const inEnvelope = await committedBy(first);
    await reached('RCPT', 2);
    smtp.answer({ rcpt: '250 2.1.5 ok', data: 'silence' });
    const inData = await committedBy(first);
    await reached('DATA', 2);
    smtp.answer({ data: '354 go ahead', message: 'silence' });
    const afterDot = await committedBy(first);
    await expect.poll(() => smtp.messages, IN_TIME).toHaveLength(2);
    await kill(first);
    smtp.answer({ message: '250 2.0.0 kept' });
    hangs = false;

    startProcess();
    await expect.poll(statuses, IN_TIME).toEqual(Array(5).fill('delivered'));
    const copies = (emailId: string) => smtp.messages.filter((message) => message.includes(`<${emailId}@acme.test>`));
    for (const id of [beforePostIsRecorded, beforeAttempt, inEnvelope, inData]) expect(copies(id)).toHaveLength(1);
    const [copy, second] = copies(afterDot);
    expect(second).toBe(copy);
    expect(smtp.messages).toHaveLength(6);
    expect(await prepared.eventTypes()).toEqual(Array(5).fill('email.delivered'));
    for (const id of [beforePostIsRecorded, beforeAttempt]) expect(await outcomes(id)).toEqual(['delivered']);
    for (const id of [inEnvelope, inData, afterDot]) expect(await outcomes(id)).toEqual(['unknown', 'delivered']);
    await expect.poll(async () => await prepared.store.selectFrom('outbox').selectAll().execute(), IN_TIME).toEqual([]);
    const events = (await prepared.events()).map(({ id, data }) => ({ id, emailId: data['id'] }));
    const postsOf = (emailId: unknown) => {
      const event = events.find((each) => each.emailId === emailId);
      return hooks.posts.filter(({ headers }) => headers['webhook-id'] === event?.id).length;
    };
    expect(postsOf(beforePostIsRecorded)).toBe(2);
    for (const id of [beforeAttempt, inEnvelope, inData, afterDot]) expect(postsOf(id)).toBe(1);
  }, 120_000);
});

describe('a process that is killed while a message with attachments is under way', () => {
  const bytes = randomBytes(3_000_000);

  async function begun(child: ChildProcess): Promise<string> {
    const attachment = { filename: 'a.bin', content_type: 'application/octet-stream', size: bytes.length };
    const emailId = await prepared.email({ attachments: JSON.stringify([attachment]) });
    await prepared.store
      .transaction()
      .execute((transaction) =>
        insertAttachments(transaction, { contentId: emailId, contents: [Buffer.from(bytes.toString('base64'))] }),
      );
    child.send({ emailId, begin: true } satisfies EmailToBegin);
    await once(child, 'message');
    return emailId;
  }

  const attached = (message = ''): string => {
    const [, content = ''] = message.split('filename=a.bin\r\n\r\n');
    return content.slice(0, content.indexOf('\r\n--')).replaceAll('\r\n', '');
  };

  test('sends it once if the message had not ended, and the same bytes again if only the reply was lost', async () => {
    const first = startProcess();
    await once(first, 'message');
    smtp.answer({ message: 'silence' });
    await begun(first);
    await expect.poll(() => smtp.messages, IN_TIME).toHaveLength(1);
    smtp.answer({ data: { say: '354 go ahead', then: 'stall' } });
    await begun(first);
    await expect.poll(() => smtp.commands.filter((command) => command === 'DATA'), IN_TIME).toHaveLength(2);
    await kill(first);
    const [lost = ''] = smtp.messages;
    smtp.answer({ data: '354 go ahead', message: '250 2.0.0 kept' });
    startProcess();
    await expect.poll(statuses, IN_TIME).toEqual(['delivered', 'delivered']);
    expect(smtp.messages).toHaveLength(3);
    expect(smtp.messages.filter((message) => message === lost)).toHaveLength(2);
    for (const message of smtp.messages) expect(attached(message)).toBe(bytes.toString('base64'));
    expect(await outcomes()).toEqual(['unknown', 'unknown', 'delivered', 'delivered']);
  }, 120_000);
});

describe('a Worker that is killed', () => {
  test('before it has sent anything loses nothing: the next Worker sends the email once', async () => {
    smtp.answer({ rcpt: 'silence' });
    const emailId = await queuedEmail();
    const first = startProcess();
    await expect.poll(() => smtp.commands, IN_TIME).toContain('RCPT TO:<person@inbox.test>');
    await kill(first);
    smtp.answer({ rcpt: '250 2.1.5 ok' });
    startProcess();
    await expect.poll(statuses, IN_TIME).toEqual(['delivered']);
    expect(await outcomes()).toEqual(['unknown', 'delivered']);
    expect(smtp.messages).toHaveLength(1);
    expect(smtp.messages[0]).toContain(`<${emailId}@acme.test>`);
    expect(await prepared.events()).toMatchObject([{ number: 1, type: 'email.delivered' }]);
  }, 120_000);

  test('after the final dot is the one case of a second copy, and that is the same message', async () => {
    smtp.answer({ message: 'silence' });
    await queuedEmail();
    const first = startProcess();
    await expect.poll(() => smtp.messages.length, IN_TIME).toBe(1);
    await kill(first);
    smtp.answer({ message: '250 2.0.0 kept' });
    startProcess();
    await expect.poll(statuses, IN_TIME).toEqual(['delivered']);
    expect(await outcomes()).toEqual(['unknown', 'delivered']);
    expect(smtp.messages).toHaveLength(2);
    expect(smtp.messages[1]).toBe(smtp.messages[0]);
  }, 120_000);
});
